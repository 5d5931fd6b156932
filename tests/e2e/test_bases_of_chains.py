"""Bases of versions that build on others: both routes to the objects agree, whatever a version changes."""

from __future__ import annotations

from os.path import normpath
from pathlib import Path

import kits
import normal
import pytest
import routes
from some import first

from kitgen.files import programs
from kitgen.render.families.table import get_families
from kitgen.render.outputs import render_output
from kitgen.render.unit import compile_base
from kitgen.text.yaml import read_yaml
from kitgen.workspace.kit import OpenedKit, open_kit

needs_kustomize = pytest.mark.skipif(
    programs.find_kustomize() is None, reason="neither kustomize nor kubectl is on PATH"
)
PARTING = (
    "group: example.com\nnames: {kind: Parting}\nscope: Namespaced\nversions:\n  v1:\n    storage: true\n"
)
PARTING += "    schema: {type: object, properties: {spec: {type: object}}}\n"
OBJECT = "- {{apiVersion: v1, kind: ConfigMap, metadata: {{name: {0}}}, data: {{a: {1}}}}}\n"
PLACED = OBJECT.replace("{{name: {0}}}", "{{name: {0}, namespace: '{{{{ namespace }}}}'}}")
ROLE = (
    "- apiVersion: rbac.authorization.k8s.io/v1\n  kind: ClusterRole\n  metadata: {{name: '{0}'}}\n"
    "  rules: [{{apiGroups: [''], resources: [pods], verbs: [{1}]}}]\n"
)
NOTHING = (
    "remove: [/serviceAccount, /deployment, /services, /roles, /features, /config.yaml, /images, /labels]\n"
)
CHAIN: dict[str, tuple[str, dict[str, str]]] = {
    # version: what it says beside `from`, and files beside it
    "v1.0.1": ("images: {manager: quay.io/example/hello:v1.0.1}\n", {}),
    "v1.0.2": ("about: Nothing that shows\n", {}),
    "v1.1.0": (
        "services:\n  extra: {ports: {metrics: 8080}}\nremove: [/services/metrics]\n",
        {"crds/partings.yaml": PARTING},
    ),
    "v1.1.1": ("about: One CRD\n", {"crds/greetings.yaml": "$add: {v1/spec.text#maxLength: 9}\n"}),
    "v1.2.0": ("remove: [/crds/greetings.yaml, /roles/manager-role/permissions/example.com/greetings]\n", {}),
    "v1.3.0": ("about: Both\n", {"crds/partings.yaml": PARTING.replace("Namespaced", "Cluster")}),
    "v2.0.0": ("prefix: other-\n", {}),
    "v2.1.0": (NOTHING.replace("]", ", /crds/partings.yaml]"), {}),
    "v2.2.0": ("about: Nothing still\n", {}),
    "v2.3.0": ("serviceAccount: again\n", {"crds/partings.yaml": PARTING}),
    "v2.3.1": ("serviceAccount: another\n", {}),
    "v3.0.0": (
        "objects:\n" + "".join(OBJECT.format(name, "'1'") for name in ("a.b", "a-b", "axb")),
        {},
    ),
    "v3.0.1": ("objects:\n" + OBJECT.format("a.b", "'2'"), {}),
    "v3.0.2": ("remove: [/objects/ConfigMap~1a.b]\n", {}),
    "v3.1.0": ("objects:\n" + PLACED.format("placed", "'1'") + PLACED.format("stays", "'1'"), {}),
    "v3.1.1": ("objects:\n" + PLACED.format("placed", "'2'"), {}),
    "v3.1.2": ("namespace: elsewhere\n", {}),
    "v3.1.3": ("objects:\n" + PLACED.format("placed", "'3'"), {}),
    "v3.1.4": ("remove: [/objects/ConfigMap~1placed]\n", {}),
    "v3.2.0": ("objects:\n" + ROLE.format("system:a+b(c", "get") + ROLE.format("system:aab", "get"), {}),
    "v3.2.1": ("objects:\n" + ROLE.format("system:a+b(c", "list"), {}),
    "v3.2.2": ("remove: ['/objects/ClusterRole~1system:a+b(c']\n", {}),
}

POD = PARTING.replace("{spec: {type: object}}", "{spec: {$type: core/v1.PodSpec}}")
MINORS: dict[str, tuple[str, dict[str, str]]] = {
    # the minor of its types, what else it says, and the CRDs that it has a word on
    "v1.1.0": ("kubernetes: '1.29'\n", {"crds/partings.yaml": POD}),
    "v1.1.1": ("about: The same\n", {}),
    "v1.2.0": ("kubernetes: '1.32'\n", {}),
    "v1.2.1": ("about: More\n", {"crds/partings.yaml": "$add: {v1/spec#description: To part}\n"}),
    "v1.3.0": ("kubernetes: '1.29'\n", {"crds/greetings.yaml": "$add: {v1/spec.text#maxLength: 9}\n"}),
    "v1.4.0": ("kubernetes: '1.32'\nremove: [/crds/partings.yaml]\n", {}),
    "v1.4.1": ("about: Again\n", {"crds/partings.yaml": POD}),
    "v1.5.0": ("kubernetes: '1.29'\nremove: [/crds/partings.yaml, /crds/greetings.yaml]\n", {}),
    "v1.6.0": ("kubernetes: '1.32'\n", {"crds/partings.yaml": POD}),
}
WHOLE = {"v1.2.0", "v1.3.0", "v1.4.0", "v1.6.0"}
"""Those whose CRDs have types of another minor than the version before."""


def chained(
    folder: Path, versions: dict[str, tuple[str, dict[str, str]]], start: str = "v1.0.0"
) -> OpenedKit:
    """Make a kit with a release for every version of a chain."""
    root = kits.make_kit(folder)
    before = start
    for version, (text, files) in versions.items():
        home = f"components/hello/{version}"
        spec = f"component: hello\nversion: {version}\nfrom: {before}\n{text}"
        release = f"release: {version}\nfrom: {before}\ncomponents: {{hello: {version}}}\n"
        kits.write(
            root,
            {
                f"{home}/component.yaml": spec,
                f"releases/{version}.yaml": release,
                **{f"{home}/{name}": content for name, content in files.items()},
            },
        )
        before = version
    for target in ("odh", "rhoai"):
        (root / f"targets/{target}.yaml").unlink()
    return open_kit(root)


def rendered(opened: OpenedKit, release: str) -> dict[str, str]:
    return render_output("kustomize", [opened.plan(opened.target("olm"), release)])


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> OpenedKit:
    return chained(tmp_path_factory.mktemp("chain"), CHAIN)


@pytest.mark.kustomize
@needs_kustomize
@pytest.mark.parametrize("version", first(CHAIN))
def test_kustomize_builds_what_compile_makes_of_a_chain(
    chain: OpenedKit, tmp_path: Path, version: str
) -> None:
    tree = rendered(chain, version)
    want = routes.built(chain, "olm", None, version)
    got = routes.kustomized(routes.written(tree, tmp_path) / "olm")
    assert normal.differing(normal.by_key(got), normal.by_key(want)) == []
    assert len(got) == len(want)


@pytest.fixture(scope="module")
def minors(tmp_path_factory: pytest.TempPathFactory) -> OpenedKit:
    return chained(tmp_path_factory.mktemp("minors"), MINORS)


@pytest.mark.kustomize
@needs_kustomize
@pytest.mark.parametrize("version", first(MINORS))
def test_kustomize_builds_what_compile_makes_of_changing_minors(
    minors: OpenedKit, tmp_path: Path, version: str
) -> None:
    tree = rendered(minors, version)
    want = routes.built(minors, "olm", None, version)
    got = routes.kustomized(routes.written(tree, tmp_path) / "olm")
    assert normal.differing(normal.by_key(got), normal.by_key(want)) == []
    assert len(got) == len(want)
    assert reached(tree, "olm/kustomization.yaml") == tree.keys()


@pytest.mark.parametrize("order", [list(MINORS), list(reversed(MINORS)), ["v1.4.1", "v1.1.0", "v1.2.1"]])
def test_a_base_of_changing_minors_is_the_same_whoever_pins_what(tmp_path: Path, order: list[str]) -> None:
    opened = chained(tmp_path, MINORS)
    together = bases(render_output("kustomize", [opened.plan(opened.target("olm"), each) for each in order]))
    for version in order:
        anew = open_kit(opened.root)
        assert bases(rendered(anew, version)).items() <= together.items()


def test_crds_of_another_minor_are_written_whole(minors: OpenedKit) -> None:
    plans = [minors.plan(minors.target("olm"), each) for each in MINORS]
    tree = bases(render_output("kustomize", plans))
    said = {
        path.split("/")[2]: read_yaml(text).get("resources", ())
        for path, text in tree.items()
        if path.endswith("/crds/kustomization.yaml")
    }
    whole = {version for version, names in said.items() if not any(name.startswith("..") for name in names)}
    assert whole == {"v1.0.0", *WHOLE}
    assert said.keys() == {"v1.0.0", "v1.1.0", *WHOLE, "v1.2.1", "v1.4.1"}


@pytest.mark.kustomize
@needs_kustomize
def test_objects_that_say_their_namespace_follow_the_target(tmp_path: Path) -> None:
    root = kits.make_kit(tmp_path / "kit")
    spec = root / "components/hello/v1.0.0/component.yaml"
    more = (
        "objects:\n" + PLACED.format("placed", "'1'") + ROLE.format("a.b", "get") + ROLE.format("axb", "get")
    )
    patch = "- {op: replace, path: /rules/0/verbs, value: [list]}"
    patches = "    patches:\n    - name: less\n      why: Because\n      object: ClusterRole/a.b\n"
    patches += f"      ops:\n      {patch}\n"
    spec.write_text(f"{spec.read_text()}{more}")
    target = root / "targets/odh.yaml"
    target.write_text(f"{target.read_text()}{patches}")
    kit = routes.kit("placed", open_kit(root))
    overlays = routes.written(kit.tree, tmp_path / "out")
    for name in kit.opened.kit.targets:
        want = normal.by_key(routes.built(kit.opened, name, None))
        assert normal.differing(normal.by_key(routes.kustomized(overlays / name)), want) == []


@pytest.mark.parametrize("version", CHAIN)
def test_a_base_is_the_same_whoever_pins_what(chain: OpenedKit, version: str) -> None:
    alone = bases(rendered(chain, version))
    plans = [chain.plan(chain.target("olm"), each) for each in CHAIN]
    assert alone.items() <= bases(render_output("kustomize", plans)).items()


@pytest.mark.parametrize("version", CHAIN)
def test_nothing_is_rendered_that_no_target_builds_on(chain: OpenedKit, version: str) -> None:
    tree = rendered(chain, version)
    found = reached(tree, "olm/kustomization.yaml")
    assert found == tree.keys()


def test_a_version_has_a_folder_only_for_what_is_different(chain: OpenedKit) -> None:
    plans = [chain.plan(chain.target("olm"), each) for each in CHAIN]
    folders = {path.rpartition("/")[0] for path in bases(render_output("kustomize", plans))}
    with_objects = {path.split("/")[2] for path in folders if path.count("/") == 2}
    with_crds = {path.split("/")[2] for path in folders if path.endswith("/crds")}
    without = {"v1.0.2", "v1.1.1", "v1.3.0", "v2.1.0", "v2.2.0"}
    assert with_objects == {"v1.0.0", *CHAIN} - without
    assert with_crds == {"v1.0.0", "v1.1.0", "v1.1.1", "v1.2.0", "v1.3.0", "v2.3.0"}


@pytest.mark.parametrize("version", CHAIN)
def test_what_is_used_again_is_what_would_be_made_anew(chain: OpenedKit, version: str) -> None:
    component = chain.kit.components["hello"][version]
    known, context = chain.session.get_base(component), chain.session.context_for(component).value
    anew = compile_base(context, None)
    assert known.assembled == anew.assembled
    assert [each.sources for each in known.assembled] == [each.sources for each in anew.assembled]


def test_a_family_that_stands_alone_is_not_run_again_for_nothing(chain: OpenedKit) -> None:
    versions = chain.kit.components["hello"]
    first, second = (chain.session.get_base(versions[version]) for version in ("v1.0.0", "v1.0.1"))
    alone = {key for key, family in get_families().items() if family.follows}
    assert {key for key in alone if second.made[key] is first.made[key]} == alone
    assert second.made["deployment"] != first.made["deployment"]


def bases(tree: dict[str, str]) -> dict[str, str]:
    return {path: text for path, text in tree.items() if path.startswith("base/")}


def reached(tree: dict[str, str], path: str) -> set[str]:
    """Return every file that a kustomization leads to."""
    data, folder = read_yaml(tree[path]), path.rpartition("/")[0]
    named = [*data.get("resources", ()), *(patch["path"] for patch in data.get("patches", ()))]
    found = {path}
    for name in named:
        place = normpath(f"{folder}/{name}")
        found |= {place} if place in tree else reached(tree, f"{place}/kustomization.yaml")
    return found
