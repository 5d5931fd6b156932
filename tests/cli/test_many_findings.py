"""However much is wrong, it takes linear time and bounded space, and nothing wrong passes for clean."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from running import Run, run

from kitgen.findings import (
    MAX_ERRORS,
    AcceptedException,
    Origin,
    apply_exceptions,
    check_stale_exceptions,
    rules_by_id,
)
from kitgen.report.text import SHOWN

pytestmark = pytest.mark.exhaustive

OBJECT = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c{0}}}\n{1}\n"
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
      openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {PROPERTIES}}}}
"""
THING = "---\napiVersion: example.com/v1\nkind: Thing\nmetadata: {{name: t}}\nspec: {{{0}}}\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def told(text: str, *command: str) -> Run:
    Path("a.yaml").write_text(text)
    before = time.process_time()
    found = run(*(command or ("check",)), "a.yaml", "-o", "lines")
    assert time.process_time() - before < 10
    return found


@pytest.mark.parametrize(
    "text",
    [
        lambda: "".join(OBJECT.format(number, "wrong: 1") for number in range(5_000)),
        lambda: OBJECT.format(0, "".join(f"k{number}: 1\n" for number in range(100_000))),
        lambda: OBJECT.format(0, "data:\n" + "".join(f"  k{number}: 1\n" for number in range(100_000))),
        lambda: "--- 1\n" * 100_000,
        lambda: f"apiVersion: v1\nkind: List\nitems: [{'1, ' * 100_000}]",
    ],
    ids=["documents", "keys", "values", "scalars", "items"],
)
def test_errors_are_looked_for_up_to_a_bound(text: Callable[[], str]) -> None:
    found = told(text())
    assert found.code == 1
    lines = found.out.splitlines()
    assert len(lines) <= SHOWN + 1
    assert "findings-limit" in found.out or "only the first error is told" in found.out


def test_what_was_not_looked_at_is_said() -> None:
    found = told("".join(OBJECT.format(number, "wrong: 1") for number in range(MAX_ERRORS + 1)))
    assert "findings-limit: found more than 1000 errors, and the rest was not looked at" in found.out
    just = told("".join(OBJECT.format(number, "wrong: 1") for number in range(MAX_ERRORS)))
    assert "findings-limit" not in just.out
    assert len(just.out.splitlines()) == MAX_ERRORS


def test_many_warnings_hide_no_error() -> None:
    text = "".join(
        f"---\napiVersion: a.b.c/v1\nkind: K\nmetadata: {{name: a{number}}}\n" for number in range(3_000)
    )
    text += OBJECT.format(0, "wrong: 1")
    found = told(text)
    assert found.code == 1
    assert "field-unknown" in found.out
    assert found.out.splitlines()[-1] == f"and {3_001 - SHOWN} more"
    assert len(json.loads(run("check", "a.yaml", "--output", "json").out)["findings"]) == 3_001


def test_a_name_without_end_does_not_fill_the_screen() -> None:
    found = told(OBJECT.format(0, "wrong: 1").replace("name: c0", f"name: {'c' * 1_000_000}"))
    assert found.code == 1
    assert len(found.out) < 10_000


@pytest.mark.parametrize(
    "text",
    [
        lambda: THING.format(", ".join(f"fiedl{number}: 1" for number in range(40_000))),
        lambda: THING.format(f"list: [{'1, ' * 40_000}]"),
        lambda: THING.format(f"set: [{'a, ' * 40_000}]"),
        lambda: THING.format("a: 1") * 5_000,
    ],
    ids=["keys", "items", "set", "objects"],
)
def test_custom_resources_too(text: Callable[[], str]) -> None:
    fields = ", ".join(f"field{number}: {{type: string}}" for number in range(5_000))
    lists = "list: {type: array, items: {type: string}}"
    sets = "set: {type: array, x-kubernetes-list-type: set, items: {type: string}}"
    Path("crd.yaml").write_text(CRD.replace("PROPERTIES", f"{fields}, {lists}, {sets}"))
    found = told(text(), "crd", "validate", "--crds", "crd.yaml")
    assert found.code == 1
    assert "findings-limit" in found.out
    assert len(found.out.splitlines()) <= SHOWN + 2


def test_many_exceptions_take_linear_time() -> None:
    items = [{"rule": "image-tag", "file": "a", "pointer": f"/{n}", "reason": "r"} for n in range(5_000)]
    exceptions = [AcceptedException(origin=Origin("kit.yaml"), **item) for item in items]
    rule = rules_by_id()["image-tag"]
    findings = [rule("m", (str(n),)).to_finding(Origin("a")) for n in range(2_500, 7_500)]
    before = time.process_time()
    assert sum(bool(each.accepted) for each in apply_exceptions(findings, exceptions)) == 2_500
    assert len(check_stale_exceptions(findings, exceptions)) == 2_500
    assert time.process_time() - before < 2
