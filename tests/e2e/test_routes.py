"""Two routes agree: what compile makes is what kustomize builds from the overlay.

With kustomize or kubectl on PATH the real one builds; in any case the result is held against what
was recorded from it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import groupby
from pathlib import Path

import kits
import normal
import project
import pytest
import recorded
import routes
from some import first

from kitgen.files import programs
from kitgen.text.yaml import JsonObject, read_yaml
from kitgen.workspace.kit import OpenedKit, open_kit

PAIRS = ["/".join(pair) for pair in project.pairs()]
ONCE = {name: f"{target}/{name}" for target, name in reversed(project.pairs())}
"""Each component in the first target that has it: its CRDs take kustomize seconds."""
VALID = kits.cases("valid")
SMALL = [path.stem for path in (kits.CASES / "kit/targets").glob("*.yaml")]

needs_kustomize = pytest.mark.skipif(
    programs.find_kustomize() is None,
    reason="neither kustomize nor kubectl is on PATH: recorded results stand in",
)


@pytest.fixture(scope="session")
def kit(opened: OpenedKit) -> routes.Kit:
    return routes.kit("kit", opened)


@pytest.fixture(scope="session")
def overlays(kit: routes.Kit, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return routes.written(kit.tree, tmp_path_factory.mktemp("overlays"))


@pytest.fixture(scope="session")
def case_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], routes.Kit]:
    """Return what renders a case, once for all tests that ask for it."""

    @cache
    def rendered(name: str) -> routes.Kit:
        root = kits.make_kit(tmp_path_factory.mktemp("case") / "kit", kits.CASES / "valid" / name)
        return routes.kit(f"case {name}", open_kit(root))

    return rendered


@pytest.fixture
def case(request: pytest.FixtureRequest, case_of: Callable[[str], routes.Kit]) -> routes.Kit:
    return case_of(request.param)


def stages(bodies: list[JsonObject]) -> list[int]:
    """Say of each object when it is due: a namespace first, then CRDs, then what uses both."""
    first = ("Namespace", "CustomResourceDefinition")
    return [first.index(body["kind"]) if body["kind"] in first else len(first) for body in bodies]


def order(kit: routes.Kit, target: str, bodies: list[JsonObject]) -> list[str]:
    """Return the components that objects belong to, as they take turns."""
    units = kit.opened.plan(kit.opened.target(target)).units
    owner = {normal.key(m.body): unit.context.component.name for unit in units for m in unit.final}
    return [name for name, _ in groupby(owner[normal.key(body)] for body in bodies)]


def test_the_pairs_are_all_overlays(kit: routes.Kit) -> None:
    found = {path.rpartition("/")[0] for path in kit.tree if path.count("/") == 2}
    assert sorted(f for f in found if not f.startswith("base/") and "/crds" not in f) == sorted(PAIRS)


@pytest.mark.kustomize
@needs_kustomize
@pytest.mark.parametrize("pair", first(sorted(PAIRS, key=lambda pair: pair not in ONCE.values())))
def test_kustomize_builds_what_compile_makes(
    kit: routes.Kit, overlays: Path, pair: str, record: bool
) -> None:
    got, want = routes.built(kit.opened, *pair.split("/")), routes.kustomized(overlays / pair)
    if record:
        routes.keep(kit, pair, want)
    assert normal.differing(normal.by_key(got), normal.by_key(want)) == []
    assert stages(want) == sorted(stages(want))


@pytest.mark.parametrize("pair", PAIRS)
def test_recorded_builds_are_what_compile_makes(kit: routes.Kit, pair: str) -> None:
    routes.assert_recorded(kit, pair, routes.built(kit.opened, *pair.split("/")))


@pytest.mark.kustomize
@needs_kustomize
def test_the_order_of_components_shows_in_the_whole_target(kit: routes.Kit, tmp_path: Path) -> None:
    target = max(project.targets(), key=lambda name: len(project.units(name)))
    assert_in_order(kit, target, tmp_path)


@pytest.mark.kustomize
@needs_kustomize
@pytest.mark.parametrize("case", ["families"], indirect=True)
def test_a_component_comes_after_what_it_waits_for(case: routes.Kit, tmp_path: Path) -> None:
    assert waits(case, "olm")
    assert_in_order(case, "olm", tmp_path / "overlays")


def assert_in_order(kit: routes.Kit, target: str, folder: Path) -> None:
    overlays = routes.written({path: without_crds(text) for path, text in kit.tree.items()}, folder)
    found = order(kit, target, routes.kustomized(overlays / target))
    assert found == order(kit, target, routes.built(kit.opened, target, None))
    assert [
        (name, other) for name, other in waits(kit, target) if found.index(name) < found.index(other)
    ] == []


def waits(kit: routes.Kit, target: str) -> list[tuple[str, str]]:
    """Return the components of a target that come after another one of it."""
    units = [unit.context.component for unit in kit.opened.plan(kit.opened.target(target)).units]
    names = [each.name for each in units]
    return [(each.name, other) for each in units for other in each.after if other in names]


def without_crds(text: str) -> str:
    """Leave the CRDs out, which take kustomize seconds and say nothing of the order of components."""
    return "".join(line for line in text.splitlines(keepends=True) if not line.rstrip().endswith("/crds"))


@pytest.mark.kustomize
@needs_kustomize
@pytest.mark.parametrize("case", first(VALID, 3), indirect=True)
def test_kustomize_builds_what_compile_makes_of_a_case(
    case: routes.Kit, tmp_path: Path, record: bool
) -> None:
    overlays = routes.written(case.tree, tmp_path / "overlays")
    for target in case.opened.kit.targets:
        got = routes.built(case.opened, target, None)
        want = routes.kustomized(overlays / target)
        if record:
            routes.keep(case, target, want)
        assert normal.differing(normal.by_key(got), normal.by_key(want)) == []
        assert order(case, target, got) == order(case, target, want)


@pytest.mark.parametrize("case", VALID, indirect=True)
def test_recorded_builds_are_what_compile_makes_of_a_case(case: routes.Kit) -> None:
    for target in case.opened.kit.targets:
        routes.assert_recorded(case, target, routes.built(case.opened, target, None))


def test_nothing_is_recorded_that_is_not_built(record: bool) -> None:
    known = {f"kit {pair}" for pair in PAIRS}
    for name in VALID:
        own = (path.stem for path in (kits.CASES / "valid" / name / "targets").glob("*.yaml"))
        known |= {f"case {name} {target}" for target in (*SMALL, *own)}
    assert recorded.strangers(known, ("kit ", "case "), forget=record) == []


@pytest.mark.parametrize("case", VALID, indirect=True)
def test_cases_use_current_fields(case: routes.Kit) -> None:
    assert old_fields(case.tree) == []


def test_overlays_use_current_fields(kit: routes.Kit) -> None:
    assert old_fields(kit.tree) == []


def old_fields(tree: dict[str, str]) -> list[str]:
    return [
        f"{path}: {field}"
        for path, text in tree.items()
        if path.endswith("kustomization.yaml")
        for field in read_yaml(text)
        if field in routes.OLD_FIELDS
    ]
