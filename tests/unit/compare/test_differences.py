"""Whatever is different is told, in words or as it is, and once."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kitgen.compare.crds.compare import compare_crds
from kitgen.compare.objects.compare import compare_object_sets
from kitgen.compare.report.differences import as_text
from kitgen.crd.definition import check_crd_shape
from kitgen.findings import Origin

KEYWORDS = (
    "maxLength",
    "example",
    "title",
    "nullable",
    "format",
    "x-unheard-of",
    "pattern",
    "default",
    "type",
)
VALUES = (3, "text", True, {"a": 1}, ["a"])


def crd(*fields: str) -> Any:
    """Return a CRD with fields that hold one another."""
    below: Any = {"type": "string"}
    for name in reversed(fields):
        below = {"type": "object", "required": [name], "properties": {name: below, "b": {"type": "string"}}}
        below["properties"]["list"] = {"type": "array", "items": {"type": "object", "properties": {}}}
        below["properties"]["map"] = {"type": "object", "additionalProperties": {"type": "string"}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": below}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "as.example.com"},
        "spec": {
            "group": "example.com",
            "names": {"kind": "A", "plural": "as"},
            "scope": "Namespaced",
            "versions": [version],
        },
    }


def schemas(value: Any) -> list[Any]:
    """Return every schema in a schema, itself included."""
    inner = [*value.get("properties", {}).values()]
    inner += [value[key] for key in ("items", "additionalProperties") if key in value]
    return [value, *(each for one in inner for each in schemas(one))]


def told(left: Any, right: Any) -> tuple[int, list[str]]:
    found = compare_object_sets([left], [right])
    sound = not list(check_crd_shape(right, Origin("")))  # or it has no words
    changes = {"as.example.com": compare_crds([left], [right])} if sound else {}
    text = as_text(found, [None] * len(found.differences), changes, lambda _: None)
    return len(found.differences), text.splitlines()[1:]


@given(st.lists(st.sampled_from(["a", "spec", "c.d", "e"]), min_size=1, max_size=4), st.data())
def test_no_keyword_of_a_schema_is_silent(names: list[str], data: st.DataObject) -> None:
    left = crd(*names)
    right = copy.deepcopy(left)
    places = schemas(right["spec"]["versions"][0]["schema"]["openAPIV3Schema"])
    changed = data.draw(st.integers(1, 3))
    for _ in range(changed):
        keyword, value = data.draw(st.sampled_from(KEYWORDS)), data.draw(st.sampled_from(VALUES))
        data.draw(st.sampled_from(places))[keyword] = value
    count, lines = told(left, right)
    assert bool(lines) == bool(count)
    fields = {each.path[:-1] for each in compare_object_sets([left], [right]).differences}
    assert len(lines) >= len(fields)


def test_words_stand_for_what_they_tell_and_all_else_is_shown() -> None:
    left = crd("spec", "a")
    right = copy.deepcopy(left)
    schema = right["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    schema["properties"]["spec"]["properties"]["fresh"] = {"type": "string"}
    assert told(left, right) == (1, ["  v1 .spec.fresh: string is new"])
    schema["properties"]["b"] |= {"maxLength": 3, "example": "x"}
    count, lines = told(left, right)
    assert count == 3
    place = "  spec.versions[v1].schema.openAPIV3Schema.properties.b"
    assert lines == [
        f'{place}.example: only the real thing has "x"',
        f"{place}.maxLength: only the real thing has 3",
        "  v1 .b: maxLength was none, now 3",
        "  v1 .spec.fresh: string is new",
    ]


def test_a_change_that_many_crds_share_is_told_of_each() -> None:
    schema = {"type": "object", "required": ["b"]}
    left, right = crd("spec"), crd("spec")
    right["spec"]["versions"][0]["schema"]["openAPIV3Schema"] |= schema
    count, lines = told(left, right)
    assert count == 1
    assert lines == [
        "  v1 .b: was optional, now required, and has no default",
        "  v1 .spec: was required, now optional",
    ]
