"""What changes in a schema while its kind moves is told; the move itself is not."""

from __future__ import annotations

from small_crd import STRING, crd, obj, version

from kitgen.findings import Finding, Origin
from kitgen.kit.model.migration import KindName, MovedField, MovedKind
from kitgen.kube.manifest import Manifest
from kitgen.migrate.kinds import MovingKind, ServedKind
from kitgen.migrate.rules.schema_changes import check_schema_changes
from kitgen.text.yaml import JsonObject

ORIGIN = Origin("migrations/move.yaml", ("kinds", 0))


def changes(old: JsonObject, new: JsonObject, *fields: MovedField) -> list[Finding]:
    names = [
        KindName(each["spec"]["group"], each["spec"]["versions"][0]["name"], each["spec"]["names"]["kind"])
        for each in (old, new)
    ]
    said = MovedKind(before=names[0], after=names[1], fields=fields, origin=ORIGIN)
    sides = [
        ServedKind(name=name, crd=Manifest(body=body, sources=()))
        for name, body in zip(names, (old, new), strict=True)
    ]
    found = [*check_schema_changes([MovingKind(said=said, old=sides[0], new=sides[1])])]
    assert {each.rule.id for each in found} <= {"migration-schema"}
    assert all(each.origin == ORIGIN for each in found)
    return found


def test_a_move_by_itself_changes_nothing() -> None:
    spec = obj({"a": STRING})
    old = crd(version("v1", spec, deprecated=True))
    assert changes(old, crd(version("v1", spec), group="new.example.org")) == []
    assert changes(old, crd(version("v1alpha1", spec), group="new.example.org")) == []
    renamed = crd(version("v1", spec), group="new.example.org")
    renamed["spec"]["names"] = {"kind": "Gadget", "plural": "gadgets"}
    assert changes(old, renamed) == []


def test_what_the_move_hides_is_told_with_its_risk() -> None:
    old = crd(version("v1", obj({"a": STRING, "b": STRING})))
    new = crd(version("v1", obj({"b": {"type": "integer"}, "c": STRING})), group="new.example.org")
    told = [each.message.partition(": ")[2] for each in changes(old, new)]
    risks = [each.message.split()[2] for each in changes(old, new)]
    assert [each.partition(":")[0] for each in told] == ['"spec.a"', '"spec.b"', '"spec.c"']
    assert risks == ["breaking", "breaking", "cosmetic"]


def test_what_bothers_nobody_is_told_in_one_line() -> None:
    old = crd(version("v1", obj({"a": STRING})))
    new = crd(version("v1", obj({"a": STRING, "b": STRING, "c": STRING})), group="new.example.org")
    (one,) = changes(old, new)
    assert one.message.startswith("found 2 cosmetic changes in the move of example.com/v1/Widget: ")
    assert '"spec.b": string is new and "spec.c": string is new' in one.message


def test_versions_of_one_group_are_held_against_each_other() -> None:
    both = crd(version("v1", obj({"a": STRING})))
    later = crd(version("v2", obj({"b": STRING})))
    told = [each.message for each in changes(both, later)]
    assert [("spec.a" in each, "spec.b" in each) for each in told] == [(True, False), (False, True)]


def test_fields_that_the_migration_names_are_accepted() -> None:
    old = crd(version("v1", obj({"a": STRING, "b": STRING, "ab": STRING})))
    new = crd(version("v1", obj({"c": STRING})), group="new.example.org")
    fields = (
        MovedField(field=("spec", "a"), to=("spec", "c"), origin=ORIGIN),
        MovedField(field=("spec", "b"), lost="say it in a label", origin=ORIGIN),
    )
    accepted = {each.message.split('"')[1]: each.accepted for each in changes(old, new, *fields)}
    assert accepted == {
        "spec.a": "spec.a moves to spec.c",
        "spec.b": "say it in a label",
        "spec.ab": "",
        "spec.c": "spec.a moves to spec.c",
    }


def test_a_field_is_accepted_if_all_below_it_is_said() -> None:
    inner = obj({"a": STRING, "b": STRING})
    old = crd(version("v1", obj({"items": {"type": "array", "items": inner}})))
    new = crd(version("v1", obj({"parts": obj({"c": STRING})}, required=["parts"])), group="new.example.org")
    some = MovedField(field=("spec", "items", "[]", "a"), to=("spec", "parts", "c"), origin=ORIGIN)
    rest = MovedField(field=("spec", "items", "[]", "b"), lost="nobody reads it", origin=ORIGIN)
    assert [bool(each.accepted) for each in changes(old, new, some, rest)] == [True, True]
    by_place = {each.message.split('"')[1]: bool(each.accepted) for each in changes(old, new, some)}
    assert by_place == {"spec.items": False, "spec.parts": True}


def test_a_field_that_stays_says_nothing_of_what_changes_in_it() -> None:
    old, new = (crd(version("v1", obj({each: STRING})), group=f"{each}.org") for each in ("a", "b"))
    stays = MovedField(field=("spec",), to=("spec",), origin=ORIGIN)
    assert [each.accepted for each in changes(old, new, stays)] == ["", ""]


def test_a_status_is_told_in_one_line() -> None:
    old, new = (crd(version("v1"), group=f"{each}.org") for each in ("a", "b"))
    schema = old["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    schema["properties"]["status"] = obj({"x": STRING, "y": STRING})
    new["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"] = obj({"z": STRING})
    (one,) = changes(old, new)
    assert "found 3 changes of status, the worst breaking, in the move of a.org" in one.message


def test_much_is_cut_short() -> None:
    old = crd(version("v1", obj({f"f{each:03}": STRING for each in range(140)})))
    new = crd(version("v1", obj({"a": STRING})), group="new.example.org")
    found = changes(old, new)
    assert len(found) == 101
    assert "41 more changes" in found[-1].message
