"""The tree for the ODH operator: each folder stands by itself, and follows what the operator rewrites."""

from __future__ import annotations

import json
from pathlib import Path

import normal
import pytest
import recorded
import routes

from kitgen import tools
from kitgen.emit import OUTPUTS
from kitgen.pipeline.opened import Opened
from kitgen.yamlio import JsonObject

CONTRACT = {
    # component: folder, what is built, where params.env is, its keys
    "codeflare-operator": (
        "codeflare",
        "default",
        "manager/params.env",
        ["codeflare-operator-controller-image", "namespace"],
    ),
    "kuberay": (
        "ray",
        "openshift",
        "openshift/params.env",
        ["odh-kuberay-operator-controller-image", "namespace"],
    ),
    "kueue": ("kueue", "rhoai", "rhoai/params.env", ["odh-kueue-controller-image"]),
}
CASES = [(target, component) for target in ("odh", "rhoai") for component in CONTRACT]
OTHER = "registry.example.com/other@sha256:" + 64 * "0"

each = pytest.mark.parametrize(("target", "component"), CASES)
needs_kustomize = pytest.mark.skipif(
    tools.kustomize() is None, reason="neither kustomize nor kubectl is on PATH: recorded results stand in"
)


@pytest.fixture(scope="session")
def exports(opened: Opened) -> dict[str, dict[str, str]]:
    return {target: OUTPUTS["odh"]([opened.plan(opened.target(target))]) for target in ("odh", "rhoai")}


@pytest.fixture
def alone(exports: dict[str, dict[str, str]], opened: Opened, target: str, component: str) -> routes.Kit:
    """Take a component's folder out of the tree, as the operator does."""
    prefix = f"{CONTRACT[component][0]}/"
    tree = {
        path.removeprefix(prefix): text for path, text in exports[target].items() if path.startswith(prefix)
    }
    if target == "rhoai":
        # Its CRDs are those of odh, as a test below says: build them once, they take kustomize seconds.
        tree = without_crds(tree, component)
    return routes.Kit(name=f"export {target} {component}", opened=opened, tree=tree)


@pytest.fixture
def rewritten(alone: routes.Kit, target: str, component: str) -> routes.Kit:
    """Rewrite params.env, as the operator does; no parameter reaches a CRD, so they are left out."""
    file = CONTRACT[component][2]
    text = "".join(f"{key}={value}\n" for key, value in other_params(params(alone.tree[file])).items())
    tree = {**without_crds(alone.tree, component), file: text}
    return routes.Kit(name=f"rewritten {target} {component}", opened=alone.opened, tree=tree)


def params(text: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in text.splitlines())


def other_params(old: dict[str, str]) -> dict[str, str]:
    return {key: "elsewhere" if key == "namespace" else OTHER for key in old}


def without_crds(tree: dict[str, str], component: str) -> dict[str, str]:
    file = f"{CONTRACT[component][1]}/kustomization.yaml"
    lines = tree[file].splitlines(keepends=True)
    text = "".join(line for line in lines if "../crds/" not in line)
    return {path: text if path == file else kept for path, kept in tree.items() if "crds/" not in path}


def want_alone(opened: Opened, target: str, component: str) -> list[JsonObject]:
    bodies = routes.built(opened, target, component)
    return [body for body in bodies if target == "odh" or body["kind"] != "CustomResourceDefinition"]


def want_rewritten(opened: Opened, kit: routes.Kit, target: str, component: str) -> list[JsonObject]:
    old = params(kit.tree[CONTRACT[component][2]])
    bodies = (follow(body, old) for body in routes.built(opened, target, component))
    return hashless([body for body in bodies if body["kind"] != "CustomResourceDefinition"])


def follow(body: JsonObject, old: dict[str, str]) -> JsonObject:
    """Return an object as it should be with other parameters."""
    image = next(value for key, value in old.items() if key.endswith("-image"))
    text = json.dumps(body).replace(image, OTHER)
    if body["kind"] == "SecurityContextConstraints":
        text = text.replace(f"system:serviceaccount:{old['namespace']}:", "system:serviceaccount:elsewhere:")
    made: JsonObject = json.loads(text)
    if body["kind"] == "ConfigMap" and body["data"] == old:
        made["data"] = other_params(old)
    return made


def hashless(bodies: list[JsonObject]) -> list[JsonObject]:
    """Cut the hash of its content off the name of a generated ConfigMap."""
    for body in bodies:
        if body["kind"] == "ConfigMap" and body["metadata"]["name"].startswith(("ray-", "kueue-rhoai-")):
            body["metadata"]["name"] = body["metadata"]["name"].rpartition("-")[0]
    return bodies


@each
def test_the_contract_is_kept(alone: routes.Kit, component: str) -> None:
    _, built, file, keys = CONTRACT[component]
    assert f"{built}/kustomization.yaml" in alone.tree
    assert list(params(alone.tree[file])) == keys


@each
def test_no_path_leaves_the_folder(alone: routes.Kit) -> None:
    for path, text in alone.tree.items():
        if path.endswith("kustomization.yaml"):
            assert all(line.count("../") <= path.count("/") for line in text.splitlines())


def test_the_targets_export_the_same_crds(exports: dict[str, dict[str, str]]) -> None:
    odh, rhoai = (
        {path: text for path, text in tree.items() if "/crds/" in path} for tree in exports.values()
    )
    assert odh
    assert odh == rhoai


@pytest.mark.kustomize
@needs_kustomize
@each
def test_a_folder_builds_alone(
    opened: Opened, alone: routes.Kit, tmp_path: Path, target: str, component: str, record: bool
) -> None:
    got = routes.kustomized(routes.written(alone.tree, tmp_path) / CONTRACT[component][1])
    if record:
        routes.keep(alone, CONTRACT[component][1], got)
    want = want_alone(opened, target, component)
    assert normal.differing(normal.by_key(got), normal.by_key(want)) == []


@each
def test_a_folder_once_built_alone(opened: Opened, alone: routes.Kit, target: str, component: str) -> None:
    routes.assert_recorded(alone, CONTRACT[component][1], want_alone(opened, target, component))


@pytest.mark.kustomize
@needs_kustomize
@each
def test_what_the_operator_rewrites_is_followed(
    opened: Opened,
    alone: routes.Kit,
    rewritten: routes.Kit,
    tmp_path: Path,
    target: str,
    component: str,
    record: bool,
) -> None:
    got = routes.kustomized(routes.written(rewritten.tree, tmp_path) / CONTRACT[component][1])
    got = hashless(got)
    if record:
        routes.keep(rewritten, CONTRACT[component][1], got)
    want = want_rewritten(opened, alone, target, component)
    assert normal.differing(normal.by_key(got), normal.by_key(want)) == []


@each
def test_what_the_operator_rewrites_was_once_followed(
    opened: Opened, alone: routes.Kit, rewritten: routes.Kit, target: str, component: str
) -> None:
    want = want_rewritten(opened, alone, target, component)
    routes.assert_recorded(rewritten, CONTRACT[component][1], want)


@each
def test_other_parameters_make_other_objects(
    opened: Opened, alone: routes.Kit, target: str, component: str
) -> None:
    """The comparisons above would hold as well if nothing followed and nothing was expected to."""
    text = json.dumps(want_rewritten(opened, alone, target, component))
    assert OTHER in text
    assert params(alone.tree[CONTRACT[component][2]])[CONTRACT[component][3][0]] not in text
    assert ("system:serviceaccount:elsewhere:kuberay-operator" in text) == (component == "kuberay")


def test_nothing_is_recorded_that_is_not_exported() -> None:
    known = {
        f"{kind} {target} {component} {CONTRACT[component][1]}"
        for kind in ("export", "rewritten")
        for target, component in CASES
    }
    kept = {name for name in recorded.recordings() if name.startswith(("export ", "rewritten "))}
    assert kept == known
