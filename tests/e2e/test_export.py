"""The tree for the ODH operator: each folder stands by itself, and follows what the operator rewrites."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import normal
import pytest
import routes

from kitgen import tools
from kitgen.emit import export_tree
from kitgen.pipeline import Opened
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

pytestmark = pytest.mark.parametrize(("target", "component"), CASES)
needs_kustomize = pytest.mark.skipif(
    tools.kustomize() is None, reason="neither kustomize nor kubectl is on PATH"
)


@pytest.fixture(scope="session")
def exports(opened: Opened, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    found = {}
    for target in ("odh", "rhoai"):
        tree = export_tree(opened.session, opened.plan(opened.target(target)))
        found[target] = routes.written(tree, tmp_path_factory.mktemp(target))
    return found


@pytest.fixture
def alone(exports: dict[str, Path], target: str, component: str, tmp_path: Path) -> Path:
    """Copy a component's folder elsewhere, as the operator does."""
    return Path(shutil.copytree(exports[target] / CONTRACT[component][0], tmp_path / "alone"))


def params(file: Path) -> dict[str, str]:
    return dict(line.split("=", 1) for line in file.read_text().splitlines())


def test_the_contract_is_kept(alone: Path, component: str) -> None:
    _, built, file, keys = CONTRACT[component]
    assert (alone / built / "kustomization.yaml").is_file()
    assert list(params(alone / file)) == keys


def test_no_path_leaves_the_folder(alone: Path) -> None:
    for file in alone.rglob("kustomization.yaml"):
        depth = len(file.relative_to(alone).parts) - 1
        assert all(line.count("../") <= depth for line in file.read_text().splitlines())


@pytest.mark.kustomize
@needs_kustomize
def test_a_folder_builds_alone(
    opened: Opened, exports: dict[str, Path], alone: Path, target: str, component: str
) -> None:
    folder, path, _, _ = CONTRACT[component]
    got = routes.built(opened, target, component)
    if target == "rhoai":
        # Its CRDs are those of odh, file by file: build them once, they take kustomize seconds.
        assert texts(alone / "crds") == texts(exports["odh"] / folder / "crds")
        without_crds(alone / path / "kustomization.yaml")
        got = [body for body in got if body["kind"] != "CustomResourceDefinition"]
    want = routes.kustomized(alone / path)
    assert normal.differing(normal.digests(got), normal.digests(want)) == []


def texts(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*.yaml")}


@pytest.mark.kustomize
@needs_kustomize
def test_what_the_operator_rewrites_is_followed(
    opened: Opened, alone: Path, target: str, component: str
) -> None:
    _, built, file, _ = CONTRACT[component]
    old = params(alone / file)
    new = {key: "elsewhere" if key == "namespace" else OTHER for key in old}
    (alone / file).write_text("".join(f"{key}={value}\n" for key, value in new.items()))
    without_crds(alone / built / "kustomization.yaml")
    got = routes.kustomized(alone / built)
    image = next(value for key, value in old.items() if key.endswith("-image"))
    assert image not in json.dumps(got)
    want = [follow(body, image, old, new) for body in routes.built(opened, target, component)]
    want = [body for body in want if body["kind"] != "CustomResourceDefinition"]
    assert normal.differing(hashless(got), hashless(want)) == []


def without_crds(file: Path) -> None:
    """Leave out what no parameter reaches and what takes kustomize seconds to build."""
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(line for line in lines if "../crds/" not in line))


def follow(body: JsonObject, image: str, old: dict[str, str], new: dict[str, str]) -> JsonObject:
    """Return an object as it should be with the new parameters."""
    text = json.dumps(body).replace(image, OTHER)
    if body["kind"] == "SecurityContextConstraints":
        text = text.replace(f"system:serviceaccount:{old['namespace']}:", "system:serviceaccount:elsewhere:")
    made: JsonObject = json.loads(text)
    if body["kind"] == "ConfigMap" and body["data"] == old:
        made["data"] = new
    return made


def hashless(bodies: list[JsonObject]) -> dict[str, str]:
    """Return digests in which a generated ConfigMap has no hash of its content in its name."""
    for body in bodies:
        if body["kind"] == "ConfigMap" and body["metadata"]["name"].startswith(("ray-", "kueue-rhoai-")):
            body["metadata"]["name"] = body["metadata"]["name"].rpartition("-")[0]
    return normal.digests(bodies)
