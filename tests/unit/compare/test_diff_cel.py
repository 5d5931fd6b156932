from __future__ import annotations

import pytest
from small_crd import STRING, crd_of, obj

from kitgen.cel.parse import CelError, parse_expression, tokenize
from kitgen.compare.change import Risk
from kitgen.compare.crds.compare import compare_crds

INT = {"type": "integer"}
OLD = {
    "mode": STRING,
    "count": INT,
    "list": {"type": "array", "items": obj({"a": STRING})},
    "map": {"type": "object", "additionalProperties": obj({"a": STRING})},
}
NEW = {
    **OLD,
    "fresh": INT,
    "tree": obj({"leaf": STRING}),
    "filled": {**STRING, "default": "on"},
    "some-name": STRING,
    "namespace": STRING,
    "list": {"type": "array", "items": obj({"a": STRING, "b": STRING})},
    "map": {"type": "object", "additionalProperties": obj({"a": STRING, "b": STRING})},
}


def rules(*listed):
    return [rule if isinstance(rule, dict) else {"rule": rule} for rule in listed]


def spec(fields, *listed, **more):
    return obj(fields, **{"x-kubernetes-validations": rules(*listed)}, **more)


def cel_changes(old, new):
    return [
        change for change in compare_crds([crd_of(old)], [crd_of(new)]) if change.rule.id.startswith("cel-")
    ]


def test_a_field_that_is_called_like_an_item_is_none():
    name = "[] x"
    (change,) = cel_changes(obj(OLD), spec({**OLD, name: INT}, f"self.`{name}` > 1"))
    assert change.hint.startswith(f'has() does not guard ["{name}"], which is new')


def risk_of(rule, before=OLD, after=NEW, **more):
    (change,) = cel_changes(obj(before, **more), spec(after, rule, **more))
    assert change.rule.id == "cel-rule-added"
    return change.risk


@pytest.mark.parametrize(
    "rule",
    [
        "!has(self.fresh)",
        "!has(self.fresh) || self.count > 3",
        "self.count > 3 || !has(self.fresh)",  # an error beside true does not matter
        "has(self.fresh) ? self.mode == 'x' : true",
        "!(has(self.fresh) && self.fresh > self.count)",
        "has(self.fresh) == has(self.tree)",
        "(has(self.fresh) ? self.fresh : 0) >= 0",
        "!has(self.tree) || !has(self.tree.leaf) || self.tree.leaf.matches('^a$')",
        "!has(oldSelf.fresh) || self == oldSelf",
        "has(self.mode) && self.mode == 'x' ? !has(self.fresh) : true",
        "!has(self.list) || self.list.all(x, !has(x.b) || x.b != x.a)",
        "has(self.list) ? !self.list.exists(x, has(x.b)) : true",
        "self.filled == 'on'",
        "self.filled in ['on', 'off'] // one of two",
        "self.?fresh.orValue(1) > 0",
        "!self.?tree.?leaf.hasValue()",
        "self.?tree.leaf.orValue('') == ''",
        "!has(self.map) || self.map.all(k, !has(self.map[k].b) || self.map[k].b == k)",
        "!has(self.map) || self.map.all(k, !has(self.map[k].a) || !has(self.map[k].b))",
        "(has(self.fresh) ? 1 : 0) + (has(self.tree) ? 1 : 0) <= 1",
        "[has(self.fresh), has(self.tree), has(self.mode)].filter(x, x).size() <= 1",
        "[has(self.fresh), has(self.tree)].all(x, !x)",
        "cel.bind(n, self.?fresh.orValue(3), n == 3)",
        "!has(self.some__dash__name) && !has(self.__namespace__)",
    ],
)
def test_a_rule_that_only_new_fields_can_break_is_not_breaking(rule):
    assert risk_of(rule) is Risk.COSMETIC


@pytest.mark.parametrize(
    "rule",
    [
        "has(self.fresh)",
        "self.fresh > 0",  # what is not there is an error, and an error refuses
        "has(self.tree.leaf)",
        "self.count > 3",
        "!has(self.count) || self.count > 3",
        "!has(self.fresh) && self.mode == 'x'",
        "has(self.fresh) ? true : self.mode == 'x'",
        "has(self.mode) ? !has(self.fresh) : self.count == 1",
        "self.mode == 'x' ? !has(self.fresh) : true",  # mode may be missing
        "self.list.all(x, !has(x.b))",  # so may the list
        "!has(self.list) || self.list.all(x, has(x.a) == has(x.b))",
        "!has(self.list) || self.list.all(x, has(x.a)) || self.list.all(x, !has(x.a))",
        "!has(self.list) || self.list.exists(x, !has(x.b))",
        "!has(self.list) || self.list.all(x, !has(x.a) || self.list.all(x, has(x.a)))",  # two of a name
        "!has(self.map) || self.map.all(k, has(self.map[k].a))",
        "!has(self.map) || self.map.all(k, !has(oldSelf.map[k].b) || self.map[k].b == oldSelf.map[k].b)",
        "!has(self.map) || !has(self.map['a'].b)",
        "[has(self.fresh), has(self.tree), has(self.mode)].exists_one(x, x)",
        "(has(self.fresh) ? 1 : 0) + (has(self.mode) ? 1 : 0) == 1",
        "cel.bind(n, self.fresh, n == 3)",
        "!has(self.list) || self.list[0].a == '' || true == false",
        "self.filled == 'off'",
        "self.filled.size() > 3",
        "oldSelf.fresh == self.fresh",
        "!has(self.unheard)",
        "!has(self.fresh) ||",  # cannot be read
        "!has(self.fresh) # || x",
        "(" * 5000 + "!has(self.fresh)" + ")" * 5000,
    ],
)
def test_a_rule_that_objects_of_today_can_break_or_that_is_in_doubt_is_breaking(rule):
    assert risk_of(rule) is Risk.BREAKING


def test_the_new_fields_are_named():
    (change,) = cel_changes(obj(OLD), spec(NEW, "!has(self.list) || self.list.all(x, !has(x.b))"))
    assert change.reason == "what passed before passes, as it has no .list[].b yet"
    assert change.felt_by == "users who set the new field"


def test_a_new_field_that_is_read_unguarded_is_named():
    (change,) = cel_changes(obj(OLD), spec(NEW, "self.fresh > 0"))
    assert change.hint == "has() does not guard .fresh, which is new: objects without it are refused"


def test_a_field_may_be_there_already_where_unknown_ones_are_kept():
    keeps = {"x-kubernetes-preserve-unknown-fields": True}
    assert risk_of("!has(self.fresh) || self.fresh > 0", **keeps) is Risk.BREAKING


def test_a_required_new_field_breaks_by_itself_and_not_by_its_rule():
    old, new = obj(OLD), spec(NEW, "self.fresh > 0", required=["fresh"])
    found = {change.rule.id: change.risk for change in compare_crds([crd_of(old)], [crd_of(new)])}
    assert found["required-field-added"] is Risk.BREAKING
    assert found["cel-rule-added"] is Risk.COSMETIC


def test_the_old_object_does_not_have_the_required_new_field():
    old, new = obj(OLD), spec(NEW, "self.fresh == oldSelf.fresh", required=["fresh"])
    (change,) = cel_changes(old, new)
    assert change.risk is Risk.BREAKING


def test_a_rule_of_the_whole_object_takes_the_spec_as_given():
    def body(fields, *listed):
        made = crd_of(obj(fields))
        schema = made["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
        schema["x-kubernetes-validations"] = rules(*listed)
        return made

    rule = (
        "(has(self.spec.fresh) ? self.spec.fresh : 0) == (has(oldSelf.spec.fresh) ? oldSelf.spec.fresh : 0)"
    )
    changes = compare_crds([body(OLD)], [body(NEW, rule)])
    assert [change.risk for change in changes if change.rule.id == "cel-rule-added"] == [Risk.COSMETIC]


def test_a_rule_of_a_new_field_itself_is_told_with_the_field():
    new = {**OLD, "fresh": {**INT, "x-kubernetes-validations": rules("self > 3")}}
    changes = compare_crds([crd_of(obj(OLD))], [crd_of(obj(new))])
    assert [(change.rule.id, change.risk) for change in changes] == [("field-added", Risk.COSMETIC)]


def one_change(old, new, fields=OLD):
    (change,) = cel_changes(spec(fields, *old), spec(fields, *new))
    return change


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"rule": "self.count > 3", "message": "m"}, {"rule": "size(self.mode) < 9", "message": "m"}),
        (
            {"rule": "self.count > 3", "messageExpression": "'a'"},
            {"rule": "size(self.mode) < 9", "messageExpression": "'a'"},
        ),
        (
            {"rule": "self.count > 3", "fieldPath": ".count", "reason": "FieldValueInvalid"},
            {"rule": "size(self.mode) < 9", "fieldPath": ".count", "reason": "FieldValueInvalid"},
        ),
        ({"rule": "self.count > 3"}, {"rule": "self.count > 4"}),
        ({"rule": "self.count > 3", "message": "more than 3"}, {"rule": "self.count > 4", "message": "4!"}),
    ],
)
def test_a_rule_that_replaces_another_is_one_change(old, new):
    change = one_change([old], [new])
    assert (change.rule.id, change.risk) == ("cel-rule-changed", Risk.BREAKING)
    assert change.message == f'was "{old["rule"]}", now "{new["rule"]}"'


def test_a_rule_that_is_no_text_is_told_as_json_writes_it():
    change = one_change([{"rule": "self.count > 3", "message": "a"}], [{"rule": [{"a": 1}], "message": "a"}])
    assert change.message == r'was "self.count > 3", now "[{\"a\": 1}]"'


def test_rules_that_have_nothing_in_common_are_two_changes():
    found = cel_changes(spec(OLD, "self.count > 3"), spec(OLD, "size(self.mode) < 9 || has(self.list)"))
    assert [change.rule.id for change in found] == ["cel-rule-added", "cel-rule-removed"]


def test_the_likeliest_of_several_rules_is_the_one_that_replaces():
    def said(*texts):
        return [{"rule": text, "message": "immutable"} for text in texts]

    old = spec(OLD, *said("self.count == oldSelf.count", "self.mode == oldSelf.mode"))
    new = spec(OLD, *said("!has(self.mode) || self.mode == oldSelf.mode", "self.count == oldSelf.count"))
    (change,) = cel_changes(old, new)
    assert change.message.startswith('was "self.mode == oldSelf.mode", now')


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("self.count > 3", "self.count > 3 || has(self.mode)"),
        ("self.count > 3 && self.count < 9", "self.count > 3"),
        ("self == oldSelf", "!has(oldSelf.mode) || self == oldSelf"),
        ("self.count > 3", "self.count > 3 && !has(self.fresh)"),
        ("has(self.mode) || has(self.count)", "has(self.mode) || has(self.count) || has(self.fresh)"),
        (
            "[has(self.mode), has(self.count)].exists_one(x, x)",
            "[has(self.mode), has(self.count), has(self.fresh)].exists_one(x, x)",
        ),
        (
            "(has(self.mode) ? 1 : 0) + (has(self.count) ? 1 : 0) == 1",
            "(has(self.mode) ? 1 : 0) + (has(self.count) ? 1 : 0) + (has(self.fresh) ? 1 : 0) == 1",
        ),
    ],
)
def test_a_rule_that_follows_from_the_old_one_is_not_breaking(old, new):
    (change,) = cel_changes(spec(OLD, old), spec(NEW, new))
    assert (change.rule.id, change.risk) == ("cel-rule-changed", Risk.COSMETIC)


@pytest.mark.parametrize(
    ("rule", "before", "after"),
    [("!has(self.count)", INT, {**INT, "default": 1}), ("has(self.count)", {**INT, "default": 1}, INT)],
)
def test_a_rule_of_before_says_nothing_where_a_default_changes(rule, before, after):
    old, new = (
        spec({**OLD, "count": before}, rule),
        spec({**OLD, "count": after}, f"{rule} || has(self.list)"),
    )
    (change,) = cel_changes(old, new)
    assert (change.rule.id, change.risk) == ("cel-rule-changed", Risk.BREAKING)


def test_a_rule_of_updates_says_nothing_of_objects_that_are_created():
    change = one_change(["self.count > 3 && self.mode == oldSelf.mode"], ["self.count > 3"])
    assert change.risk is Risk.BREAKING


def test_space_in_an_expression_is_no_change_but_in_a_string_it_is():
    assert cel_changes(spec(OLD, "self.count>3"), spec(OLD, "self.count > 3 // at least")) == []
    assert one_change(["self.mode == 'a b'"], ["self.mode == 'a  b'"]).rule.id == "cel-rule-changed"


@pytest.mark.parametrize("text", ["", "a b", "a.", "[1", "f(", "{'a': }", "a ? b", "'a", "a[?]", "9" * 5000])
def test_what_is_no_expression_is_said_to_be_none(text):
    with pytest.raises(CelError):
        parse_expression(text)


def test_strings_are_one_token():
    assert tokenize("""a == 'x || "y"' && r"\\d"  // more""") == ("a", "==", "'x || \"y\"'", "&&", 'r"\\d"')


@pytest.mark.parametrize(
    ("before", "after", "risk"),
    [
        ("!has(self.count) || self.count <= 3", "!has(self.count) || self.count <= 5", Risk.COSMETIC),
        ("!has(self.count) || self.count <= 5", "!has(self.count) || self.count <= 3", Risk.BREAKING),
        ("self.mode in ['a', 'b']", "self.mode in ['a', 'b', 'c']", Risk.COSMETIC),
        ("self.mode in ['a', 'b']", "self.mode in ['a', 'c']", Risk.BREAKING),
        ("self.mode == 'a' && self.count > 1", "self.mode == 'a'", Risk.COSMETIC),
        ("self.mode == 'a'", "self.mode == 'a' && self.count > 1", Risk.BREAKING),
        ("self.mode == 'a'", "!has(self.mode) || self.mode == 'a'", Risk.COSMETIC),
        ("self.mode.matches('^http(s)?://')", "self.mode.matches('^https?://')", Risk.COSMETIC),
        ("self.mode.matches('^https?://')", "self.mode.matches('^https://')", Risk.BREAKING),
        ("self.mode == oldSelf.mode", "self.mode == oldSelf.mode || self.count > 2", Risk.COSMETIC),
        ("self.mode == oldSelf.mode && self.count > 1", "self.count > 1", Risk.BREAKING),  # of new objects
    ],
)
def test_a_rule_that_accepts_more_is_proved_and_another_one_is_not(before, after, risk):
    said = {"message": "the same answer"}
    old, new = ({"rule": rule, **said} for rule in (before, after))
    (change,) = cel_changes(spec(OLD, old), spec(OLD, new))
    assert (change.rule.id, change.risk) == ("cel-rule-changed", risk)
    assert change.reason.startswith("not proved harmless: ") is (risk is Risk.BREAKING)
