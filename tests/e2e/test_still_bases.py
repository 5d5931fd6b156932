"""Moving a target to a z-stream of a component is short, and moves nothing else."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from difflib import unified_diff
from pathlib import Path

import kits
import normal
import project
import pytest
import routes
from running import run

from kitgen.files import programs
from kitgen.workspace.kit import open_kit

needs_kustomize = pytest.mark.skipif(
    programs.find_kustomize() is None, reason="neither kustomize nor kubectl is on PATH"
)
OLD_LINES, NEW_LINES = 15, 60
"""How many may change in files that are there, and how many may come in new ones."""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """Copy the project's own kit, with what it renders."""
    for name in ("kit.yaml", "components", "targets", "releases", "overlays"):
        source = kits.PROJECT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, tmp_path / name)
    assert run("render", "-q", "--root", tmp_path).code == 0  # another test tells whether that is up to date
    return tmp_path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a small kit, with what it renders."""
    root = kits.make_kit(tmp_path / "kit")
    assert run("render", "-q", "--root", root).code == 0
    return root


def z_stream(root: Path, component: str, old: str, new: str, image: str = "manager") -> None:
    """Write a version that is another one with a new image."""
    text = f"component: {component}\nversion: {new}\nfrom: {old}\n"
    text += f"images: {{{image}: quay.io/example/{component}:{new}}}\n"
    kits.write(root, {f"components/{component}/{new}/component.yaml": text})


def release(root: Path, old: str, new: str, components: str) -> None:
    text = f"release: {new}\nfrom: {old}\ncomponents: {{{components}}}\n"
    kits.write(root, {f"releases/{new}.yaml": text})


def pin(root: Path, target: str, old: str, new: str) -> None:
    file = root / f"targets/{target}.yaml"
    text = file.read_text()
    assert text.count(f"release: {old}\n") == 1
    file.write_text(text.replace(f"release: {old}\n", f"release: {new}\n"))


def moved(root: Path, change: Callable[[], None]) -> tuple[int, int, set[str]]:
    """Render a change; return the lines that change in old files and come in new ones, and all the paths."""
    before = texts(root)
    change()
    done = run("render", "-q", "--root", root)
    assert done.code == 0, done.err
    after = texts(root)
    old = sum(differing(before[path], after.get(path, "")) for path in before)
    new = sum(len(after[path].splitlines()) for path in after.keys() - before.keys())
    return old, new, {path for path in before | after if before.get(path) != after.get(path)}


def texts(root: Path) -> dict[str, str]:
    found = kits.contents(root / "overlays").items()
    return {name: text.decode() for name, (text, _) in found if name != ".kitgen/lock"}


def differing(old: str, new: str) -> int:
    lines = list(unified_diff(old.splitlines(), new.splitlines(), n=0))[2:]
    return sum(line[0] in "+-" for line in lines)


def first_image(component: str, version: str) -> str:
    return next(iter(project.project().kit.components[component][version].images))


TARGET = project.targets()[-1]
OVERRIDES = project.project().kit.targets[TARGET].overrides
"""Of these the target takes another version than releases say."""
COMPONENTS = sorted(
    (
        name
        for name, unit in project.units(TARGET).items()
        if unit.context.component.images and name not in OVERRIDES
    ),
    key=lambda name: len(project.unit(TARGET, name).final),
)


@pytest.mark.exhaustive
@pytest.mark.parametrize("component", COMPONENTS)
def test_a_z_stream_for_one_target_is_short(own: Path, component: str) -> None:
    kit = project.project().kit
    version, pinned = project.unit(TARGET, component).context.component.version, kit.targets[TARGET].release
    image = first_image(component, version)
    names = [*kit.releases]
    for _ in range(3):
        newer = project.free_version(list(kit.versions[component]), version)
        later = project.free_version(names, pinned)

        def change(old: str = version, new: str = newer, before: str = pinned, after: str = later) -> None:
            z_stream(own, component, old, new, image)
            release(own, before, after, f"{component}: {new}")
            pin(own, TARGET, before, after)

        old, new, paths = moved(own, change)
        assert (old <= OLD_LINES, new <= NEW_LINES) == (True, True), (old, new)
        assert new > 0
        homes = (f"{TARGET}/", f"base/{component}/{newer}/", ".kitgen/files")
        assert [path for path in paths if not path.startswith(homes)] == []
        assert run("render", "--check", "--root", own).code == 0
        version, pinned = newer, later


def test_one_release_more_moves_nothing(root: Path) -> None:
    def change() -> None:
        z_stream(root, "hello", "v1.0.0", "v1.0.1")
        release(root, "v1.0.0", "v1.0.1", "hello: v1.0.1")

    assert moved(root, change) == (0, 0, set())


def test_what_no_target_builds_on_any_more_is_gone(root: Path) -> None:
    hello = root / "components/hello"
    shutil.copytree(hello / "v1.0.0", hello / "v1.1.0")
    spec = hello / "v1.1.0/component.yaml"
    spec.write_text(spec.read_text().replace("version: v1.0.0", "version: v1.1.0"))
    release(root, "v1.0.0", "v1.1.0", "hello: v1.1.0")
    for number, target in enumerate(("odh", "olm", "rhoai")):
        pin(root, target, "v1.0.0", "v1.1.0")
        assert run("render", "-q", "--root", root).code == 0
        assert (root / "overlays/base/hello/v1.1.0/crds").is_dir()
        assert (root / "overlays/base/hello/v1.0.0").exists() == (number < 2)


def test_a_target_that_takes_another_version_moves_alone(root: Path) -> None:
    def change() -> None:
        z_stream(root, "hello", "v1.0.0", "v1.0.1")
        file = root / "targets/rhoai.yaml"
        override = "{version: v1.0.1, releases: '>=1.0.0', why: A fix that RHOAI ships}"
        text = file.read_text().replace("  hello:\n", f"  hello:\n    overrides: [{override}]\n")
        file.write_text(text)

    old, new, paths = moved(root, change)
    assert (0 < old <= OLD_LINES, 0 < new <= NEW_LINES) == (True, True)
    assert [p for p in paths if not p.startswith(("rhoai/", "base/hello/v1.0.1/", ".kitgen/files"))] == []


@pytest.mark.kustomize
@needs_kustomize
def test_kustomize_builds_the_z_stream(root: Path, tmp_path: Path) -> None:
    for old, new in (("v1.0.0", "v1.0.1"), ("v1.0.1", "v1.0.2")):
        z_stream(root, "hello", old, new)
    change = "$add: {v1/spec#description: To greet}\n"
    kits.write(root, {"components/hello/v1.0.2/crds/greetings.yaml": change})
    release(root, "v1.0.0", "v1.0.2", "hello: v1.0.2")
    pin(root, "rhoai", "v1.0.0", "v1.0.2")
    kit = routes.kit("z", open_kit(root))
    got = routes.kustomized(routes.written(kit.tree, tmp_path / "out") / "rhoai/hello")
    want = routes.built(kit.opened, "rhoai", "hello")
    assert normal.differing(normal.by_key(got), normal.by_key(want)) == []
    assert "quay.io/example/hello:v1.0.2" in str(want)
    assert "To greet" in str(want)
