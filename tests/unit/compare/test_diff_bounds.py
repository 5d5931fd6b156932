"""Comparing takes linear time, whatever the CRDs hold; what it does without is a guess."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from small_crd import STRING, crd, crd_of, obj, version

from kitgen.compare.change import Change
from kitgen.compare.crds.compare import compare_crds
from kitgen.findings import Cause, CauseKind, Origin
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.render.overlays.json_patch import build_operations
from kitgen.text.yaml import JsonObject


def objects(end: str) -> JsonObject:
    fields = {f"field{number}{end}": STRING for number in range(60)}
    return crd_of(obj({f"o{number}": obj(dict(fields)) for number in range(400)}))


def cel(end: str) -> JsonObject:
    rules = [{"rule": f"self != '{end}{number}'"} for number in range(800)]
    return crd_of(obj({"a": {"type": "string", "x-kubernetes-validations": rules}}))


def within(seconds: float, old: JsonObject, new: JsonObject) -> tuple[Change, ...]:
    before = time.process_time()
    found = compare_crds([old], [new])
    assert time.process_time() - before < seconds
    return found


@pytest.mark.parametrize(
    ("make", "count"),
    [
        (lambda end: crd_of(obj({f"{'aB' * 200}{number}{end}": STRING for number in range(90)})), 180),
        (
            lambda end: crd_of(obj({"a": {"type": "string", "enum": [f"{end}{n}" for n in range(5_000)]}})),
            10_000,
        ),
        (cel, 1_600),
        (lambda end: crd(*(version(f"v{n + 1}{end}", storage=not n) for n in range(1_500))), 3_002),
    ],
    ids=["long names", "enums", "rules", "versions"],
)
def test_time_is_linear(make: Callable[[str], JsonObject], count: int) -> None:
    found = within(5, make("alpha1"), make("beta1"))
    assert len(found) == count
    assert sum(len(each.message) for each in found) < 10_000_000


@pytest.mark.exhaustive
def test_many_renamed_fields_are_not_all_guessed() -> None:
    assert within(10, objects("a"), objects("b"))


def test_a_rename_is_still_guessed() -> None:
    old, new = (crd_of(obj({name: STRING})) for name in ("replicaCount", "replicasCount"))
    assert "is it now called 'replicasCount'?" in [each.hint for each in within(1, old, new)]


def test_of_many_values_the_first_are_named() -> None:
    old, new = ({"type": "string", "enum": [str(n) for n in range(size)]} for size in (101, 100))
    (found,) = within(1, crd_of(obj({"a": old})), crd_of(obj({"a": new})))
    assert found.message.startswith('"100" is gone, now one of "0", "1", ')
    assert found.message.endswith('"49" and 50 more')


def test_values_that_are_all_others_are_listed_once() -> None:
    old, new = ({"type": "string", "enum": [f"{name}{n}" for n in range(50_000)]} for name in "ab")
    assert len(within(5, crd_of(obj({"a": old})), crd_of(obj({"a": new})))) == 100_000


def test_a_long_list_is_replaced_as_a_whole() -> None:
    whole = FieldSource(path=(), cause=Cause(CauseKind.OBJECTS), origin=Origin("a"))
    old, new = (Manifest(body={"args": ["a"] * 20_000 + [end]}, sources=(whole,)) for end in ("b", "c"))
    before = time.process_time()
    (found,) = build_operations(old, new)
    assert time.process_time() - before < 5
    assert (found.data["op"], found.data["path"], len(found.data["value"])) == ("replace", "/args", 20_001)
