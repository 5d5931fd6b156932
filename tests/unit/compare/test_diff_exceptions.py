from __future__ import annotations

import json

import pytest
from small_crd import STRING, crd, crd_of, obj, version

from kitgen.compare.crds.compare import compare_crds
from kitgen.compare.exceptions import apply_exceptions, read_exceptions
from kitgen.compare.report.changes import as_json, as_markdown, as_text
from kitgen.text.yaml import SharedMapping

OLD = crd_of(obj({"a": STRING, "b": STRING}))
NEW = crd_of(obj({"c": {**STRING, "default": "x|y"}}))
CHANGES = compare_crds([OLD], [NEW])
ID = "field-removed:widgets.example.com:v1:.spec.a"
PLACE = {"rule": "field-removed", "crd": "widgets.example.com", "path": ".spec.a"}
OBJECT = {
    "rule": "field-removed",
    "object": "widgets.example.com",
    "path": ".spec.a",
    "expires": "2030-01-31",
}


def verdict(*items):
    accepted, findings = read_exceptions(list(items), "ex.yaml")
    return apply_exceptions(CHANGES, accepted, findings)


@pytest.mark.parametrize("named", [{"id": ID}, PLACE, {**PLACE, "version": "v1"}, OBJECT])
def test_an_exception_accepts_the_change_that_it_names(named):
    result = verdict({**named, "reason": "nobody set it"})
    assert not result.findings
    assert result.reasons == {ID: "nobody set it"}
    assert [change.path for change in result.breaking_changes] == [".spec.b"]


@pytest.mark.parametrize("wrong", ["text", {"id": ID, "reasn": "r", "reason": "r"}])
def test_of_many_wrong_exceptions_none_is_taken_for_a_right_one(wrong):
    accepted, findings = read_exceptions([wrong] * 1500 + [{"id": ID, "reason": "r"}], "ex.yaml")
    assert [each.id for each in accepted] == [ID]
    assert {each.rule.id for each in findings} == {"exception-shape"}


@pytest.mark.parametrize(
    ("item", "rule"),
    [
        ({"id": ID}, "exception-reason"),
        ({"id": ID, "reason": " "}, "exception-reason"),
        ({"id": f"{ID}x", "reason": "r"}, "exception-stale"),
        ({**PLACE, "path": ".spec.gone", "reason": "r"}, "exception-stale"),
        ({**PLACE, "version": "v2", "reason": "r"}, "exception-stale"),
        ({**PLACE, "rule": "field-remove", "reason": "r"}, "exception-shape"),
        ({"rule": "field-removed", "crd": "x", "reason": "r"}, "exception-shape"),
        ({**PLACE, "id": ID, "reason": "r"}, "exception-shape"),
        ({**PLACE, "object": "x", "reason": "r"}, "exception-shape"),
        ({**PLACE, "rule": "image-tag", "reason": "r"}, "exception-shape"),
        ({**PLACE, "expires": "20300131", "reason": "r"}, "exception-shape"),
        ({**PLACE, "expires": "2030-13-01", "reason": "r"}, "exception-shape"),
        ({"id": ID, "reasn": "r", "reason": "r"}, "exception-shape"),
        ({"id": 3, "reason": "r"}, "exception-shape"),
        ("text", "exception-shape"),
    ],
)
def test_a_wrong_exception_is_a_finding(item, rule):
    result = verdict(item)
    assert {finding.rule.id for finding in result.findings} == {rule}
    assert len(result.breaking_changes) == 2
    assert result.findings[0].origin.path[0] == 0


def test_the_file_must_be_a_list():
    assert read_exceptions(None, "f") == ((), ())
    assert [finding.rule.id for finding in read_exceptions({"id": ID}, "f")[1]] == ["exception-shape"]


def test_a_crd_may_be_named_as_an_object():
    item = {"rule": "field-removed", "path": ".spec.a", "reason": "r"}
    assert (
        read_exceptions([{**item, "crd": "a"}], "f")[0] == read_exceptions([{**item, "object": "a"}], "f")[0]
    )
    (found,) = read_exceptions([item], "f")[1]
    assert found.message == "found no crd, expected an id, or rule, crd and path"
    (found, *_) = read_exceptions([{**item, "role": "a"}], "f")[1]
    assert found.message == 'found the unknown key "role"'


def test_every_place_of_a_change_must_be_named():
    def body(fields):
        return crd_of(obj({"x": obj(fields), "y": obj(fields)}))

    changes = compare_crds([body({"a": STRING, "b": STRING})], [body({"b": STRING})])
    items = [{**PLACE, "path": f".spec.{name}.a", "reason": f"why {name}"} for name in "xy"]
    one, _ = read_exceptions(items[:1], "f")
    both, _ = read_exceptions(items, "f")
    partly, wholly = apply_exceptions(changes, one), apply_exceptions(changes, both)
    assert (len(partly.breaking_changes), partly.findings) == (1, ())
    assert (wholly.breaking_changes, wholly.findings) == ((), ())
    assert list(wholly.reasons.values()) == ["why x; why y"]


def test_a_change_of_a_type_is_named_by_the_type():
    def body(fields):
        kind = SharedMapping(obj(fields), "core/v1.PodSpec")
        return crd_of(obj({"x": kind, "y": kind}))

    changes = compare_crds([body({"a": STRING, "b": STRING})], [body({"b": STRING})])
    named = {"rule": "field-removed", "crd": "core/v1.PodSpec", "path": ".a", "reason": "r"}
    accepted, _ = read_exceptions([named], "f")
    assert apply_exceptions(changes, accepted).breaking_changes == ()


def test_what_stored_objects_lose_is_named_by_both_versions():
    old = crd(version("v1beta1", obj({"a": STRING})))
    new = crd(version("v1", obj()), version("v1beta1", obj({"a": STRING}), storage=False))
    changes = compare_crds([old], [new])
    spans = {"v1beta1 to v1": 0, "v1": 1, "v1beta1": 1}
    for span, left in spans.items():
        accepted, _ = read_exceptions([{**PLACE, "version": span, "reason": "r"}], "f")
        result = apply_exceptions(changes, accepted)
        assert (len(result.breaking_changes), len(result.findings)) == (left, left)
    places = [place for each in json.loads(as_json(result))["changes"] for place in each["places"]]
    assert {"object": "widgets.example.com", "version": "v1beta1 to v1", "path": ".spec.a"} in places


def test_text_tells_what_why_and_who():
    text = as_text(verdict({"id": ID, "reason": "nobody set it"}))
    assert "breaking: widgets.example.com v1 .spec.a: field-removed: the field is gone, was string\n" in text
    assert "    accepted: nobody set it\n" in text
    assert "(felt by users who set it)" in text
    assert text.endswith("1 breaking, 0 security, 0 behaviour, 1 cosmetic, 1 accepted\n")


def test_json_holds_everything():
    data = json.loads(as_json(verdict({"id": ID, "reason": "nobody set it"})))
    assert data["summary"] == {"breaking": 1, "security": 0, "behaviour": 0, "cosmetic": 1, "accepted": 1}
    assert data["failed"] is True
    first = data["changes"][0]
    assert (first["id"], first["accepted"]) == (ID, "nobody set it")
    assert first["places"] == [{"object": "widgets.example.com", "version": "v1", "path": ".spec.a"}]


def test_markdown_keeps_text_in_its_cell():
    text = as_markdown(verdict())
    assert "### Breaking (2)" in text
    assert "### Breaking (2, 1 accepted)" in as_markdown(verdict({"id": ID, "reason": "nobody set it"}))
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    assert len(rows) == 3
    assert all(row.replace("\\|", "").count("|") == 5 for row in rows)


def test_places_are_counted():
    def body(fields):
        kind = SharedMapping(obj(fields), "core/v1.PodSpec")
        return crd_of(obj({"x": kind, "y": kind}))

    result = apply_exceptions(compare_crds([body({"a": STRING, "b": STRING})], [body({"b": STRING})]), ())
    assert "core/v1.PodSpec .a: field-removed" in as_text(result)
    assert "in 2 places of 1 CRD, first in widgets.example.com .spec.x.a" in as_text(result)


def test_no_changes_are_said_to_be_none():
    assert as_text(apply_exceptions((), ())) == "no changes\n"
