"""What CEL rules come to over objects: the language, and the functions that Kubernetes adds to it."""

from __future__ import annotations

import pytest
from some import rows

from kitgen.cel.run.functions import CelScope
from kitgen.cel.run.program import build_program
from kitgen.cel.run.values import FaultError, UnknownError, read_value
from kitgen.crd.validate.rules import Effort, EffortExceededError

ERROR = "error"
STRING, INT, NUMBER = ({"type": name} for name in ("string", "integer", "number"))
INT_OR_STRING = {"x-kubernetes-int-or-string": True}
SET = {"x-kubernetes-list-type": "set"}
MAP = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]}


def array(items, **more):
    return {"type": "array", "items": items, **more}


def obj(**fields):
    return {"type": "object", "properties": fields}


def mapping(values):
    return {"type": "object", "additionalProperties": values}


KV = obj(k=STRING, v=STRING)

CASES = [
    ("self.min <= self.max", obj(min=INT, max=INT), {"min": 1, "max": 2}, True),
    ("has(self.a) != has(self.b)", obj(a=STRING, b=STRING), {"a": "x"}, True),
    ('self.a == "x"', obj(a=STRING), {}, ERROR),
    ('!has(self.a) || self.a.startsWith("x")', obj(a=STRING), {}, True),
    ('self.all(x, x.k != "")', array(KV), [{"k": "a"}], True),
    ('self.exists_one(x, x.k == "a")', array(KV), [{"k": "a"}, {"k": "a"}], False),
    ("self.map(x, x.k).isSorted()", array(KV), [{"k": "a"}, {"k": "b"}], True),
    ("self.isSorted()", array(INT), [2, 1], False),
    ("self.sum() == 6", array(INT), [1, 2, 3], True),
    ("self.min() == 1 && self.max() == 3", array(INT), [1, 2, 3], True),
    ("self.indexOf(2) == 1", array(INT), [1, 2, 3], True),
    ('self.lastIndexOf("b") == 2', array(STRING), ["b", "a", "b"], True),
    ('quantity(self).isLessThan(quantity("2Gi"))', STRING, "1500Mi", True),
    ("isQuantity(self)", STRING, "1.5x", False),
    ('quantity(self).compareTo(quantity("1")) == 0', STRING, "1000m", True),
    ('quantity(self).add(quantity("1k")).asInteger() == 1500', STRING, "500", True),
    ("sign(quantity(self)) == 1", STRING, "-1", False),
    ("isURL(self)", STRING, "https://a.b/c?d=e", True),
    ("isURL(self)", STRING, "a b", False),
    ('url(self).getScheme() == "https"', STRING, "https://a.b:80/c", True),
    ('url(self).getHostname() == "a.b" && url(self).getPort() == "80"', STRING, "https://a.b:80/c", True),
    ('url(self).getQuery()["d"][0] == "e"', STRING, "https://a.b/c?d=e", True),
    ("isIP(self)", STRING, "10.0.0.1", True),
    ("isIP(self) && ip(self).family() == 6", STRING, "2001:db8::1", True),
    ('isCIDR(self) && cidr(self).containsIP("10.1.1.1")', STRING, "10.0.0.0/8", True),
    ("cidr(self).prefixLength() == 8 && cidr(self).ip().family() == 4", STRING, "10.0.0.0/8", True),
    ("ip.isCanonical(self)", STRING, "2001:DB8::1", False),
    ('self.find("[0-9]+") == "12"', STRING, "a12b3", True),
    ('self.findAll("[0-9]+") == ["12", "3"]', STRING, "a12b3", True),
    ('self.matches("^[a-z]+$")', STRING, "abc", True),
    ('self.matches("(?i)^ABC$")', STRING, "abc", True),
    ('self.split(",").size() == 2', STRING, "a,b", True),
    ('self.lowerAscii() == "abc" && self.upperAscii() == "ABC"', STRING, "aBc", True),
    ('self.replace("a", "b") == "bb"', STRING, "ab", True),
    ('self.substring(1) == "b" && self.charAt(0) == "a"', STRING, "ab", True),
    ('self.trim() == "a"', STRING, " a ", True),
    ('self.join("-") == "a-b"', array(STRING), ["a", "b"], True),
    ('"%s-%d".format([self, 3]) == "a-3"', STRING, "a", True),
    ("!format.dns1123Label().validate(self).hasValue()", STRING, "abc", True),
    ('!format.named("dns1123Subdomain").value().validate(self).hasValue()', STRING, "A_b", False),
    ('self.?a.orValue("x") == "x"', obj(a=STRING), {}, True),
    ("self.?a.hasValue()", obj(a=STRING), {"a": "y"}, True),
    ("self.a.?b.c.orValue(0) == 0", obj(a=obj(b=obj(c=INT))), {"a": {}}, True),
    ('self[?"k"].orValue("none") == "none"', mapping(STRING), {}, True),
    ('sets.contains(self, ["a"]) && sets.intersects(self, ["b"])', array(STRING), ["a", "b"], True),
    ('sets.equivalent(self, ["b", "a"])', array(STRING), ["a", "b"], True),
    ('self == ["b", "a"]', array(STRING, **SET), ["a", "b"], True),
    ('self == ["b", "a"]', array(STRING), ["a", "b"], False),
    ('self + ["a", "c"] == ["a", "b", "c"]', array(STRING, **SET), ["a", "b"], True),
    ("size(self + self) == 1", array(KV, **MAP), [{"k": "a", "v": "1"}], True),
    ('type(self) == string ? self.endsWith("%") : self >= 1', INT_OR_STRING, "50%", True),
    ('type(self) == string ? self.endsWith("%") : self >= 1', INT_OR_STRING, 3, True),
    ("self >= 1", INT_OR_STRING, "x", ERROR),
    ('self.__namespace__ == "x"', obj(namespace=STRING), {"namespace": "x"}, True),
    (
        "self.a__dash__b == 1 && self.c__dot__d == 2 && self.e__slash__f == 3",
        obj(**{"a-b": INT, "c.d": INT, "e/f": INT}),
        {"a-b": 1, "c.d": 2, "e/f": 3},
        True,
    ),
    ("self.x__underscores__y == 1", obj(x__y=INT), {"x__y": 1}, True),
    ("self > 1 && self < 2.5", NUMBER, 2, True),
    ("self.i > self.d", obj(i=INT, d=NUMBER), {"i": 2, "d": 1.5}, True),
    ('self == duration("90m")', {**STRING, "format": "duration"}, "1h30m", True),
    (
        'self > timestamp("2023-01-01T00:00:00Z")',
        {**STRING, "format": "date-time"},
        "2024-01-01T00:00:00Z",
        True,
    ),
    ("self.getFullYear() == 2024", {**STRING, "format": "date"}, "2024-05-06", True),
    ('self == b"abc"', {**STRING, "format": "byte"}, "YWJj", True),
    ('self.all(k, k.startsWith("a") && self[k] != "")', mapping(STRING), {"a1": "x"}, True),
    ('"a" in self', mapping(STRING), {"a": "x"}, True),
    ('self in ["a", "b"]', STRING, "c", False),
    ("cel.bind(n, self.size(), n > 1 && n < 5)", STRING, "abc", True),
    ('int(self) == 5 && string(int(self)) == "5"', STRING, "5", True),
    ("self / 0 == 1 || true", INT, 1, True),
    ("self / 0 == 1", INT, 1, ERROR),
    ("self + 9223372036854775807 > 0", INT, 1, ERROR),
    ("self.filter(x, x > 1).map(x, x * 2) == [4, 6]", array(INT), [1, 2, 3], True),
    ("self.map(x, x > 1, x * 2).size() == 2", array(INT), [1, 2, 3], True),
    ("self.all(i, v, i < v)", array(INT), [1, 2], True),
    ('semver(self).isLessThan(semver("2.0.0"))', STRING, "1.2.3", True),
    ("self[0] == 1 && self[size(self) - 1] == 2", array(INT), [1, 2], True),
    ("self[5] == 1", array(INT), [1], ERROR),
    ("self.size() == 2", STRING, "é\U0001f600", True),
    ("self.orValue(1) == 1 ? true : false", STRING, "a", ERROR),
    ("dyn(self) == 1.0", INT, 1, True),
    ('self.exists(x, x.v == "1" ) || self.all(x, x.k == "a")', array(KV), [{"k": "a"}], True),
]


def evaluated(rule, schema, value, old=None):
    take = Effort().take
    before = read_value(old, schema, take) if old is not None else None
    try:
        return build_program(rule)(
            CelScope({"self": read_value(value, schema, take), "oldSelf": before}, take)
        )
    except FaultError:
        return ERROR


@rows(("rule", "schema", "value", "want"), CASES)
def test_what_a_rule_comes_to(rule, schema, value, want):
    assert evaluated(rule, schema, value) is want


def plain(text):
    return evaluated(text, STRING, "")


@rows(
    ("text", "want"),
    [
        ("-7 / 2", -3),
        ("-7 % 2", -1),
        ("1u + 2u", 3),
        ("7.0 / 2.0", 3.5),
        ("1.0 / 0.0 > 5.0", True),
        (r"'\x41\u00e9\n\101'", "Aé\nA"),
        (r"r'\x41'", r"\x41"),
        ("'''a'b'''", "a'b"),
        (r"b'\xff'", b"\xff"),
        ("0x1F", 31),
        ("[1, ?optional.none(), ?optional.of(2)]", [1, 2]),
        ("{'a': 1, ?'b': optional.none()}", {"a": 1}),
        ("type(null) == null_type", True),
        ("type(duration('1s')) == google.protobuf.Duration", True),
        ("[3, 1, 2].sort()", [1, 2, 3]),
        ("[[1], [2]].flatten()", [1, 2]),
        ("[1, 1, 2].distinct()", [1, 2]),
        ("[1, 2, 3].slice(1, 2)", [2]),
        ("['b', 'aa'].sortBy(x, x.size())", ["b", "aa"]),
        ("lists.range(3)", [0, 1, 2]),
        ("[1, 2].transformList(i, v, i + v)", [1, 3]),
        ("{'a': 1}.transformMap(k, v, v + 1)", {"a": 2}),
        ("optional.of(1).optMap(x, x + 1).value()", 2),
        ("optional.none().or(optional.of(3)).value()", 3),
        ("optional.none().value()", ERROR),
        ("string(1.5) + string(true) + string(duration('90s'))", "1.5true90s"),
        ("string(timestamp('2024-01-01T01:00:00+01:00'))", "2024-01-01T00:00:00Z"),
        ("timestamp('2024-01-02T03:04:05Z').getDayOfWeek()", 2),
        ("timestamp('2024-01-02T23:04:05Z').getHours('+02:00')", 1),
        ("timestamp('2024-01-02T00:00:00Z') - timestamp('2024-01-01T00:00:00Z') == duration('24h')", True),
        ("timestamp('2024-13-01T00:00:00Z')", ERROR),
        ("duration('1h30m').getMinutes()", 90),
        ("duration('x')", ERROR),
        ("int('x')", ERROR),
        ("int(9e30)", ERROR),
        ("bool('true')", True),
        ("double('1e3')", 1000.0),
        ("'%.2f %x %e'.format([1.5, 255, 1.0])", "1.50 ff 1.000000e+00"),
        ("'%d'.format(['x'])", ERROR),
        ("strings.quote('a\"b')", '"a\\"b"'),
        ("'a-b-c'.lastIndexOf('-')", 3),
        ("'abc'.substring(2, 1)", ERROR),
        ("isIP('::ffff:1.2.3.4')", False),
        ("cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')", True),
        ("string(cidr('10.1.2.3/8').masked())", "10.0.0.0/8"),
        ("ip('127.0.0.1').isLoopback()", True),
        ("ip('x')", ERROR),
        ("quantity('x')", ERROR),
        ("quantity('1Ki') == quantity('1024')", True),
        ("quantity('1.5').isInteger()", False),
        ("quantity('100m').asApproximateFloat()", 0.1),
        ("isSemver('1.0')", False),
        ("semver('v1.0', true).minor()", 0),
        ("semver('1.0.0-rc.1').isLessThan(semver('1.0.0'))", True),
        ("1 == 2 || 1 / 0 == 1", ERROR),
        ("1 / 0 == 1 && false", False),
        ("[1, 0].exists(x, 1 / x == 1)", True),
        ("[0, 2].all(x, 1 / x == 1)", False),
        ("[0, 1].all(x, 1 / x == 1)", ERROR),
        ("'a' < 1 ? 1 : 2", ERROR),
        ("[1, 2].exists(self, self == 2) && self == ''", True),
        ("9223372036854775807 + 1", ERROR),
        ("-9223372036854775808 / -1", ERROR),
        ("0u - 1u", ERROR),
        ("'x'.contains", ERROR),
    ],
)
def test_what_an_expression_comes_to(text, want):
    found = plain(text)
    assert found == want and isinstance(found, type(want))


@rows(
    "text",
    [
        "authorizer.group('x').resource('y').check('get').allowed()",
        "self.madeUp()",
        "madeUp(self)",
        "other == 1",
        "'x'.matches('[')",
        "timestamp('2024-01-02T23:04:05Z').getHours('Europe/Berlin') == 1",
    ],
)
def test_what_is_not_known_is_said(text):
    with pytest.raises(UnknownError):
        plain(text)


def test_null_is_no_field_of_an_object_but_an_entry_of_a_map():
    nullable = {**STRING, "nullable": True}
    assert evaluated("has(self.a)", obj(a=nullable), {"a": None}) is False
    assert evaluated("has(self.a) && self.a == null", mapping(nullable), {"a": None}) is True


def test_objects_are_equal_field_by_field():
    schema = obj(a=array(STRING, **SET), b=INT)
    one, other = {"a": ["x", "y"], "b": 1}, {"a": ["y", "x"], "b": 1}
    assert evaluated("self == oldSelf", schema, one, other) is True
    assert evaluated("self == oldSelf", schema, one, {"a": ["x", "y"]}) is False


def test_what_a_rule_makes_has_a_limit():
    rule = "self"
    for turn in range(40):
        rule = f"cel.bind(v{turn}, {rule}, v{turn} + v{turn})"
    with pytest.raises(EffortExceededError):
        evaluated(rule, STRING, "x")
