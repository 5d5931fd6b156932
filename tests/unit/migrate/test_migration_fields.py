"""Fields that a migration names are held to both schemas, to each other, and to all that there is."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from moving import moved_field
from msgspec.structs import replace
from small_crd import STRING, crd, obj, version
from some import rows

from kitgen.findings import Finding, Origin, Severity, format_pointer
from kitgen.kit.model.migration import KindName, MovedField, MovedKind
from kitgen.kube.manifest import Manifest
from kitgen.migrate.kinds import MovingKind, ServedKind
from kitgen.migrate.resources.schemas import find_field
from kitgen.migrate.rules.fields import check_moved_fields

ORIGIN = Origin("migrations/move.yaml", ("kinds", 0))
INTEGER, ANY = {"type": "integer"}, {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
OLD = obj(
    {
        "text": STRING,
        "size": INTEGER,
        "items": {"type": "array", "items": obj({"name": STRING, "size": INTEGER})},
        "inner": obj({"a": STRING, "b": STRING}),
        "labels": {"type": "object", "additionalProperties": STRING},
        "any": ANY,
        "object": {**ANY, "properties": {"known": STRING}},
        "embedded": {"type": "object", "x-kubernetes-embedded-resource": True},
        "port": {"x-kubernetes-int-or-string": True},
        "bare": {"x-kubernetes-preserve-unknown-fields": True},
        "closed": {"type": "object"},
    }
)
NEW = obj(
    {
        "words": STRING,
        "number": {"type": "number"},
        "lines": {"type": "array", "items": obj({"title": STRING, "size": INTEGER})},
        "inner": obj({"a": STRING, "b": STRING}),
        "any": ANY,
    }
)
REST = moved_field("spec", lost="nobody needs it")


def moving(*fields: MovedField, old: Any = OLD, new: Any = NEW) -> MovingKind:
    names = [KindName("example.com", "v1", "Widget"), KindName("new.example.org", "v1", "Widget")]
    said = tuple(replace(each, origin=ORIGIN.at("fields", at)) for at, each in enumerate(fields))
    kind = MovedKind(before=names[0], after=names[1], fields=said, origin=ORIGIN)
    bodies = [
        crd(version("v1", spec), group=name.group) for spec, name in zip((old, new), names, strict=True)
    ]
    sides = [
        ServedKind(name=name, crd=Manifest(body=each, sources=()))
        for name, each in zip(names, bodies, strict=True)
    ]
    return MovingKind(said=kind, old=sides[0], new=sides[1])


def found(*fields: MovedField, **specs: Any) -> list[Finding]:
    return [*check_moved_fields([moving(*fields, **specs)])]


def lost(field: str, **more: Any) -> MovedField:
    return moved_field(field, lost="nobody needs it", **more)


@rows(
    "field",
    [
        *("spec.text", "spec.items", "spec.items[]", "spec.items[].name", "spec.inner.a", "spec.labels.a"),
        *("spec.any.a.b[].c", "spec.object.known", "spec.object.other.a", "spec.embedded.spec.a"),
        *("spec.bare[].a", "spec.bare.a", "spec.port"),
    ],
)
def test_what_the_old_schema_takes_is_fine(field: str) -> None:
    assert found(lost(field), REST) == []


@rows(
    ("field", "message", "hint"),
    [
        ("spec.txt", "expected a field that example.com/v1/Widget has", "did you mean 'text'?"),
        ("spec.items[].nmae", "expected a field that example.com/v1/Widget has", "did you mean 'name'?"),
        ("spec.inner.zzz", "expected a field that example.com/v1/Widget has", "spec.inner has a and b"),
        ("spec.closed.a", "expected a field that example.com/v1/Widget has", "spec.closed has none"),
        ("spec.text[]", "expected spec.text, because spec.text is a string", ""),
        ("spec.inner[].a", "expected spec.inner.a, because spec.inner is a mapping", ""),
        ("spec.any[].a", "expected spec.any.a, because spec.any is a mapping", ""),
        ("spec.items.name", "expected spec.items[].name, because spec.items is a list", ""),
        ("spec.text.a", "expected spec.text alone, because spec.text is a string", ""),
        ("spec.labels.a.b", "expected spec.labels.a alone, because spec.labels.a is a string", ""),
        ("spec.port.a", "expected spec.port alone, because spec.port is a number or a string", ""),
        ("status.state", "expected a field of the spec", "name, labels"),
        ("metadata.labels", "expected a field of the spec", "name, labels"),
    ],
)
def test_what_the_old_schema_lacks_is_told(field: str, message: str, hint: str) -> None:
    (one,) = found(lost(field), REST)
    assert (one.rule.id, one.severity, format_pointer(one.origin.path)) == (
        "migration-mapping",
        Severity.ERROR,
        "/kinds/0/fields/0/from",
    )
    assert one.message == f"found {field}, {message}"
    assert one.hint.startswith(hint)


@rows(
    ("field", "to"),
    [
        *(
            ("spec.text", "spec.words"),
            ("spec.items[].name", "spec.lines[].title"),
            ("spec.size", "spec.number"),
        ),
        *(("spec.inner", "spec.inner"), ("spec.text", "spec.any.text[].a"), ("spec.any", "spec.inner")),
        *(("spec.port", "spec.words"), ("spec.bare", "spec.words")),
    ],
)
def test_what_the_new_schema_takes_is_fine(field: str, to: str) -> None:
    assert found(moved_field(field, to=to), REST) == []


@rows(
    ("field", "to", "message"),
    [
        ("spec.text", "spec.word", "found spec.word, expected a field that new.example.org/v1/Widget has"),
        ("spec.text", "spec.words[]", "found spec.words[], expected spec.words, because"),
        (
            "spec.items[].name",
            "spec.lines.title",
            "found spec.lines.title, expected spec.lines[].title, because",
        ),
        ("spec.text", "metadata.name", "found metadata.name, expected a field of the spec"),
        ("spec.text", "spec.lines", "found a string that goes to spec.lines, expected a list"),
        ("spec.inner", "spec.words", "found a mapping that goes to spec.words, expected a string"),
    ],
)
def test_what_the_new_schema_lacks_is_told(field: str, to: str, message: str) -> None:
    (one,) = found(moved_field(field, to=to), REST)
    assert (one.rule.id, format_pointer(one.origin.path)) == ("migration-mapping", "/kinds/0/fields/0/to")
    assert one.message.startswith(message)


@rows(
    ("fields", "message"),
    [
        ([lost("spec.text"), lost("spec.text")], "found spec.text a second time, expected it once"),
        (
            [moved_field("spec.text", to="spec.words"), moved_field("spec.inner.a", to="spec.words")],
            "found spec.words, where spec.text goes already",
        ),
        (
            [moved_field("spec.inner", to="spec.inner"), moved_field("spec.text", to="spec.inner.a")],
            "found spec.inner.a, where spec.inner.a goes already",
        ),
        (
            [moved_field("spec.inner", to="spec.inner"), moved_field("spec.inner.a", to="spec.inner.b")],
            "found spec.inner.b, where spec.inner.b goes already",
        ),
        (
            [moved_field("spec.items", to="spec.lines"), moved_field("spec.text", to="spec.lines[].title")],
            "found spec.lines[].title, which is within the list that spec.items goes to as a whole",
        ),
    ],
)
def test_two_for_one_place_are_told(fields: list[MovedField], message: str) -> None:
    for some in (fields, fields[::-1]):
        told = [each for each in found(*some, REST) if each.rule.id == "migration-mapping"]
        assert len(told) == 1
    assert message in [each.message for each in found(*fields, REST)]


@rows(
    "fields",
    [
        [moved_field("spec.any", to="spec.any"), moved_field("spec.text", to="spec.any.text")],
        [moved_field("spec.any", to="spec.inner"), moved_field("spec.text", to="spec.inner.a")],
        [
            moved_field("spec.items", to="spec.lines"),
            moved_field("spec.items[].name", to="spec.lines[].title"),
        ],
        [
            moved_field("spec.inner", to="spec.inner"),
            moved_field("spec.inner.a", to="spec.words"),
            moved_field("spec.text", to="spec.inner.a"),
        ],
    ],
)
def test_a_place_below_another_one_may_be_free(fields: list[MovedField]) -> None:
    assert found(*fields, REST) == []


def test_fields_of_which_nothing_is_said_are_one_warning() -> None:
    (one,) = found(lost("spec.items[].name"), lost("spec.inner.a"), lost("spec.any.b"), lost("spec.text"))
    assert (one.rule.id, one.severity) == ("migration-unsaid", Severity.WARNING)
    assert format_pointer(one.origin.path) == "/kinds/0/fields"
    start = "found nothing said of spec.size, spec.items[].size, spec.inner.b, spec.labels, "
    assert one.message.startswith(start)
    assert "spec.closed, which example.com/v1/Widget has" in one.message
    assert found(lost("spec.text"), old=obj({"text": STRING})) == []
    assert found() == []


def test_an_old_crd_without_a_spec_has_none_of_its_fields() -> None:
    one = moving(lost("spec.text"))
    one.old.crd.body["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = {"type": "object"}
    (found_one,) = check_moved_fields([one])
    assert found_one.message == "found spec.text, expected a field that example.com/v1/Widget has"
    assert found_one.hint == "it has none"


def test_a_crd_that_keeps_everything_has_every_field() -> None:
    one = moving(lost("spec.zzz"), REST)
    spec = one.old.crd.body["spec"]
    spec["preserveUnknownFields"] = True
    assert [*check_moved_fields([one])] == []
    del spec["preserveUnknownFields"], spec["versions"][0]["schema"]
    assert [*check_moved_fields([one])] == []


KEYS = st.sampled_from(["type", "properties", "items", "additionalProperties", "a", "[]", "spec", *ANY])
SHAPES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["object", "array", "string", "a"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=15,
)


@given(SHAPES, st.lists(st.sampled_from(["a", "spec", "[]", "items"]), min_size=1, max_size=4))
def test_schemas_of_any_shape_are_taken(schema: Any, steps: list[str]) -> None:
    looked = find_field(schema, tuple(steps))
    assert not looked.missing or looked.expected
    fields = [
        lost("spec.a"),
        moved_field("spec.items[].a", to="spec.a[]"),
        moved_field("spec.a.b", to="spec"),
    ]
    assert all(each.message for each in found(*fields, old=schema, new=schema))
