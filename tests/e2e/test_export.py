"""The tree for the ODH operator: each folder stands by itself, and follows what the operator rewrites."""

from __future__ import annotations

import json
from pathlib import Path

import normal
import project
import pytest
import recorded
import routes
from some import first

from kitgen.files import programs
from kitgen.kit.model import Export
from kitgen.render.outputs import render_output
from kitgen.text.yaml import JsonObject
from kitgen.workspace.kit import OpenedKit

CASES = project.exports()
TARGETS = sorted({target for target, _ in CASES})
WITH_PARAMS = [(target, component) for target, component in CASES if project.unit(target, component).params]
ACCOUNT = "system:serviceaccount:"
OTHER = "registry.example.com/other@sha256:" + 64 * "0"

each = pytest.mark.parametrize(("target", "component"), CASES)
each_with_params = pytest.mark.parametrize(("target", "component"), WITH_PARAMS)
needs_kustomize = pytest.mark.skipif(
    programs.find_kustomize() is None,
    reason="neither kustomize nor kubectl is on PATH: recorded results stand in",
)


@pytest.fixture(scope="session")
def exports(opened: OpenedKit) -> dict[str, dict[str, str]]:
    return {target: render_output("odh", [opened.plan(opened.target(target))]) for target in TARGETS}


def contract(target: str, component: str) -> Export:
    """Return where the operator looks for a component."""
    export = project.unit(target, component).context.settings.export
    assert export is not None
    return export


def params_file(target: str, component: str) -> str:
    return f"{contract(target, component).params}/params.env"


def folder_of(tree: dict[str, str], target: str, component: str) -> dict[str, str]:
    prefix = f"{contract(target, component).folder}/"
    return {path.removeprefix(prefix): text for path, text in tree.items() if path.startswith(prefix)}


def crds(tree: dict[str, str]) -> dict[str, str]:
    return {path: text for path, text in tree.items() if path.startswith("crds/")}


def is_first(exports: dict[str, dict[str, str]], target: str, component: str) -> bool:
    """Tell whether no target before exports the same CRDs: they take kustomize seconds, and once will do."""
    before = [each for each, of in CASES if of == component and each < target]
    own = crds(folder_of(exports[target], target, component))
    return all(crds(folder_of(exports[each], each, component)) != own for each in before)


@pytest.fixture
def alone(exports: dict[str, dict[str, str]], opened: OpenedKit, target: str, component: str) -> routes.Kit:
    """Take a component's folder out of the tree, as the operator does."""
    tree = folder_of(exports[target], target, component)
    if not is_first(exports, target, component):
        tree = without_crds(tree, target, component)
    return routes.Kit(name=f"export {target} {component}", opened=opened, tree=tree)


@pytest.fixture
def rewritten(alone: routes.Kit, target: str, component: str) -> routes.Kit:
    """Rewrite params.env, as the operator does; no parameter reaches a CRD, so they are left out."""
    file = params_file(target, component)
    text = "".join(f"{key}={value}\n" for key, value in other_params(params(alone.tree[file])).items())
    tree = {**without_crds(alone.tree, target, component), file: text}
    return routes.Kit(name=f"rewritten {target} {component}", opened=alone.opened, tree=tree)


def params(text: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in text.splitlines())


def is_image(key: str) -> bool:
    return key.endswith("-image")


def other_params(old: dict[str, str]) -> dict[str, str]:
    """Return what the operator rewrites: the images that it ships, and the namespace that it runs in."""
    new = {key: OTHER if is_image(key) else value for key, value in old.items()}
    return {**new, "namespace": "elsewhere"} if "namespace" in old else new


def without_crds(tree: dict[str, str], target: str, component: str) -> dict[str, str]:
    file = f"{contract(target, component).build}/kustomization.yaml"
    lines = tree[file].splitlines(keepends=True)
    text = "".join(line for line in lines if "../crds/" not in line)
    return {path: text if path == file else kept for path, kept in tree.items() if "crds/" not in path}


def want_alone(opened: OpenedKit, alone: routes.Kit, target: str, component: str) -> list[JsonObject]:
    bodies = routes.built(opened, target, component)
    return [body for body in bodies if crds(alone.tree) or body["kind"] != "CustomResourceDefinition"]


def want_rewritten(opened: OpenedKit, kit: routes.Kit, target: str, component: str) -> list[JsonObject]:
    old = params(kit.tree[params_file(target, component)])
    bodies = (follow(body, old) for body in routes.built(opened, target, component))
    return hashless(
        [body for body in bodies if body["kind"] != "CustomResourceDefinition"], target, component
    )


def follow(body: JsonObject, old: dict[str, str]) -> JsonObject:
    """Return an object as it should be with other parameters."""
    text = json.dumps(body)
    for image in sorted((value for key, value in old.items() if is_image(key)), key=len, reverse=True):
        text = text.replace(image, OTHER)
    if body["kind"] == "SecurityContextConstraints" and "namespace" in old:
        text = text.replace(f"{ACCOUNT}{old['namespace']}:", f"{ACCOUNT}elsewhere:")
    made: JsonObject = json.loads(text)
    if body["kind"] == "ConfigMap" and body["data"] == old:
        made["data"] = other_params(old)
    return made


def hashless(bodies: list[JsonObject], target: str, component: str) -> list[JsonObject]:
    """Cut the hash of its content off the name of a generated ConfigMap."""
    made = project.unit(target, component).params
    for body in bodies:
        name, _, end = body["metadata"]["name"].rpartition("-")
        if body["kind"] == "ConfigMap" and made and made.hashed and end and name == made.config_map:
            body["metadata"]["name"] = name
    return bodies


@each
def test_the_contract_is_kept(alone: routes.Kit, target: str, component: str) -> None:
    made = project.unit(target, component).params
    assert f"{contract(target, component).build}/kustomization.yaml" in alone.tree
    assert (params_file(target, component) in alone.tree) == (made is not None)
    if made:
        assert params(alone.tree[params_file(target, component)]) == made.data


@each
def test_no_path_leaves_the_folder(alone: routes.Kit) -> None:
    for path, text in alone.tree.items():
        if path.endswith("kustomization.yaml"):
            assert all(line.count("../") <= path.count("/") for line in text.splitlines())


def test_every_crd_is_built_once_at_least(exports: dict[str, dict[str, str]]) -> None:
    found = {text for tree in exports.values() for path, text in tree.items() if "/crds/" in path}
    first = [case for case in CASES if is_first(exports, *case)]
    built = {text for case in first for text in crds(folder_of(exports[case[0]], *case)).values()}
    assert found == built


@pytest.mark.kustomize
@needs_kustomize
@pytest.mark.parametrize(("target", "component"), first(CASES))
def test_a_folder_builds_alone(
    opened: OpenedKit, alone: routes.Kit, tmp_path: Path, target: str, component: str, record: bool
) -> None:
    got = routes.kustomized(routes.written(alone.tree, tmp_path) / contract(target, component).build)
    if record:
        routes.keep(alone, contract(target, component).build, got)
    want = want_alone(opened, alone, target, component)
    assert normal.differing(normal.by_key(got), normal.by_key(want)) == []


@pytest.mark.parametrize(("target", "component"), first(CASES, 2))
def test_a_folder_once_built_alone(opened: OpenedKit, alone: routes.Kit, target: str, component: str) -> None:
    routes.assert_recorded(
        alone, contract(target, component).build, want_alone(opened, alone, target, component)
    )


@pytest.mark.kustomize
@needs_kustomize
@pytest.mark.parametrize(("target", "component"), first(WITH_PARAMS, 2))
def test_what_the_operator_rewrites_is_followed(
    opened: OpenedKit,
    alone: routes.Kit,
    rewritten: routes.Kit,
    tmp_path: Path,
    target: str,
    component: str,
    record: bool,
) -> None:
    got = routes.kustomized(routes.written(rewritten.tree, tmp_path) / contract(target, component).build)
    got = hashless(got, target, component)
    if record:
        routes.keep(rewritten, contract(target, component).build, got)
    want = want_rewritten(opened, alone, target, component)
    assert normal.differing(normal.by_key(got), normal.by_key(want)) == []


@each_with_params
def test_what_the_operator_rewrites_was_once_followed(
    opened: OpenedKit, alone: routes.Kit, rewritten: routes.Kit, target: str, component: str
) -> None:
    want = want_rewritten(opened, alone, target, component)
    routes.assert_recorded(rewritten, contract(target, component).build, want)


@each_with_params
def test_other_parameters_make_other_objects(
    opened: OpenedKit, alone: routes.Kit, target: str, component: str
) -> None:
    """The comparisons above would hold as well if nothing followed and nothing was expected to."""
    text = json.dumps(want_rewritten(opened, alone, target, component))
    old = params(alone.tree[params_file(target, component)])
    images = [value for key, value in old.items() if is_image(key)]
    assert (OTHER in text) == bool(images)
    assert [image for image in images if image in text] == []
    bodies = routes.built(opened, target, component)
    named = json.dumps([body for body in bodies if body["kind"] == "SecurityContextConstraints"])
    assert (f"{ACCOUNT}elsewhere:" in text) == ("namespace" in old and ACCOUNT in named)


def test_nothing_is_recorded_that_is_not_exported(record: bool) -> None:
    known = {f"export {target} {name} {contract(target, name).build}" for target, name in CASES}
    known |= {f"rewritten {target} {name} {contract(target, name).build}" for target, name in WITH_PARAMS}
    assert recorded.strangers(known, ("export ", "rewritten "), forget=record) == []
