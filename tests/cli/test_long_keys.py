"""Keys so long that no reader looks for their colon: every command writes them so that they are read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from running import run

LONG = "k" * 1100
THING = {"kind": "Thing", "apiVersion": "other.example.org/v1", "metadata": {"name": "thing"}}
CRD = "CustomResourceDefinition"


@pytest.fixture
def tree(kit: Path, small_trees: dict[str, str]) -> list[Any]:
    """Write what the kit builds beside it, with long keys wherever they may stand."""
    objects = [each for each in yaml.safe_load_all(small_trees["own"]) if each]
    for crd in (each for each in objects if each["kind"] == CRD):
        crd["spec"][LONG] = {}
        crd["metadata"]["annotations"] = {LONG: "a"}
        for version in crd["spec"]["versions"]:
            version[LONG] = [{LONG: {}}]
            fields = version["schema"]["openAPIV3Schema"]["properties"]
            fields[LONG] = {"type": "object", "default": {}, "properties": {LONG: {"type": "string"}}}
    objects.append({**THING, "spec": {LONG: {"a": [{LONG: {}}, {LONG: "b"}]}}})
    (kit.parent / "own.yaml").write_text(yaml.safe_dump_all(objects))
    (kit.parent / "crds.yaml").write_text(yaml.safe_dump_all(each for each in objects if each["kind"] == CRD))
    return objects


def schemas(text: str) -> list[Any]:
    """Return the schemas of the CRDs in a text."""
    crds = [each for each in yaml.safe_load_all(text) if each and each["kind"] == CRD]
    return [version["schema"] for crd in crds for version in crd["spec"]["versions"]]


def test_declarations(tree: list[Any]) -> None:
    outline = run("crd", "outline", "../crds.yaml")
    assert (outline.code, LONG in outline.out) == (0, True)
    done = run("crd", "import", "../crds.yaml", "--component", "bye", "--version", "v1.0.0")
    assert done.code == 0, done.err
    assert schemas(run("build", "component:bye@v1.0.0").out) == schemas(yaml.safe_dump_all(tree)) != []


@pytest.mark.parametrize("more", [[], ["--from", "none"]])
def test_imported_specs(tree: list[Any], more: list[str]) -> None:
    done = run("import", "../own.yaml", "--as", "hello@v1.1.0", *more)
    assert "kitgen failed" not in done.err
    built = run("build", "component:hello@v1.1.0").out
    things = [each["spec"] for each in yaml.safe_load_all(built) if each["kind"] == "Thing"]
    assert things == [tree[-1]["spec"]]
    assert schemas(built) == schemas(yaml.safe_dump_all(tree))
    shown = yaml.safe_load(run("show", "hello@v1.1.0").out)
    assert LONG in str(shown["objects"])
    if not more:
        assert run("flatten", "hello@v1.1.0").code == 0
        assert run("build", "component:hello@v1.1.0").out == built


@pytest.mark.parametrize("form", ["text", "unified", "json", "markdown"])
def test_what_is_compared(tree: list[Any], form: str) -> None:
    done = run("diff", "component:hello@v1.0.0", "../own.yaml", "-o", form)
    assert (done.code, "kitgen failed" in done.err) == (1, False), done.err
