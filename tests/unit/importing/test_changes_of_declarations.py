"""Changes from one declaration of a CRD to the next: exact when they are made, and short."""

from __future__ import annotations

from itertools import permutations, product

import pytest
from declared import declaration, expanded, spec
from hypothesis import given
from hypothesis import strategies as st
from small_crd import STRING, obj
from some import rows
from strategies import NAMES, SCHEMAS, TYPES
from strategies import changed as schema_changed

from kitgen.crd import format as layout
from kitgen.findings import Origin
from kitgen.importing.crd_changes import ValueNumbers, apply_changes, build_changes
from kitgen.kit.file_changes import is_change_file
from kitgen.text.schema_check import check_against_schema
from kitgen.text.yaml import Json, JsonObject, read_yaml
from kitgen.workspace.kit import OpenedKit

PATHS = st.sampled_from(
    ["a", "a.b", "a.b.c", "#default", "#required", "[]", "[].a", "{}", 'x."a.b"', "template.spec#type", "b"]
)


@st.composite
def named(draw: st.DrawFn) -> JsonObject:
    """Draw a named type or part with exceptions."""
    some = st.dictionaries(PATHS, st.sampled_from([STRING, {"type": "boolean"}]), min_size=1, max_size=3)
    parts = st.fixed_dictionaries(
        {},
        optional={
            "$remove": st.lists(PATHS, unique=True, min_size=1, max_size=3),
            "$set": some,
            "$add": some,
            "properties": st.dictionaries(NAMES, st.just(STRING), max_size=2),
            "default": st.sampled_from([1, 1.0, True, "a"]),
        },
    )
    base = draw(st.sampled_from([{"$type": TYPES[0]}, {"$type": TYPES[1]}, {"$use": "things/v1/spec"}]))
    return {**base, **draw(parts)}


NODES = st.dictionaries(st.sampled_from("abc"), named() | SCHEMAS, max_size=3).map(obj) | named() | SCHEMAS
VERSIONS = st.fixed_dictionaries(
    {"storage": st.booleans()},
    optional={"columns": st.sampled_from(["v0", []]), "schema": NODES, "served": st.just(False)},
)


@st.composite
def declarations(draw: st.DrawFn) -> tuple[JsonObject, JsonObject]:
    """Draw two declarations of a kind, which are much alike or not at all."""
    names = ["v1", "v2", "v3"]
    heads = st.fixed_dictionaries(
        {"names": st.sampled_from([{"kind": "Thing"}, {"kind": "Thing", "shortNames": ["t"]}])},
        optional={"metadata": st.just({"labels": {"a": "b"}}), "types": st.just("others")},
    )
    old, new = ({"group": "example.dev", "scope": "Cluster", **draw(heads)} for _ in range(2))
    old["versions"] = draw(st.dictionaries(st.sampled_from(names), VERSIONS, min_size=1))
    after = {name: version for name, version in old["versions"].items() if draw(st.integers(0, 9))}
    for name, version in after.items():
        if "schema" in version and "$type" not in version["schema"]:
            after[name] = {**version, "schema": draw(schema_changed(version["schema"]))}
        elif draw(st.booleans()):
            after[name] = draw(VERSIONS)
    more = {name: draw(VERSIONS) for name in names if name not in old["versions"] and draw(st.booleans())}
    return old, {**new, "versions": {**after, **more}}


def same(one: Json, other: Json) -> bool:
    return ValueNumbers().is_equal(one, other)


def made(old: JsonObject, new: JsonObject) -> JsonObject | None:
    """Return the changes, which have to make the newer one in text, too."""
    found = build_changes(old, new, "crd")
    if found is not None:
        text = layout.render_declaration(found)
        assert is_change_file(read_yaml(text))
        assert same(apply_changes(old, read_yaml(text), "crd"), new)
    return found


@given(declarations())
def test_changes_make_the_newer_declaration_of_the_older(both: tuple[JsonObject, JsonObject]) -> None:
    old, new = both
    found = made(old, new)
    assert (found is None) == (same(old, new))


@given(named(), named())
def test_a_named_type_takes_its_exceptions_or_is_set(one: JsonObject, other: JsonObject) -> None:
    found = made(spec(one), spec(other))
    assert (found is None) == (same(one, other))


@pytest.mark.exhaustive
def test_the_kits_own_declarations_change_into_each_other(opened: OpenedKit) -> None:
    tried = 0
    for versions in opened.kit.components.values():
        files = [data for version in versions.values() for _, data in version.crds]
        for old, new in permutations(files, 2):
            found = made(old, new)
            alike = [*old["versions"]] == [*new["versions"]]
            assert found is not None or not alike or same(old, new)
            tried += 1
    assert tried


def test_a_change_that_is_made_by_hand_is_found_again(opened: OpenedKit) -> None:
    every = [version for each in opened.kit.components.values() for version in each.values()]
    files = [data for version in every for _, data in version.crds]
    for data in files:
        name = next(iter(data["versions"]))
        change: JsonObject = {"$add": {f"{name}/brandNew": STRING, f"{name}#deprecated": True}}
        new = apply_changes(data, change, "crd")
        assert new is not None
        assert made(data, new) == change


OLD = obj(
    {
        "count": {"type": "integer", "maximum": 3, "nullable": True},
        "list": {"type": "array", "items": obj({"a": STRING, "b": STRING})},
        "map": {"type": "object", "additionalProperties": obj({"a": STRING})},
        "pod": {"$type": "core/v1.PodSpec", "$remove": ["containers"], "$set": {"hostname": STRING}},
        "empty": {"type": "object"},
        "a.b": STRING,
    }
)
CASES: list[tuple[str, Json, Json]] = [
    ("count", {"type": "integer", "maximum": 5, "nullable": True}, {"$set": {"v1/spec.count#maximum": 5}}),
    ("count", {"type": "integer", "nullable": True}, {"$remove": ["v1/spec.count#maximum"]}),
    ("count", None, {"$remove": ["v1/spec.count"]}),
    ("count", STRING, {"$set": {"v1/spec.count": STRING}}),
    ("a.b", None, {"$remove": ['v1/spec."a.b"']}),
    ("new", STRING, {"$add": {"v1/spec.new": STRING}}),
    ("empty", obj({"a": STRING}), {"$add": {"v1/spec.empty.a": STRING}}),
    (
        "list",
        {"type": "array", "items": obj({"a": STRING, "b": STRING, "c": STRING})},
        {"$add": {"v1/spec.list[].c": STRING}},
    ),
    ("map", {"type": "object", "additionalProperties": STRING}, {"$set": {"v1/spec.map{}": STRING}}),
    ("map", {"type": "object", "additionalProperties": obj()}, {"$remove": ["v1/spec.map{}#properties"]}),
    (
        "pod",
        {"$type": "core/v1.PodSpec", "$remove": ["volumes", "containers"], "$set": {"hostname": STRING}},
        {"$remove": ["v1/spec.pod.volumes"]},
    ),
    (
        "pod",
        {"$type": "core/v1.PodSpec", "$remove": ["containers"]},
        {"$remove": ["v1/spec.pod#$set"]},
    ),
    ("pod", {"$type": "core/v1.PodSpec"}, {"$set": {"v1/spec.pod": {"$type": "core/v1.PodSpec"}}}),
]  # fmt: skip


@rows(("field", "schema", "expected"), CASES)
def test_a_change_is_said_where_it_is(field: str, schema: Json, expected: Json) -> None:
    fields = {**OLD["properties"], field: schema}
    new = obj({name: each for name, each in fields.items() if each is not None})
    assert made(spec(OLD), spec(new)) == expected


def test_a_schema_that_is_new_all_over_is_set() -> None:
    new = obj({f"other{index}": STRING for index in range(3)})
    assert made(spec(OLD), spec(new)) == {"$set": {"v1/spec": new}}


def test_versions_come_and_go() -> None:
    old = declaration()
    one, two = old["versions"]["v1"], {"served": False, "schema": {"$use": "things/v1"}}
    assert made(old, {**old, "versions": {"v1": one, "v2": two}}) == {"$add": {"v2": two}}
    both = {**old, "versions": {"v1": two, "v2": one}}
    assert made(both, {**old, "versions": {"v2": one}}) == {"$remove": ["v1"]}


def test_a_version_before_others_cannot_be_added() -> None:
    old = declaration()
    assert made(old, {**old, "versions": {"v0": {"served": False}, **old["versions"]}}) is None


@rows(("one", "other"), [*permutations([1, 1.0, True], 2)])
def test_numbers_and_truth_are_told_apart(one: Json, other: Json) -> None:
    old, new = (
        spec({"x-kubernetes-preserve-unknown-fields": True, "default": each}) for each in (one, other)
    )
    assert made(old, new) == {"$set": {"v1/spec#default": other}}


def test_the_newer_crd_is_what_comes_out() -> None:
    types = ["core/v1.PodTemplateSpec", "core/v1.PodSpec"]
    for name, removed in product(types, (["metadata"], ["#required"], ["spec.volumes"])):
        old = spec(obj({"template": {"$type": types[0], "$remove": ["metadata"]}}))
        new = spec(obj({"template": {"$type": name, "$remove": removed}, "more": STRING}))
        found = made(old, new)
        assert found is not None
        assert not [*check_against_schema("crd", found, Origin("crds/things.yaml"))]
        whole = apply_changes(old, found, "crd")
        assert whole is not None
        assert expanded(whole).bodies == expanded(new).bodies
