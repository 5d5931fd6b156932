"""Which CEL rules an API server takes, by the schema alone."""

from __future__ import annotations

import pytest
from some import rows

from kitgen.cel.compile import check_schema_rules
from kitgen.cel.types import find_rule_schemas
from kitgen.crd.validate.rules import Effort

STRING, INT, NUMBER, ANY = {"type": "string"}, {"type": "integer"}, {"type": "number"}, {}
LONG = {**STRING, "maxLength": 9}
ITEM = {"type": "object", "properties": {"k": LONG, "n": INT}}
SCHEMA = {
    "type": "object",
    "properties": {
        "s": LONG,
        "i": INT,
        "d": NUMBER,
        "namespace": LONG,
        "a-b": INT,
        "port": {"x-kubernetes-int-or-string": True},
        "list": {"type": "array", "maxItems": 3, "items": ITEM},
        "map": {"type": "object", "maxProperties": 3, "additionalProperties": INT},
        "many": {"type": "array", "items": LONG},
        "pairs": {"type": "object", "additionalProperties": LONG},
        "text": STRING,
        "free": {"x-kubernetes-preserve-unknown-fields": True},
        "at": {**STRING, "format": "date-time"},
    },
}


def find_faults(schema):
    return list(check_schema_rules(find_rule_schemas(schema), Effort().take))


def kinds(rule, schema=SCHEMA):
    body = rule if isinstance(rule, dict) else {"rule": rule}
    whole = {"type": "object", "properties": {"spec": {**schema, "x-kubernetes-validations": [body]}}}
    return [fault.kind for fault in find_faults(whole) if fault.kind != "newer"]


@pytest.mark.parametrize(
    "rule",
    [
        "self.i > 0 && self.i < 2.5",
        "self.s.size() > 0 || has(self.i)",
        "self.list.all(x, x.k != '' && x.n == 1)",
        "self.list.exists(x, x.k in ['a', 'b'])",
        "self.list.map(x, x.n).sum() > 3",
        "self.list.filter(x, x.n > 1).size() == 1",
        "self.map.all(k, self.map[k] > 1)",
        "self.map.exists(k, v, k == 'a' && v == 1)",
        "self.port == 1 || self.port == 'x'",
        "type(self.port) == string ? self.port.matches('a') : self.port > 1",
        "self.__namespace__ == 'x' && self.a__dash__b == 1",
        "self.namespace == 'x' && has(self.namespace) && self.?namespace.orValue('') == ''",
        "self.list.exists(x, x.k == self.namespace)",
        "self.?s.orValue('x') == 'x'",
        "self.at > timestamp('2024-01-01T00:00:00Z')",
        "self.s == oldSelf.s",
        "quantity(self.s).isGreaterThan(quantity('1'))",
        "self.s == null || true",
        "isIP(self.s) && ip(self.s).family() == 4",
        "!format.dns1123Label().validate(self.s).hasValue()",
        "(self.i > 1 ? self.list : []).size() == 0",
        "[self.s, 'x'].exists(y, y == 'x')",
        {"rule": "oldSelf.hasValue() || self.i == 1", "optionalOldSelf": True},
        {"rule": "self.i == 1", "messageExpression": "'found %d'.format([self.i])"},
        {"rule": "self.i == 1", "fieldPath": ".s", "reason": "FieldValueForbidden"},
        {"rule": "self.i == 1", "fieldPath": ".map['x']"},
        {"rule": "self.i\n== 1", "message": "words"},
        "self.many.size() > 1 && self.text != 'x' && self.text in ['a']",
        "self.list.map(x, x.k).isSorted() && self.list.map(x, x.n).max() < .5",
        "'%s %d'.format([self.s, self.i]) != ''",
        r"self.s.matches(r'^\d+$') && duration('1h') < duration(self.s)",
        "[1, 2].first().value() == 1 && {1: 'a'}.all(k, k == 1)",
        "dyn(self.i) == 'a' && -9223372036854775808 < self.i",
    ],
)
def test_rules_that_a_server_takes(rule):
    assert kinds(rule) == []


@rows(
    "rule",
    [
        "self.i >",
        "self.i == 1 )",
        r"self.s == '\q'",
        "self.nope == 1",
        "has(self.nope)",
        "self.in == 1",
        "self.__nope__ == 'x'",
        "self['a-b'] == 1",
        "self.free == 1",
        "nope == 1",
        "self.i == 'x'",
        "self.i == 1.0",
        "self.d > 'x'",
        "self.i + 'x' == 'ix'",
        "self.i && true",
        "!self.i",
        "self.i ? true : false",
        "true ? 1 : 'x'",
        "self.s.startsWith(1)",
        "self.i.size() == 1",
        "self.i.all(x, x == 1)",
        "self.all(k, k == 'x')",
        "self.list.all(x, x.nope == 1)",
        "self.list.all(x, x.n)",
        "self.list['x'].n == 1",
        "'x' in self.s",
        "1 in ['a']",
        "self.s.nope == 1",
        "self.i",
        "self.i.orValue(1) == 1",
        "size(self.i) == 1",
        "has(self)",
        "",
        "self.port",
        "dyn(true)",
        "has(self.?s)",
        "self.list.all(x)",
        "self.list.all(var, true)",
        "self.list.map(1, x).size() == 1",
        "self.list.isSorted()",
        "self.list.map(x, x.k).sum() == 1",
        "self.list[1u].n == 1",
        "[1, 'a'].size() == 2",
        "{'a': 1, 'b': 'c'}.size() == 2",
        "['a'] == [1]",
        "sets.contains(['a'], [1])",
        "self.s.matches('[a')",
        "duration('1 hour') == duration(self.s)",
        "timestamp('2024') < self.at",
        "self.i == 9223372036854775808",
        "self.port - 'a' == 1",
        "self.port < [1]",
        "Object{a: 1} == Object{}",
        "self.s{a: 1",
        {"rule": "self.i == 1", "messageExpression": "self.port"},
        {"rule": "self.i == 1", "messageExpression": "self.i"},
        {"rule": "self.i == 1", "messageExpression": "'a' +"},
        {"rule": "self.i == 1", "message": "a\nb"},
        {"rule": "self.i\n== 1"},
        {"rule": "self.i == 1", "reason": "Nope"},
        {"rule": "self.i == 1", "fieldPath": ".nope"},
        {"rule": "self.i == 1", "fieldPath": "s"},
        {"rule": "self.i == 1", "optionalOldSelf": True},
    ],
)
def test_rules_that_a_server_refuses(rule):
    assert kinds(rule) == ["invalid"]


@rows(
    "rule",
    [
        "self.many.all(x, x != '')",
        "self.pairs.exists(k, k == 'a')",
        "self.text.matches('^a')",
        "self.text.split(',').size() > 1",
    ],
)
def test_what_has_no_bound_is_told(rule):
    assert kinds(rule) == ["unbounded"]


def test_a_status_needs_no_bound():
    status = {"type": "object", "properties": {"many": SCHEMA["properties"]["many"]}}
    rule = {"rule": "!has(self.status) || self.status.many.all(x, x != '')"}
    root = {"type": "object", "properties": {"status": status}, "x-kubernetes-validations": [rule]}
    assert find_faults(root) == []


@rows("rule", ["self.s.madeUp()", "cel.bind(x, self.i, x > 1)", "self.s.reverse() == 'a'"])
def test_a_function_that_servers_lack_is_told(rule):
    assert kinds(rule) in (["undeclared"], ["invalid"])


@rows(
    ("rule", "since"),
    [
        ("self.s.charAt(0) == 'a' && isURL(self.s) && self.list.size() == 1", []),
        ("self.?s.hasValue() && self.i < 2.5", [29]),
        ("sets.contains(['a'], [self.s])", [30]),
        ("self.namespace == 'x'", [32]),
        ("self.__namespace__ == 'x'", []),
        ("isIP(self.s) && ip(self.s).family() == 4", [31]),
        ("!format.uri().validate(self.s).hasValue()", [29, 32]),
        ("self.map.all(k, v, v > 1)", [33]),
        ("semver(self.s).major() == 1", [34]),
        ("self.many.distinct().size() == 1", [35]),
    ],
)
def test_what_older_servers_lack_is_told_with_the_first_that_has_it(rule, since):
    whole = {**SCHEMA, "x-kubernetes-validations": [{"rule": rule}]}
    assert [fault.since for fault in find_faults(whole) if fault.kind == "newer"] == since


@rows(
    ("more", "want"),
    [
        ({}, ["invalid"]),
        ({"x-kubernetes-list-type": "set"}, ["invalid"]),
        ({"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]}, []),
    ],
)
def test_old_items_are_known_by_their_keys_alone(more, want):
    item = {**ITEM, "x-kubernetes-validations": [{"rule": "self.n >= oldSelf.n"}]}
    schema = {"type": "object", "properties": {"list": {"type": "array", "items": item, **more}}}
    assert [fault.kind for fault in find_faults(schema)] == want


def test_rules_see_the_names_of_whole_objects_and_no_more_of_metadata():
    def of(rule):
        return [
            fault.kind
            for fault in find_faults({"type": "object", "x-kubernetes-validations": [{"rule": rule}]})
        ]

    assert of("self.metadata.name == 'x' && self.kind == 'A' && self.apiVersion == 'v1'") == []
    assert of("self.metadata.labels.size() == 0") == ["invalid"]


@rows("schema", [None, [], {"x-kubernetes-validations": "x"}, {"properties": []}, {"items": 3}])
def test_what_is_no_schema_has_no_rules(schema):
    assert find_faults(schema) == []
