"""Forms that many fields have: words of a list, names, ports, labels, addresses, percentages.

Each function yields what is wrong with one field of a mapping. What has another type than it should, and
what is missing though a schema requires it, is left to schemas.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from kitgen.check.server.rules import SERVER_DUPLICATE, SERVER_FORBIDDEN, SERVER_INVALID, SERVER_REQUIRED
from kitgen.findings import Path, Problem
from kitgen.kube.names import NameForm, is_qualified, wrong_pairs
from kitgen.text.wording import choice, cut, shown
from kitgen.text.yaml import Json, JsonObject

PROTOCOLS = ("TCP", "UDP", "SCTP")
PORTS = (1, 65535)
MOST = 2**31
PORT_NAME = re.compile(r"(?!-)(?!.*--)(?=.*[a-z])[-a-z0-9]{1,15}(?<!-)")
PERCENT = re.compile(r"[0-9]{1,9}%")
PATH_REST = re.compile(r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+")
ZEROS = re.compile(r"(?<![0-9a-fA-F:])0+(?=[0-9])")
LONGEST_ADDRESS = 64
NEAR = (ip_network("224.0.0.0/24"), ip_network("ff02::/16"))
"""Addresses of all in the same network."""
QUALIFIED = "a name of at most 63 letters, digits, -, _ and ., with a domain and / before it if any"


def text(value: JsonObject, field: str) -> str:
    """Return the text in a field; empty where there is none."""
    found = value.get(field)
    return found if isinstance(found, str) else ""


def mapping(value: Json) -> JsonObject:
    """Return a mapping; an empty one in place of anything else."""
    return value if isinstance(value, dict) else {}


def items(value: Json) -> list[Json]:
    """Return a list; an empty one in place of anything else."""
    return value if isinstance(value, list) else []


def mappings(value: JsonObject, field: str) -> Iterator[tuple[int, JsonObject]]:
    """Yield the mappings in a list, with their places."""
    for index, item in enumerate(items(value.get(field))):
        if isinstance(item, dict):
            yield index, item


def number(value: Json) -> int | None:
    """Return a whole number; None in place of anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def is_unset(value: JsonObject, field: str) -> bool:
    """Tell whether an API server finds nothing in a field: it is left out, null or empty."""
    return value.get(field) in (None, "", 0, [], {}) and value.get(field) is not False


def lacking(value: JsonObject, field: str, expected: str, hint: str = "") -> Problem:
    """Say that a field is needed."""
    return SERVER_REQUIRED(f"found no {field}, expected {expected}", at(value, field), hint)


def at(value: JsonObject, field: str) -> Path:
    """Return the place of a field; that of the mapping where it is left out."""
    return (field,) if field in value else ()


def needed(value: JsonObject, *fields: str, expected: str = "") -> Iterator[Problem]:
    """Yield fields that are there but empty; schemas require them, and are content with that."""
    for field in fields:
        if field in value and is_unset(value, field):
            yield lacking(value, field, expected or "one")


def worded(
    value: JsonObject, field: str, words: Sequence[str], *, path: Path = (), strict: bool = False
) -> Iterator[Problem]:
    """Yield that a field is none of the words; where it is not strict, an empty one is filled in."""
    found = value.get(field)
    if isinstance(found, str) and (found or strict) and found not in words:
        yield SERVER_INVALID(f"found {shown(found)}, expected {choice(words)}", (*path, field))


def listed(value: JsonObject, field: str, words: Sequence[str]) -> Iterator[Problem]:
    """Yield the items of a list that are none of the words."""
    for index, each in enumerate(items(value.get(field))):
        if isinstance(each, str) and each not in words:
            yield SERVER_INVALID(f"found {shown(each)}, expected {choice(words)}", (field, index))


def named(value: JsonObject, field: str, form: NameForm) -> Iterator[Problem]:
    """Yield that the text in a field is no name of a form; an empty one is not looked at."""
    found = text(value, field)
    if found and not form.fits(found):
        yield SERVER_INVALID(f"found {cut(found)}, expected {form}", (field,))


def qualified(value: JsonObject, field: str, *, lower: bool = False) -> Iterator[Problem]:
    """Yield that the text in a field is no name that may have a domain before it."""
    found = value.get(field)
    if isinstance(found, str) and not is_qualified(found.lower() if lower else found):
        yield SERVER_INVALID(f"found {shown(found)}, expected {QUALIFIED}", (field,))


def within(value: JsonObject, field: str, low: int, high: int | None = None) -> Iterator[Problem]:
    """Yield that a number is out of bounds."""
    found = number(value.get(field))
    if found is not None and found >= MOST and high is not None and high < MOST:
        return  # who reads numbers tells of it
    if found is not None and (found < low or (high is not None and found > high)):
        expected = f"{low} or more" if high is None else f"a number from {low} to {high}"
        yield SERVER_INVALID(f"found {shown(found)}, expected {expected}", (field,))


def port(value: JsonObject, field: str, *, zero: bool = False) -> Iterator[Problem]:
    """Yield that a field is neither the number nor the name of a port; zero may stand for nothing."""
    found = value.get(field)
    if zero and found in (0, ""):
        return
    if isinstance(found, str):
        if not PORT_NAME.fullmatch(found):
            expected = "the name of a port: at most 15 lower case letters, digits and single dashes"
            yield SERVER_INVALID(f"found {shown(found)}, expected {expected}", (field,))
    else:
        yield from within(value, field, *PORTS)


def pairs(value: JsonObject, field: str) -> Iterator[Problem]:
    """Yield what is wrong with labels that stand in a field of their own."""
    for problem in wrong_pairs(value.get(field), (field,), values=True):
        yield SERVER_INVALID(problem.message, problem.path, problem.hint)


def percentage(value: JsonObject, field: str) -> Iterator[Problem]:
    """Yield that a field is neither a number from 0 on nor up to 100 %."""
    found = value.get(field)
    wrong = (isinstance(found, int) and not isinstance(found, bool) and found < 0) or (
        isinstance(found, str) and not (PERCENT.fullmatch(found) and int(found[:-1]) <= 100)
    )
    if wrong:
        yield SERVER_INVALID(
            f"found {shown(found)}, expected a number from 0 on or a percentage up to 100%", (field,)
        )


def unique(
    value: JsonObject, field: str, key: Callable[[JsonObject], Json], what: str, *, below: Path = ()
) -> Iterator[Problem]:
    """Yield the mappings of a list that have the same as one before them; an empty key is no key."""
    seen: dict[str, int] = {}
    for index, item in mappings(value, field):
        found = key(item)
        if found in (None, ""):
            continue
        first = seen.setdefault(repr(found), index)
        if first != index:
            name = found if isinstance(found, str) else "/".join(map(str, items(found)))
            message = f"found the {what} {cut(name)} again, item {first} has it"
            yield SERVER_DUPLICATE(message, (field, index, *below))


def unlike(value: JsonObject, field: str) -> Iterator[Problem]:
    """Yield the texts of a list that stand there a second time."""
    seen: set[str] = set()
    for index, each in enumerate(items(value.get(field))):
        if isinstance(each, str):
            if each in seen:
                yield SERVER_DUPLICATE(f"found {shown(each)} again", (field, index))
            seen.add(each)


def exactly_one(value: JsonObject, fields: Collection[str], what: str) -> Iterator[Problem]:
    """Yield that none of some fields is there, or more than one."""
    there = [field for field in fields if value.get(field) is not None]
    if not there:
        yield SERVER_REQUIRED(f"found no {what}, expected {choice(list(fields))}")
    for field in there[1:]:
        yield SERVER_FORBIDDEN(f"found {field} beside {there[0]}, expected one of them", (field,))


def network(value: Json) -> IPv4Network | IPv6Network | None:
    """Return a network as an API server reads it: zeros before a number do not count."""
    if not isinstance(value, str) or len(value) > LONGEST_ADDRESS or "/" not in value or "%" in value:
        return None
    if not value.rpartition("/")[2].isdecimal():
        return None
    try:
        return ip_network(ZEROS.sub("", value) if ":" not in value else value, strict=False)
    except ValueError:
        return None


def family(value: Json) -> int:
    """Return the version of an IP address as an API server reads it; 0 for what is none."""
    if not isinstance(value, str) or len(value) > LONGEST_ADDRESS or "%" in value:
        return 0
    try:
        return ip_address(ZEROS.sub("", value) if ":" not in value else value).version
    except ValueError:
        return 0


def is_domain_path(value: str) -> bool:
    """Tell whether a text is a path with a domain before it, such as example.com/class."""
    domain, slash, rest = value.partition("/")
    return bool(slash) and NameForm.SUBDOMAIN.fits(domain) and PATH_REST.fullmatch(rest) is not None


def is_plain(text: str) -> bool:
    """Tell whether a text is an address that a service or an endpoint may have."""
    if not family(text):
        return False
    try:
        address = ip_address(text)
    except ValueError:
        return True  # with zeros before a number
    special = address.is_unspecified or address.is_loopback or address.is_link_local
    return not special and not any(address in each for each in NEAR if each.version == address.version)
