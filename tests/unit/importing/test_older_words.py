"""A newer CRD in the words of the older declaration: never another CRD, and no word changed without need."""

from __future__ import annotations

from collections.abc import Sequence

from declared import MINOR, crd, declaration, expanded, plain, root, spec
from hypothesis import given
from hypothesis import strategies as st
from small_crd import STRING, obj
from some import few
from strategies import SMALL
from strategies import changed as schema_changed

from kitgen.crd.declaration import NOWHERE
from kitgen.crd.importer.importer import import_crds
from kitgen.importing.crd_changes import apply_changes, build_changes
from kitgen.importing.declaration_reuse import reuse_older_declarations
from kitgen.text.yaml import JsonObject, read_yaml

LONG = obj({f"field{index}": {"type": "integer", "minimum": index} for index in range(8)})
MORE = obj({**LONG["properties"], "more": STRING})


def kept(old: JsonObject, new: JsonObject) -> JsonObject:
    """Return a newer declaration in the older one's words."""
    (made,) = reuse_older_declarations([old], [new], expanded(new).bodies, MINOR, NOWHERE)
    assert plain([*expanded(made).bodies]) == plain([*expanded(new).bodies])
    return made


def declared(bodies: Sequence[JsonObject]) -> list[JsonObject]:
    return [read_yaml(each.text) for each in import_crds(bodies, only=MINOR).files]


@st.composite
def crds(draw: st.DrawFn) -> tuple[JsonObject, JsonObject]:
    """Draw a CRD of two versions that are much alike, and a newer one of its kind."""
    one = draw(st.dictionaries(st.sampled_from("abcde"), SMALL, min_size=2).map(obj))
    two = draw(schema_changed(one))
    newer = [draw(schema_changed(each)) for each in (one, two)]
    return crd(root(one), root(two)), crd(*map(root, newer))


@few()
@given(crds())
def test_the_crd_is_the_same_in_older_words(both: tuple[JsonObject, JsonObject]) -> None:
    (old,), (new,) = (declared([each]) for each in both)
    made = kept(old, new)
    change = build_changes(old, made, "crd")
    if change is not None:
        whole = apply_changes(old, change, "crd")
        assert whole is not None
        assert plain([*expanded(whole).bodies]) == plain([*expanded(new).bodies])


def test_what_stands_for_the_same_is_kept() -> None:
    old = spec(
        obj({"a": {**STRING, "description": "why"}, "pod": {"$type": "core/v1.Toleration"}, "b": LONG})
    )
    old["names"] = {"kind": "Thing", "plural": "things"}
    literal = expanded(old).bodies[0]["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"][
        "spec"
    ]
    new = spec(obj({**literal["properties"], "a": STRING, "b": MORE}))
    made = kept(old, new)
    assert build_changes(old, made, "crd") == {"$add": {"v1/spec.b.more": STRING}}


def test_a_part_that_is_used_and_changes_is_used_still() -> None:
    def two(one: JsonObject, other: JsonObject) -> JsonObject:
        data = declaration(obj({"spec": one}))
        data["versions"]["v2"] = {"schema": obj({"spec": other})}
        return data

    old = two(LONG, {"$use": "things/v1/spec"})
    assert build_changes(old, kept(old, two(MORE, MORE)), "crd") == {"$add": {"v1/spec.more": STRING}}
    assert build_changes(old, kept(old, two(MORE, LONG)), "crd") == {
        "$remove": ["v2/spec.more"],
        "$add": {"v1/spec.more": STRING},
    }


def test_a_part_that_is_there_no_more_is_not_used() -> None:
    old = declaration(obj({"spec": LONG, "status": {"$use": "things/v1/spec"}}))
    new = declaration(obj({"status": LONG}))
    assert kept(old, new) == new


def test_types_that_a_minor_lacks_leave_all_as_it_is() -> None:
    old = spec({"$type": "core/v1.NoSuchType"})
    new = spec(LONG)
    assert reuse_older_declarations([old], [new], expanded(new).bodies, MINOR, NOWHERE) == [new]
