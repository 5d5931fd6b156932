"""Every function of the CEL libraries of API servers: its form, what it takes, since which minor."""

from __future__ import annotations

import re

import pytest
from some import rows

from kitgen.cel import types
from kitgen.cel.compile import compile_expression
from kitgen.cel.inference import PATCHES
from kitgen.cel.run.formats import FORMATS
from kitgen.cel.run.functions import TABLE
from kitgen.cel.run.program import LIBRARIES
from kitgen.crd.validate.rules import Effort

PARTS = ("FullYear", "Month", "Date", "DayOfMonth", "DayOfWeek", "DayOfYear")
CLOCK = ("Hours", "Minutes", "Seconds", "Milliseconds")
DECLARED = {
    0: """
        size(string) string.size() size(bytes) bytes.size() size(list) list.size() size(map) map.size()
        type(any) dyn(any) bool(bool) bool(string) bytes(bytes) bytes(string)
        int(int) int(uint) int(double) int(string) int(timestamp) int(duration)
        uint(int) uint(uint) uint(double) uint(string) double(double) double(int) double(uint) double(string)
        string(string) string(int) string(uint) string(bool) string(double) string(bytes) string(timestamp)
        string(duration) duration(string) duration(duration) duration(int)
        timestamp(string) timestamp(int) timestamp(timestamp)
        matches(string,string) string.matches(string)
        string.startsWith(string) string.endsWith(string) string.contains(string)
        string.charAt(int) string.indexOf(string) string.indexOf(string,int) string.lastIndexOf(string)
        string.lastIndexOf(string,int) string.lowerAscii() string.upperAscii() string.trim()
        string.replace(string,string) string.replace(string,string,int) string.split(string)
        string.split(string,int) string.substring(int) string.substring(int,int)
        list.join() list.join(string)
        string.find(string) string.findAll(string) string.findAll(string,int)
        list.isSorted() list.sum() list.min() list.max() list.indexOf(any) list.lastIndexOf(any)
        isURL(string) url(string) url.getScheme() url.getHost() url.getHostname() url.getPort()
        url.getEscapedPath() url.getQuery() jsonpatch.escapeKey(string)
        authorizer.path(string) authorizer.group(string) authorizer.serviceAccount(string,string)
        group-check.resource(string) resource-check.subresource(string) resource-check.namespace(string)
        resource-check.name(string) path-check.check(string) resource-check.check(string)
        decision.allowed() decision.reason() decision.errored() decision.error() """
    + " ".join(f"timestamp.get{part}() timestamp.get{part}(string)" for part in (*PARTS, *CLOCK))
    + " "
    + " ".join(f"duration.get{part}()" for part in CLOCK),
    29: """
        quantity(string) isQuantity(string) sign(quantity) quantity.isInteger() quantity.asInteger()
        quantity.asApproximateFloat() quantity.add(quantity) quantity.add(int) quantity.sub(quantity)
        quantity.sub(int) quantity.isGreaterThan(quantity) quantity.isLessThan(quantity)
        quantity.compareTo(quantity) optional.of(any) optional.none() optional.ofNonZeroValue(any)
        optional.hasValue() optional.value()""",
    30: """string.format(list) strings.quote(string)
        sets.contains(list,list) sets.equivalent(list,list) sets.intersects(list,list)""",
    31: """
        ip(string) isIP(string) ip.isCanonical(string) string(ip) ip.family() ip.isUnspecified()
        ip.isLoopback() ip.isLinkLocalUnicast() ip.isLinkLocalMulticast() ip.isGlobalUnicast()
        cidr(string) isCIDR(string) string(cidr) cidr.containsIP(ip) cidr.containsIP(string)
        cidr.containsCIDR(cidr) cidr.containsCIDR(string) cidr.ip() cidr.masked() cidr.prefixLength()""",
    32: "format.validate(string) format.named(string) resource-check.fieldSelector(string) "
    "resource-check.labelSelector(string) "
    + " ".join(f"format.{name}()" for name in FORMATS),
    33: "list.first() list.last() optional.unwrap(list) list.unwrapOpt()",
    34: """
        semver(string) semver(string,bool) isSemver(string) isSemver(string,bool) semver.major()
        semver.minor() semver.patch() semver.isGreaterThan(semver) semver.isLessThan(semver)
        semver.compareTo(semver)""",
    35: """list.distinct() list.flatten() list.flatten(int) list.slice(int,int) list.reverse() list.sort()
        lists.range(int)""",
}  # fmt: skip
NAMED = (
    *("optional.of", "optional.none", "optional.ofNonZeroValue", "optional.unwrap", "strings.quote"),
    *("sets.", "ip.isCanonical", "format.", "lists.range", "jsonpatch."),
)
"""Functions with a dot in their name, which are no methods."""
VALUES = {
    "any": "1", "string": "'1'", "int": "1", "uint": "1u", "double": "1.5", "bool": "true", "bytes": "b'a'",
    "map": "{'a': 1}", "list": "[1]", "duration": "duration('1h')",
    "timestamp": "timestamp('2024-01-01T00:00:00Z')", "url": "url('http://a')", "quantity": "quantity('1')",
    "optional": "optional.of(1)", "ip": "ip('1.2.3.4')", "cidr": "cidr('1.2.3.0/24')",
    "format": "format.uri()", "semver": "semver('1.2.3')", "authorizer": "authorizer",
    "group-check": "authorizer.group('a')", "path-check": "authorizer.path('a')",
    "resource-check": "authorizer.requestResource", "decision": "authorizer.path('a').check('get')",
}  # fmt: skip
LISTS = {"join": "['a']", "flatten": "[[1]]", "unwrap": "[optional.of(1)]", "unwrapOpt": "[optional.of(1)]"}
SPECIAL = {
    "duration(string)": VALUES["duration"],
    "timestamp(string)": VALUES["timestamp"],
    "string.format(list)": "'%d'.format([1])",
}
FORM = re.compile(r"(?:(?P<receiver>[\w-]+)\.)?(?P<name>\w+)\((?P<arguments>[\w,-]*)\)")
OVERLOADS = [(text, since) for since, texts in DECLARED.items() for text in texts.split()]


def taken(text):
    """Return the receiver of an overload, the whole of its name, and the types of its arguments."""
    found = FORM.fullmatch(text)
    receiver, name = found["receiver"], found["name"]
    arguments = tuple(each for each in found["arguments"].split(",") if each)
    method = text == "format.validate(string)" or (receiver and not text.startswith(NAMED))
    return (
        (receiver if method else None),
        (name if method or not receiver else f"{receiver}.{name}"),
        arguments,
    )


def value(kind, name):
    return LISTS.get(name.rpartition(".")[2], VALUES["list"]) if kind == "list" else VALUES[kind]


def called(receiver, name, arguments):
    given = ", ".join(arguments)
    return f"{receiver}.{name}({given})" if receiver else f"{name}({given})"


def faults(text):
    names = {**types.NAMES, **types.AUTHORIZER}
    made = compile_expression(text, names, extras=frozenset({PATCHES}), take=Effort().take)
    return [(each.kind, each.since) for each in made.faults]


def test_no_overload_is_missing_and_none_is_made_up():
    assert LIBRARIES
    listed = set()
    for text, _ in OVERLOADS:
        receiver, name, arguments = taken(text)
        listed.add((f".{name}", receiver, *arguments) if receiver else (name, *arguments))
    assert set(TABLE) ^ listed == set()


@pytest.mark.parametrize(("text", "since"), OVERLOADS, ids=[text for text, _ in OVERLOADS])
def test_an_overload_is_taken_in_its_own_form_alone(text, since):
    receiver, name, arguments = taken(text)
    given = [value(kind, name) for kind in arguments]
    on = value(receiver, name) if receiver else ""
    right = SPECIAL.get(text) or called(on, name, given)
    newer = [each for kind, each in faults(right) if kind == "newer"]
    assert [kind for kind, _ in faults(right) if kind != "newer"] == []
    assert max(newer, default=0) == since

    def refused(expression):
        return [kind for kind, _ in faults(expression)] in (["invalid"], ["undeclared"])

    assert refused(called(on, name, [*given, "1", "1", "1", "1"]))
    other = (name, receiver, *arguments) if receiver else (f".{name}", *arguments)
    if given and other not in TABLE and not receiver and "." not in name:
        assert refused(called(given[0], name, given[1:]))
    if receiver and other not in TABLE:
        assert refused(called("", name, [on, *given]))
    if receiver:
        assert refused(called("type(1)", name, given))


@rows(
    ("expression", "right"),
    [
        ("['a'].flatten()", False),
        ("[[1]].flatten().sum() == 1", True),
        ("['a'].flatten(1)", True),
        ("[1].unwrapOpt()", False),
        ("optional.unwrap([optional.of(1)]).sum() == 1", True),
        ("optional.of(1).or(2)", False),
        ("optional.of(1).or(optional.none()).value() == 1", True),
        ("optional.of(1).optFlatMap(x, x)", False),
        ("optional.of(1).optFlatMap(x, optional.of('a')).value() == 'a'", True),
        ("optional.ofNonZeroValue('a').value() == 1", False),
        ("[1].sortBy(x, {'a': x})", False),
        ("{'a': 1}.sortBy(x, x)", False),
        ("['b', 'a'].sortBy(x, x) == ['a', 'b']", True),
        ("{'a': 1}.transformMapEntry(k, v, v)", False),
        ("{'a': 1}.transformMapEntry(k, v, {k: 'b'})['a'] == 'b'", True),
        ("'%d'.format(['a'])", False),
        ("'%f'.format([1])", False),
        ("'%q'.format([1])", False),
        ("'%s'.format([])", False),
        ("'%s%%'.format([1, 2])", False),
        ("'%s %.2f %x%%'.format([[1], 1.5, 'a'])", True),
        ("'%s'.format([quantity('1')])", False),
        ("matches('a', '[a')", False),
        ("type(1) == dyn", False),
        ("[1].existsOne(x, x == 1)", True),
    ],
)
def test_what_a_call_takes_is_checked_as_a_server_does(expression, right):
    found = [kind for kind, _ in faults(expression) if kind != "newer"]
    assert found == ([] if right else ["invalid"])
