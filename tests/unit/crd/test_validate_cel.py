"""CEL rules over custom resources: where they are evaluated, with what, and what is said."""

from __future__ import annotations

from some import rows
from test_validate import INT, STRING, crd_of, obj, widget

from kitgen.crd.validate.objects import walk_object
from kitgen.crd.validate.rules import Effort
from kitgen.findings import format_pointer


def ruled(schema, *rules):
    return {**schema, "x-kubernetes-validations": [{"rule": r} if isinstance(r, str) else r for r in rules]}


def told(spec, schema, old=None, effort=None, **more):
    body, before = widget(spec, **more), widget(old) if old is not None else None
    walk = walk_object(body, [crd_of(schema)], effort, before)
    return [(each.rule.id, format_pointer(each.path)) for each in walk.problems]


BROKEN = ("cel-rule", "/spec/a")


def test_a_broken_rule_is_told_with_its_words():
    schema = obj({"a": ruled(INT, {"rule": "self > 1", "message": "more than one"})})
    (found,) = walk_object(widget({"a": 1}), [crd_of(schema)]).problems
    assert found.message == 'broke the rule: "more than one"'
    assert found.hint == 'the rule is "self > 1"'
    assert told({"a": 2}, schema) == []


def test_a_rule_that_comes_to_an_error_refuses():
    schema = ruled(obj({"a": STRING, "b": STRING}), "self.a == self.b")
    (found,) = walk_object(widget({"a": "x"}), [crd_of(schema)]).problems
    assert found.rule.id == "cel-rule"
    assert 'found no "b", which a rule reads' in found.message


def test_defaults_come_first():
    schema = ruled(obj({"a": {**INT, "default": 3}}), "self.a == 3")
    assert told({}, schema) == []


def test_rules_wait_until_the_schema_is_satisfied():
    schema = ruled(obj({"a": INT, "b": ruled(INT, "self > 1")}), "self.a > 1")
    assert told({"a": "x", "b": 1}, schema) == [("field-type", "/spec/a"), ("cel-rule", "/spec/b")]


def test_a_message_is_made_and_a_field_blamed():
    rule = {
        "rule": "self.a < 3",
        "message": "no",
        "messageExpression": "'a is %d'.format([self.a])",
        "fieldPath": ".a",
    }
    (found,) = walk_object(widget({"a": 5}), [crd_of(ruled(obj({"a": INT}), rule))]).problems
    assert (format_pointer(found.path), found.message) == ("/spec/a", 'broke the rule: "a is 5"')


def test_a_message_tells_no_secret():
    rule = {"rule": "self.token == ''", "message": "no", "messageExpression": "'found ' + self.token"}
    (found,) = walk_object(widget({"token": "hush"}), [crd_of(ruled(obj({"token": STRING}), rule))]).problems
    assert "hush" not in f"{found}"


def test_what_changes_is_held_against_what_was():
    schema = obj({"a": ruled(STRING, "self == oldSelf")})
    assert told({"a": "x"}, schema) == []
    assert told({"a": "x"}, schema, old={"a": "x"}) == []
    assert told({"a": "x"}, schema, old={"a": "y"}) == [BROKEN]
    assert told({"a": "x"}, schema, old={}) == []


def test_old_self_may_be_none():
    rule = {"rule": "oldSelf.hasValue() || self == 'new'", "optionalOldSelf": True}
    schema = obj({"a": ruled(STRING, rule)})
    assert told({"a": "x"}, schema) == [BROKEN]
    assert told({"a": "new"}, schema) == []
    assert told({"a": "x"}, schema, old={"a": "y"}) == []


@rows(("kind", "want"), [("map", [("cel-rule", "/spec/a/1/n")]), ("atomic", [])])
def test_items_are_known_by_their_keys(kind, want):
    item = obj({"k": STRING, "n": ruled(INT, "self >= oldSelf")}, required=["k"])
    keys = {"x-kubernetes-list-map-keys": ["k"]} if kind == "map" else {}
    schema = obj({"a": {"type": "array", "items": item, "x-kubernetes-list-type": kind, **keys}})
    new, old = [{"k": "new", "n": 1}, {"k": "x", "n": 1}], [{"k": "x", "n": 2}]
    assert told({"a": new}, schema, old={"a": old}) == want


def test_an_atomic_map_has_no_past():
    schema = obj({"a": {**obj({"n": ruled(INT, "self >= oldSelf")}), "x-kubernetes-map-type": "atomic"}})
    assert told({"a": {"n": 1}}, schema, old={"a": {"n": 2}}) == []


def test_rules_see_the_status_that_is_stored():
    status = obj({"done": {"type": "boolean"}})
    made = crd_of(obj({"a": STRING}))
    version = made["spec"]["versions"][0]
    version["subresources"] = {"status": {}}
    root = version["schema"]["openAPIV3Schema"]
    root["properties"]["status"] = status
    same = "self.spec.a == oldSelf.spec.a && self.status.done"
    rule = f"has(oldSelf.status) && oldSelf.status.done ? {same} : true"
    root["x-kubernetes-validations"] = [{"rule": rule}]
    done = {**widget({"a": "x"}), "status": {"done": True}}
    assert [e.rule.id for e in walk_object(widget({"a": "y"}), [made], None, done).problems] == ["cel-rule"]
    assert walk_object(widget({"a": "x"}), [made], None, done).problems == []
    assert walk_object(widget({"a": "y"}), [made], None, widget({"a": "x"})).problems == []


def test_what_was_of_another_version_is_not_compared():
    schema = obj({"a": ruled(STRING, "self == oldSelf")})
    old = {**widget({"a": "y"}), "apiVersion": "example.com/v0"}
    assert walk_object(widget({"a": "x"}), [crd_of(schema)], None, old).problems == []


@rows("old", [{"a": 3}, {"a": ["x"]}, {"a": {"b": None}}, {"a": None}, {"b": {"c": [[]]}}, {"b": "x"}])
def test_what_was_may_have_any_shape(old):
    schema = ruled(
        obj({"a": ruled(STRING, "self == oldSelf"), "b": obj({"c": INT})}), "self == oldSelf || true"
    )
    assert {rule for rule, _ in told({"a": "x", "b": {"c": 1}}, schema, old=old)} <= {"cel-rule"}


def test_a_rule_that_cannot_be_evaluated_is_named():
    schema = obj({"a": ruled(STRING, "self.madeUp()", "self == ")})
    (one, two) = walk_object(widget({"a": "x"}), [crd_of(schema)]).problems
    assert one.rule.id == two.rule.id == "cel-unchecked"
    assert "self.madeUp()" in one.message and "the function madeUp" in one.message


def test_long_lists_and_rules_have_a_limit():
    items = {"type": "array", "items": INT}
    schema = obj({"a": ruled(items, "self.all(x, self.all(y, self.all(z, x + y + z < 100)))")})
    assert told({"a": [*range(20)]}, schema) == []
    assert told({"a": [0] * 300}, schema, effort=Effort(100_000)) == [("effort-limit", "")]
