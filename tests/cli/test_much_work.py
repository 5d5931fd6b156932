"""Input may be many times over what is honest: it is refused in a line, in time, whoever multiplies what."""

from __future__ import annotations

import time
from importlib import import_module
from pathlib import Path

import kits
import pytest
from running import Run, run

from kitgen.kit import manifests, spec_files
from kitgen.render import size
from kitgen.text.yaml import reader


@pytest.fixture
def kit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    kits.make_kit(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {0}}}\ndata: {{a: b}}\n"


@pytest.mark.parametrize("command", [["check"], ["crd", "validate"], ["crd", "outline"]], ids=" ".join)
def test_values_are_counted_over_all_files(
    kit: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.setattr(manifests, "MAX_VALUES", 50)
    kits.write(kit / "theirs", {f"{name}.yaml": MAP.format(name) for name in "abcdefghij"})
    found = run(*command, "theirs")
    assert found.code == 1
    told = "yaml-limit: found more values in this file and those before it than are read together"
    assert told in found.out + found.err


def test_names_on_one_command_line_count_together(kit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manifests, "MAX_TOTAL", 500)
    files = [f"{name}.yaml" for name in "abcdefghij"]
    kits.write(kit, {name: MAP.format(name[0]) for name in files})
    assert run("check", "-o", "lines", files[0]).code == 0
    for command in (["check", "-o", "lines"], ["crd", "validate", "-o", "lines"]):
        found = run(*command, *files)
        assert found.code == 1
        assert ": file-size: found more than" in found.out


def test_crds_and_objects_count_together(kit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    crds = run("build", "component:hello@v1.0.0").out
    crds += "---\n{apiVersion: example.com/v1, kind: Greeting, metadata: {name: a, namespace: b}}\n"
    kits.write(kit, {"crds.yaml": crds})
    assert run("crd", "validate", "-o", "lines", "crds.yaml", "--crds", "crds.yaml").code == 0
    monkeypatch.setattr(manifests, "MAX_TOTAL", len(crds) * 3 // 2)
    assert run("crd", "validate", "-o", "lines", "crds.yaml", "--crds", "crds.yaml").code == 1


def test_a_file_that_is_wrong_counts_too() -> None:
    values = reader.Values(10)
    with pytest.raises(reader.YamlError, match="second time"):
        reader.read_yaml_documents("a: 1\na: 2\n", values=values)
    assert values.left < 10


def test_values_are_counted_over_all_specs(kit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spec_files, "MAX_VALUES", 100)
    found = run("check", "-o", "lines")
    assert found.code == 1
    assert "yaml-limit: found more values in this file and those before it" in found.out


@pytest.mark.parametrize("command", [["check", "-o", "lines"], ["render"], ["build", "olm"]], ids=" ".join)
def test_what_targets_multiply_is_bounded(
    kit: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.setattr(size, "MAX_RENDERED", 10)
    monkeypatch.setattr(size, "PER_TARGET", 0)
    found = run(*command)
    assert found.code == 1
    assert (
        "kit.yaml:1: kit-size: the kit renders more than 10 values, expected at most that"
        in found.out + found.err
    )


CRD = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Thing, plural: things, singular: thing, listKind: ThingList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {list: {type: array, items: {ITEMS}}}
"""
THING = "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: t}\n"


@pytest.mark.parametrize("command", ["outline", "import", "diff", "validate"])
def test_a_crd_has_a_bound(kit: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setattr("kitgen.crd.definition.MAX_VALUES", 20)
    kits.write(kit, {"crd.yaml": CRD.replace("ITEMS", "type: integer")})
    more = {
        "import": ["--component", "other", "--version", "v1.0.0"],
        "diff": ["crd.yaml"],
        "validate": ["--crds", "crd.yaml"],
    }
    found = run("crd", command, "crd.yaml", *more.get(command, ()))
    assert found.code == 1
    assert "crd-shape: found a CRD with more than 20 values" in found.out + found.err


def test_changes_have_a_bound(kit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kitgen.compare.run.crd_diff.MAX_CHANGES", 0)
    kits.write(kit, {"a.yaml": CRD.replace("ITEMS", "type: integer")})
    kits.write(kit, {"b.yaml": CRD.replace("ITEMS", "type: string")})
    found = run("crd", "diff", "a.yaml", "b.yaml")
    assert (found.code, found.err) == (
        3,
        "error: found 1 changes, expected at most 0 (hint: compare some CRDs at a time)\n",
    )


@pytest.mark.parametrize(
    ("module", "bound", "command", "noun"),
    [
        ("kitgen.compare.crds.compare", "MAX_CHANGES", ("crd", "diff"), "changes of CRDs"),
        ("kitgen.compare.crds.compare", "MAX_CHANGES", ("diff",), "changes of CRDs"),
        ("kitgen.compare.review.review", "MAX_DIFFERENCES", ("diff",), "differences"),
        ("kitgen.compare.objects.compare", "MAX_DIFFERENCES", ("compare",), "differences"),
        ("kitgen.compare.drift", "MAX_DIFFERENCES", ("drift",), "differences"),
    ],
)
def test_what_is_found_has_a_bound(
    kit: Path, monkeypatch: pytest.MonkeyPatch, module: str, bound: str, command: tuple[str, ...], noun: str
) -> None:
    monkeypatch.setattr(import_module(module), bound, 0)
    kits.write(kit, {"a.yaml": CRD.replace("ITEMS", "type: integer")})
    kits.write(kit, {"b.yaml": CRD.replace("ITEMS", "type: string")})
    found = run(*command, "a.yaml", "b.yaml")
    assert (found.code, found.err) == (
        3,
        f"error: found more than 0 {noun} (hint: compare some objects at a time)\n",
    )


def test_a_long_name_does_not_fill_the_json(kit: Path) -> None:
    kits.write(kit, {"a.yaml": MAP.format("a" * 1_000_000)})
    found = run("check", "a.yaml", "--output", "json")
    assert (found.code, len(found.out) < 100_000) == (1, True)


def timed(*args: str) -> Run:
    before = time.process_time()
    found = run(*args)
    assert time.process_time() - before < 30
    return found


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("schema", "value", "code"),
    [
        ("type: integer, anyOf: [" + "{minimum: 9}, " * 30_000 + "{minimum: 1}]", "1", 1),
        ("type: integer, enum: [" + ", ".join(map(str, range(80_000, 0, -1))) + "]", "1", 0),
        (
            "type: object, properties: {"
            + ", ".join(f"p{n}: {{type: integer, default: 1}}" for n in range(30_000))
            + "}",
            "{}",
            1,
        ),
        ("type: integer, x-kubernetes-validations: [" + "{rule: self > 0}, " * 5_000 + "]", "1", 1),
    ],
    ids=["alternatives", "choices", "defaults", "rules"],
)
def test_what_a_crd_multiplies_is_bounded(kit: Path, schema: str, value: str, code: int) -> None:
    kits.write(kit, {"crd.yaml": CRD.replace("ITEMS", schema)})
    kits.write(kit, {"thing.yaml": f"{THING}list: [{', '.join([value] * 30_000)}]\n"})
    found = timed("crd", "validate", "--crds", "crd.yaml", "thing.yaml")
    assert found.code == code
    assert ("effort-limit" in found.out) is bool(code)


@pytest.mark.exhaustive
def test_dense_files_are_read_in_time(kit: Path) -> None:
    text = "".join(f"k{number}: v\n" for number in range(500_000))
    kits.write(kit / "theirs", {f"{number}.yaml": text for number in range(4)})
    assert timed("check", "theirs").code == 1
