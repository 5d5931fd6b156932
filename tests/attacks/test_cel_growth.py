"""CEL expressions that make much of little are stopped before they have taken the memory or the time."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from limits import CHECK, VALIDATE, taken, written
from small_crd import crd_of, widget

from kitgen.crd.validate.rules import Effort
from kitgen.crd.validate.walk import Walk

STEPS, LARGE = 3_000, 450_000
"""How many bytes so many steps may take: some times what they stand for, and what is read beside."""
LETTERS, ITEMS = 4_000, 400
"""How much of a text and of a list is enough for what is made of it to be larger than that."""

TEXT, INTEGER = {"type": "string"}, {"type": "integer"}


def many(items: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": items, **more}


KEYED = {"type": "object", "required": ["k"], "properties": {"k": TEXT, "v": TEXT}}
MAP = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]}
FIELDS = {
    "s": TEXT,
    "t": TEXT,
    "l": many(TEXT),
    "n": many(INTEGER),
    "set": many(TEXT, **{"x-kubernetes-list-type": "set"}),
    "o": many(KEYED, **MAP),
    "m": {"type": "object", "additionalProperties": TEXT},
}


def chain(start: str, count: int = 30, body: str = "y + y") -> str:
    """Return a macro over what a macro made, again and again."""
    return start + f".map(y, {body})" * count


def each(made: str) -> str:
    """Return what keeps a value for every number of the object."""
    return f"self.n.map(x, {made}).size() > 0"


def pairs(made: str) -> str:
    """Return what keeps a value for every two numbers of the object."""
    return each(f"self.n.map(y, {made})")


SHARED = chain("[1]", 30, "[y, y]")
"""A list of thirty lists that stands for a billion."""

# Name → the expression, and the object that it is evaluated over.
ATTACKS: dict[str, tuple[str, str]] = {
    "concat doubles": (chain("[self.s]", 30) + "[0].size() > 0", "small"),
    "concat many": (chain("self.l.map(x, self.s)", 10) + ".size() > 0", "small"),
    "concat kept": (each("self.s + 'b'"), "long"),
    "concat nested": (pairs("self.s + self.s"), "small"),
    "bytes doubles": (chain("[bytes(self.s)]", 30) + "[0].size() > 0", "small"),
    "bytes kept": (each("bytes(self.s)"), "long"),
    "string of bytes": (each("string(bytes(self.s))"), "long"),
    "list doubles": (chain("[self.l]", 30) + "[0].size() > 0", "small"),
    "list literal": ("self.n.map(x, [" + ",".join(["x"] * 2000) + "]).size() > 0", "small"),
    "list literal nested": (pairs("[y, y, y, y]"), "small"),
    "map literal": (
        "self.n.map(x, {" + ",".join(f"'{i}': x" for i in range(2000)) + "}).size() > 0",
        "small",
    ),
    "map literals nested": (pairs("{'a': y}"), "small"),
    "empty maps": (pairs("{}"), "small"),
    "map of maps": (pairs("self.n.map(z, z)"), "small"),
    "filter nested": (each("self.n.filter(y, true)"), "wide"),
    "transformList": ("self.n.transformList(i, x, self.n.transformList(j, y, i + j)).size() > 0", "small"),
    "transformMap": (
        "self.n.transformMap(i, x, self.n.transformMap(j, y, self.s + 'a')).size() > 0",
        "small",
    ),
    "transformMapEntry": (
        "self.n.transformMapEntry(i, x, {string(i): self.s + string(i)}).size() > 0",
        "small",
    ),
    "transformMapEntry large": ("self.n.transformMapEntry(i, x, self.m).size() > 0", "map"),
    "sortBy": (each("self.l.sortBy(y, y)"), "wide"),
    "exists_one": ("self.n.exists_one(x, self.l.exists_one(y, self.l.exists_one(z, z == y)))", "small"),
    "join": ("self.l.map(x, self.s).join(self.s).size() > 0", "small"),
    "join separator": ("self.l.join(self.s).size() > 0", "both"),
    "join again": (chain("[self.l]", 20, "[y.join('ab'), y.join('ab')]") + "[0].size() > 0", "small"),
    "join kept": (each("self.l.join(',')"), "wide"),
    "split chars": (each("self.s.split('')"), "unicode"),
    "split signs": (each("self.s.split('a')"), "long"),
    "split few": (each("self.s.split('b', 3)"), "long"),
    "replace empty": ("self.s.replace('', self.s).size() > 0", "long"),
    "replace all": ("self.s.replace('a', self.s).size() > 0", "long"),
    "replace grows": (chain("['aa']", 30, "y.replace('a', 'aaaa')") + "[0].size() > 0", "small"),
    "replace kept": (each("self.s.replace('a', 'bb')"), "long"),
    "replace once": (each("self.s.replace('a', 'b', 1)"), "long"),
    "format text": (chain("['a']", 30, "'%s%s%s%s'.format([y, y, y, y])") + "[0].size() > 0", "small"),
    "format list": ("'%s'.format([self.l]).size() > 0", "wide"),
    "format shared lists": ("'%s'.format([" + "[[[[[[" + "self.l" + "]]]]]]" + "]).size() > 0", "wide"),
    "format shared fanout": (
        chain("[self.l]", 5, "[y,y,y,y,y,y,y,y,y,y]") + ".map(y, '%s'.format([y])).size() > 0",
        "wide",
    ),
    "format map": ("'%s'.format([self.m.transformMap(k, v, self.m)]).size() > 0", "map"),
    "format hex": (chain("['a']", 30, "'%x'.format([y])") + "[0].size() > 0", "small"),
    "format precision": ("'%.99999999f'.format([1.5]).size() > 0", "small"),
    "format precisions": (
        "self.n.map(x, '" + "%.99f" * 500 + "'.format([" + ",".join(["1e300"] * 500) + "])).size() > 0",
        "small",
    ),
    "format double": (each("'%.99f'.format([1e308])"), "wide"),
    "format percent": ("self.s.replace('a', '%%').format([]).size() > 0", "long"),
    "format dots": ("(self.s.replace('a','%.1')).format([1.0]).size() > 0", "long"),
    "quote": (each("strings.quote(self.s)"), "control"),
    "quote doubles": (chain("['\"']", 30, "strings.quote(y)") + "[0].size() > 0", "small"),
    "lowerAscii": (each("self.s.lowerAscii()"), "long"),
    "upperAscii": (each("self.s.upperAscii()"), "unicode"),
    "trim": (each("(' ' + self.s).trim()"), "long"),
    "substring": (each("self.s.substring(1)"), "long"),
    "charAt": ("self.n.all(x, self.s.charAt(1) == 'a')", "long"),
    "indexOf": ("self.n.all(x, self.s.indexOf('aaaaaaaaab') < 0)", "long"),
    "indexOf hard": ("self.n.all(x, self.s.indexOf(self.t) < 0)", "needle"),
    "contains hard": ("self.n.all(x, !self.s.contains(self.t))", "needle"),
    "lastIndexOf hard": ("self.n.all(x, self.s.lastIndexOf(self.t) < 0)", "needle"),
    "split hard": ("self.n.all(x, self.s.split(self.t).size() > 0)", "needle"),
    "replace hard": ("self.n.all(x, self.s.replace(self.t, '').size() > 0)", "needle"),
    "flatten": (chain("[self.l]", 20, "[y, y].flatten()") + "[0].size() > 0", "small"),
    "flatten deep": ("[" + chain("self.l", 25, "[y, y]") + "].flatten(1000000000).size() > 0", "small"),
    "flatten shared": (chain("[self.l]", 8, "[y,y,y,y,y,y,y,y,y,y]") + ".flatten(99).size() > 0", "small"),
    "flatten kept": (each("[self.l, self.l].flatten()"), "wide"),
    "slice": (each("self.l.slice(0, self.l.size() - 1)"), "wide"),
    "reverse": (each("self.l.reverse()"), "wide"),
    "range": ("lists.range(9223372036854775807).size() > 0", "small"),
    "range nested": ("lists.range(100000).map(x, lists.range(100000)).size() > 0", "small"),
    "range small nested": (
        "lists.range(1000).map(x, lists.range(1000).map(y, lists.range(1000))).size() > 0",
        "small",
    ),
    "sort": (each("self.l.sort()"), "wide"),
    "sort long texts": ("self.l.map(x, self.s + x).sort().size() > 0", "both"),
    "isSorted long texts": ("self.l.map(x, self.s).isSorted()", "both"),
    "max long texts": ("self.l.map(x, self.s).max() == self.s", "both"),
    "distinct": ("self.n.distinct().size() > 0", "wide"),
    "distinct ints": (each("[x]).distinct("), "wide"),
    "distinct lists": (each("self.n).distinct("), "small"),
    "sets.contains": ("sets.contains(self.n.map(x, [x]), self.n.map(x, [x + 1]))", "wide"),
    "sets.intersects": ("sets.intersects(self.n.map(x, {'a': x}), self.n.map(x, {'a': -x}))", "small"),
    "sets.equivalent": ("sets.equivalent(self.n.map(x, self.n), self.n.map(x, self.l))", "small"),
    "indexOf list": ("self.n.map(x, self.n).indexOf(self.n.map(x, x + 1)) < 0", "small"),
    "lastIndexOf nested": (
        chain("[[1]]", 25, "[y, y]") + ".lastIndexOf(" + chain("[[1]]", 25, "[y, y]") + "[0]) < 0",
        "small",
    ),
    "shared lists equal": (SHARED + " == " + chain("[2]", 30, "[y, y]"), "small"),
    "shared lists equal same": (SHARED + " == " + SHARED, "small"),
    "shared lists in": (SHARED + "[0] in " + SHARED, "small"),
    "shared lists distinct": ("(" + SHARED + " + " + SHARED + ").distinct().size() > 0", "small"),
    "shared lists set": ("sets.contains(" + SHARED + ", " + SHARED + ")", "small"),
    "shared lists index": ("(" + SHARED + ").indexOf(" + SHARED + "[0]) == 0", "small"),
    "shared maps equal": (
        chain("[1]", 30, "{'a': y, 'b': y}") + " == " + chain("[1]", 30, "{'a': y, 'b': y}"),
        "small",
    ),
    "shared optionals equal": (
        chain("[1]", 30, "[optional.of(y), optional.of(y)]")
        + " == "
        + chain("[1]", 30, "[optional.of(y), optional.of(y)]"),
        "small",
    ),
    "shared format": (
        chain("['a']", 6, "[" + ",".join("y" * 50) + "]") + ".map(y, '%s'.format([y])).size() > 0",
        "small",
    ),
    "optional kept": (pairs("optional.of(y)"), "small"),
    "optional list": (pairs("optional.of(self.s + 'a').orValue('b')"), "small"),
    "optMap": (each("optional.of(self.s).optMap(y, y + y).value()"), "long"),
    "optional index": (each("self.l[?0].optMap(y, y + self.s)"), "long"),
    "unwrap": (each("[optional.of(self.s + 'a')].unwrapOpt()"), "long"),
    "bind": ("cel.bind(a, self.s + self.s, " * 30 + "a.size() > 0" + ")" * 30, "small"),
    "bind doubles": (
        "cel.bind(a0, self.s, "
        + "".join(f"cel.bind(a{i + 1}, a{i} + a{i}, " for i in range(30))
        + "a30.size() > 0"
        + ")" * 31,
        "small",
    ),
    "set add": ("(self.set + self.l).size() > 0", "sets"),
    "set add lists": ("self.n.all(x, (self.set + self.l).size() > 0)", "sets"),
    "keyed add": ("(self.o + self.n.map(x, self.o[0])).size() > 0", "longkeys"),
    "keyed equal": ("self.o == self.o + [self.o[0]]", "keyed"),
    "string equal": ("self.n.all(x, self.s == self.t)", "twins"),
    "string less": ("self.n.all(x, self.s <= self.t)", "twins"),
    "string in list": ("self.l.all(x, x + 'b' in self.l)", "wide"),
    "long strings in list": ("self.n.all(x, self.t in self.l)", "medium"),
    "startsWith": ("self.n.all(x, self.s.startsWith(self.t))", "twins"),
    "endsWith": ("self.n.all(x, self.s.endsWith(self.t))", "twins"),
    "sum texts": ("self.l.map(x, self.s).sum() == 0", "both"),
    "sum lists": ("self.l.map(x, self.n).sum() == 0", "wide"),
    "matches bomb": ("self.s.matches('((a{100}){100}){100}')", "long"),
    "matches nested": ("self.s.matches('(((a{30}){30}){30}){30}')", "long"),
    "matches slow": ("self.n.all(x, self.s.matches('(a|b|ab)*(a|ba){20}c'))", "long"),
    "matches many": ("self.n.all(x, self.s.matches('[ab]*a[ab]{100}c' + string(x)))", "long"),
    "matches long": ("self.n.all(x, 'aaa'.matches(self.s + string(x)))", "long"),
    "matches dfa": ("self.n.all(x, self.t.matches('[ab]*a[ab]{12}c' + string(x)))", "bits"),
    "find": (each("self.s.find('a+')"), "long"),
    "findAll": (each("self.s.findAll('a')"), "long"),
    "findAll empty": (each("self.s.findAll('')"), "long"),
    "findAll unicode": (each("self.s.findAll('..')"), "unicode"),
    "find bomb": ("self.s.find('((a{100}){100}){100}') == ''", "long"),
    "find patterns": ("self.n.all(x, 'aaa'.find('a{1,1000}' + string(x)) == '')", "wide"),
    "find backtrack": ("self.s.find('a*a*b') == ''", "medium"),
    "getQuery": (each("url('http://a/?' + self.s).getQuery()"), "query"),
    "url": (each("url('http://a/' + self.s).getEscapedPath()"), "long"),
    "isURL": ("self.n.all(x, isURL('http://a/' + self.s))", "long"),
    "quantity": ("self.l.map(x, quantity('1E')).size() > 0", "wide"),
    "quantities add": (chain("[quantity('1')]", 40, "y.add(y)") + ".size() > 0", "small"),
    "quantities deep": (
        chain("[quantity('9223372036854775807')]", 3000, "y.add(y)") + ".size() > 0",
        "small",
    ),
    "quantity long": ("isQuantity(self.s)", "digits"),
    "semver": (each("semver('1.0.0-' + self.s.substring(0, 900))"), "dots"),
    "isSemver": ("self.n.all(x, !isSemver(self.s, true))", "dots"),
    "int of text": ("int(self.s) > 0", "digits"),
    "double of text": ("double(self.s) > 0.0", "digits"),
    "double power": ("1e999999999 > 0.0", "small"),
    "ints multiply": (chain("[3]", 60, "y * y") + ".size() > 0", "small"),
    "string of numbers": (pairs("string(1e300)"), "small"),
    "timestamps": (pairs("timestamp('2020-01-01T00:00:00Z')"), "small"),
    "timestamp strings": (pairs("string(timestamp('2020-01-01T00:00:00Z'))"), "small"),
    "durations": (pairs("duration('1h') + duration('1h')"), "small"),
    "duration long": ("self.n.all(x, duration(self.s) == duration('1s'))", "digits"),
    "addresses": (pairs("ip('10.0.0.1')"), "small"),
    "networks": (pairs("cidr('10.0.0.1/8').masked()"), "small"),
    "format validate": (each("format.uri().validate(self.s)"), "long"),
    "format label": (pairs("format.dns1123Label().validate('_')"), "small"),
    "types": (pairs("type(y)"), "small"),
    "negative": (pairs("-y * 1000000007"), "small"),
    "dyn": (each("dyn(self.s + 'a')"), "long"),
    "uints": (pairs("uint(123456789)"), "small"),
    "comprehension names": (
        "self.n.all(a, self.n.all(b, self.n.all(c, self.n.all(d, a+b+c+d >= 0))))",
        "small",
    ),
    "ternary": (each("x > 0 ? self.s + 'a' : self.s + 'b'"), "long"),
    "error swallowed": ("self.n.all(x, " + chain("[self.s]", 30) + "[0].size() < 0) || true", "small"),
    "escapeKey": (each("jsonpatch.escapeKey(self.s)"), "long"),
    "find turns": ("self.n.all(x, self.t.substring(0, 990).find('a*a*b') == '')", "medium"),
    "matches characters": (
        "self.n.all(x, self.t.matches('[ab]*a" + "[ab]" * 18 + "c'))",
        "bits",
    ),
    "matches counted": ("self.n.all(x, self.t.matches('[ab]*a[ab]{250}c'))", "bits"),
}


NUMBERS = list(range(1000))
OBJECTS: dict[str, dict[str, Any]] = {
    "small": {"s": "a" * 1000, "l": ["b"] * 1000, "n": NUMBERS, "m": {"a": "b"}},
    "long": {"s": "a" * 900_000, "l": ["b"] * 1000, "n": NUMBERS},
    "unicode": {"s": "€" * 300_000, "n": NUMBERS},
    "control": {"s": '"\\' * 200_000, "n": NUMBERS},
    "wide": {"s": "abc", "l": [f"a{n % 10}" for n in range(60_000)], "n": [*range(60_000)]},
    "both": {"s": "a" * 400_000, "l": ["b"] * 50_000, "n": NUMBERS},
    "map": {"s": "a", "m": {f"k{n}": "b" for n in range(50_000)}, "n": NUMBERS},
    "needle": {"s": ("a" * 300 + "b") * 2000, "t": "a" * 150 + "b" + "a" * 151, "n": [*range(20_000)]},
    "twins": {"s": "a" * 450_000, "t": "a" * 450_000, "n": [*range(10_000)]},
    "medium": {
        "s": "a" * 10_000,
        "t": "a" * 999 + "c",
        "l": ["a" * 999 + "b"] * 850,
        "n": [*range(10_000)],
    },
    "sets": {"set": [f"s{n}" for n in range(40_000)], "l": [f"t{n}" for n in range(40_000)], "n": NUMBERS},
    "keyed": {"o": [{"k": f"s{n}"} for n in range(40_000)]},
    "longkeys": {"o": [{"k": "a" * 500_000}], "n": [*range(40_000)]},
    "bits": {"t": "".join("ab"[n * n % 7 % 2] for n in range(500_000)), "n": NUMBERS},
    "digits": {"s": "9" * 900_000, "n": NUMBERS},
    "dots": {"s": "1." * 400_000 + "1", "n": [*range(20_000)]},
    "query": {"s": "a=b&" * 200_000, "n": NUMBERS},
}


def rules(*expressions: str, **more: str) -> dict[str, Any]:
    found = [{"rule": each, "message": "no", **more} for each in expressions]
    return {"type": "object", "properties": FIELDS, "x-kubernetes-validations": found}


def shortened(value: Any) -> Any:
    """Return the start of texts, lists and maps."""
    match value:
        case str():
            return value[:LETTERS]
        case list():
            return [shortened(each) for each in value[:ITEMS]]
        case dict():
            return {key: shortened(each) for key, each in [*value.items()][:ITEMS]}
    return value


@pytest.mark.parametrize("name", ATTACKS)
def test_what_an_expression_makes_takes_steps_first(name: str) -> None:
    expression, over = ATTACKS[name]
    # A text of the object is not made, but what is made of it at once is of its size.
    value = widget(shortened(OBJECTS[over]))
    schema = {"type": "object", "properties": {"spec": rules(expression)}}
    Walk(Effort(STEPS)).walk_object(schema, value, namespaced=True, status=False)  # compiled, and kept
    tracemalloc.start()
    try:
        Walk(Effort(STEPS)).walk_object(schema, value, namespaced=True, status=False)
        assert tracemalloc.get_traced_memory()[1] < LARGE
    finally:
        tracemalloc.stop()


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ATTACKS)
def test_a_command_takes_little_memory_and_time(name: str, tmp_path: Path) -> None:
    expression, over = ATTACKS[name]
    read = {key: value for key, value in OBJECTS[over].items() if f"self.{key}" in expression}
    written(tmp_path, crd_of(rules(expression)), name="crd.yaml")
    taken(written(tmp_path, widget(read)), *VALIDATE)


def test_the_limit_is_a_finding(tmp_path: Path) -> None:
    bomb = chain("self.l.map(x, self.s)", 10) + ".size() > 0"
    crd = crd_of(rules(bomb))
    written(tmp_path, crd, name="crd.yaml")
    written(tmp_path, crd, widget(OBJECTS["small"]))
    for command in (CHECK, VALIDATE):
        assert "effort-limit" in taken(tmp_path, *command)
