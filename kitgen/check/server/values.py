"""Ask what API servers ask of single values: presence, words, ranges, names, paths, amounts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction

from kitgen.check.server.rules import (
    NAMED_TWICE,
    SERVER_DUPLICATE,
    SERVER_FORBIDDEN,
    SERVER_INVALID,
    SERVER_LIMIT,
    SERVER_REQUIRED,
)
from kitgen.findings import Problem, near
from kitgen.kube.names import WORD, NameForm, is_qualified
from kitgen.kube.quantities import amount
from kitgen.text.values import entries_at
from kitgen.text.wording import choice, cut, shown
from kitgen.text.yaml import Json, JsonObject

PORT_NAME = re.compile(r"(?=[a-z0-9-]{1,15}$)(?=.*[a-z])[a-z0-9]+(-[a-z0-9]+)*")
KEY = re.compile(r"[-._a-zA-Z0-9]{1,253}")
PERCENT = re.compile(r"[0-9]+%")
MOST = 2**31 - 1
"""The largest number of 32 bits, also of users and groups."""
PORTS = (1, 65535)
QUALIFIED = "a name, with a DNS subdomain and / before it if any"
PORT_EXPECTED = "at most 15 lower case letters, digits and single dashes between them, with a letter"
LABEL_VALUE = "at most 63 letters, digits, -, _ and ., with a letter or digit at both ends"
CONFIG_KEY = "at most 253 letters, digits, -, _ and ., and not . or .. at the start"


def text(value: Json) -> str:
    """Return a text as it is, and nothing for all else: schemas tell of that."""
    return value if isinstance(value, str) else ""


def number(value: Json) -> int | None:
    """Return a whole number, or None."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def texts(value: Json) -> list[tuple[int, str]]:
    """Return the texts of a list with their places."""
    items = value if isinstance(value, list) else []
    return [(index, item) for index, item in enumerate(items) if isinstance(item, str)]


def is_given(value: Json) -> bool:
    """Tell whether a server sees a value at all: it takes empty ones for none."""
    return value is not None and value not in ("", [], {})


def required(value: JsonObject, *fields: str) -> Iterator[Problem]:
    """Yield fields that are missing or empty."""
    for field in fields:
        if field not in value:
            yield SERVER_REQUIRED(f"found no field {cut(field)}, expected one")
        else:
            yield from not_empty(value, field)


def not_empty(value: JsonObject, *fields: str) -> Iterator[Problem]:
    """Yield fields that are there but empty; of missing ones schemas tell."""
    for field in fields:
        if field in value and not is_given(value[field]):
            yield SERVER_REQUIRED(f"found {shown(value[field])}, expected a value", (field,))


def forbidden(value: JsonObject, why: str, *fields: str) -> Iterator[Problem]:
    """Yield fields that are there and must not be."""
    for field in fields:
        if is_given(value.get(field)):
            yield SERVER_FORBIDDEN(f"found the field {cut(field)}, expected none {why}", (field,))


def one_of(value: JsonObject, field: str, words: Iterable[str], *, empty: bool = True) -> Iterator[Problem]:
    """Yield a word that is none of those; where the server has a default, an empty one is no fault."""
    found, known = value.get(field), list(words)
    if isinstance(found, str) and found not in known and (found or not empty):
        message = f"found {shown(found)}, expected {choice(known)}"
        yield SERVER_INVALID(message, (field,), near(found, known))


def at_least(value: JsonObject, low: int, *fields: str) -> Iterator[Problem]:
    """Yield numbers that are too small."""
    for field in fields:
        found = number(value.get(field))
        if found is not None and found < low:
            yield SERVER_INVALID(f"found {found}, expected at least {low}", (field,))


def between(value: JsonObject, low: int, high: int, *fields: str) -> Iterator[Problem]:
    """Yield numbers out of a range."""
    for field in fields:
        found = number(value.get(field))
        if found is not None and not low <= found <= high:
            yield SERVER_INVALID(f"found {found}, expected {low} to {high}", (field,))


def fitting(value: JsonObject, field: str, fits: Callable[[str], bool], expected: str) -> Iterator[Problem]:
    """Yield a text that is not empty and does not have a form."""
    found = value.get(field)
    if isinstance(found, str) and found and not fits(found):
        yield SERVER_INVALID(f"found {cut(found)}, expected {expected}", (field,))


def named(value: JsonObject, form: NameForm, *fields: str) -> Iterator[Problem]:
    """Yield names of another form."""
    for field in fields:
        yield from fitting(value, field, form.fits, str(form))


def qualified(value: JsonObject, *fields: str) -> Iterator[Problem]:
    """Yield texts that cannot be keys of labels."""
    for field in fields:
        yield from fitting(value, field, is_qualified, QUALIFIED)


def each_fitting(
    value: JsonObject, field: str, fits: Callable[[str], bool], expected: str
) -> Iterator[Problem]:
    """Yield the texts of a list that do not have a form."""
    for index, found in texts(value.get(field)):
        if not fits(found):
            yield SERVER_INVALID(f"found {shown(found)}, expected {expected}", (field, index))


def is_label_value(found: str) -> bool:
    """Tell whether a text can be the value of a label."""
    return not found or (len(found) <= 63 and WORD.fullmatch(found) is not None)


def is_config_key(found: str) -> bool:
    """Tell whether a text can be a key of a ConfigMap or Secret."""
    return KEY.fullmatch(found) is not None and found != "." and not found.startswith("..")


def port(value: JsonObject, field: str) -> Iterator[Problem]:
    """Yield what is wrong with a port that has a number or the name of a container's."""
    found = value.get(field)
    if field in value and found is None:
        yield from not_empty(value, field)
    if isinstance(found, str) and PORT_NAME.fullmatch(found) is None:
        yield SERVER_INVALID(f"found {shown(found)}, expected a port's name: {PORT_EXPECTED}", (field,))
    yield from between(value, *PORTS, field)


def told_twice(value: JsonObject, field: str, *keys: str) -> Iterator[Problem]:
    """Yield items of a list that say what one before them says by these keys, which a server takes."""
    seen: set[tuple[str, ...]] = set()
    for index, item in entries_at(value, field):
        name = tuple("" if (part := item.get(key)) is None else str(part)[:500] for key in keys)
        if name[0] and name in seen:
            message = f"found {cut(name[0])} again, expected it once"
            yield NAMED_TWICE(message, (field, index, keys[0]))
        seen.add(name)


def unique(value: JsonObject, field: str, key: str = "name") -> Iterator[Problem]:
    """Yield items of a list that have the name of one before them."""
    seen: set[str] = set()
    for index, item in entries_at(value, field):
        name = text(item.get(key))
        if name and name in seen:
            yield SERVER_DUPLICATE(f"found {cut(name)} again, expected it once", (field, index, key))
        seen.add(name)


def at_most(value: JsonObject, most: int, *fields: str) -> Iterator[Problem]:
    """Yield texts and lists that are too long."""
    for field in fields:
        found = value.get(field)
        size = len(found.encode(errors="replace")) if isinstance(found, str) else 0
        size = len(found) if isinstance(found, list) else size
        if size > most:
            unit = "characters" if isinstance(found, str) else "items"
            yield SERVER_LIMIT(f"found {size:,} {unit}, expected at most {most:,}", (field,))


def relative_path(value: JsonObject, field: str, *, reserved: bool = False) -> Iterator[Problem]:
    """Yield a path that is absolute or leads upwards, or starts with two dots where such are reserved."""
    found = text(value.get(field))
    if found.startswith("/"):
        yield SERVER_INVALID(f"found {cut(found)}, expected a relative path", (field,))
    if reserved and found.startswith("..") and not found.startswith("../") and found != "..":
        yield SERVER_INVALID(f"found {cut(found)}, expected no .. at the start", (field,))
    yield from no_way_up(value, field)


def no_way_up(value: JsonObject, field: str) -> Iterator[Problem]:
    """Yield a path with two dots between slashes."""
    found = text(value.get(field))
    if ".." in found.split("/"):
        yield SERVER_INVALID(f"found {cut(found)}, expected no .. in it", (field,))


def share(value: JsonObject, field: str) -> Iterator[Problem]:
    """Yield what is neither a number from zero nor a percentage."""
    found = value.get(field)
    if isinstance(found, str) and PERCENT.fullmatch(found) is None:
        yield SERVER_INVALID(f"found {shown(found)}, expected a number or a percentage", (field,))
    yield from at_least(value, 0, field)


def share_of_all(value: JsonObject, field: str) -> Iterator[Problem]:
    """Yield what is no share, or more than all."""
    found = value.get(field)
    yield from share(value, field)
    if isinstance(found, str) and PERCENT.fullmatch(found) and int(found[:-1][-9:]) > 100:
        yield SERVER_INVALID(f"found {cut(found)}, expected at most 100%", (field,))


def is_zero(found: Json) -> bool:
    """Tell whether a number or percentage is none at all."""
    return found == 0 or (isinstance(found, str) and (not PERCENT.fullmatch(found) or not found.strip("0%")))


def quantity(found: Json) -> Fraction | None:
    """Return an amount, or None for what is none: another check tells of that."""
    return amount(found.strip() if isinstance(found, str) else found)


def negative(value: JsonObject, field: str) -> Iterator[Problem]:
    """Yield an amount below zero."""
    found = quantity(value.get(field))
    if found is not None and found < 0:
        yield SERVER_INVALID(f"found {shown(value[field])}, expected no amount below zero", (field,))


def below_path(problems: Iterable[Problem], *path: str | int) -> Iterator[Problem]:
    """Yield problems as those of what a path leads into."""
    for problem in problems:
        yield problem.below(*path)


def mapping(value: Json) -> JsonObject:
    """Return a mapping as it is, and an empty one for all else."""
    return value if isinstance(value, dict) else {}
