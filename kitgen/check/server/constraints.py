"""Constraints on single values: the vocabulary of the rule tables.

Values of a wrong type, and missing fields that a schema requires, are left to schemas.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from kitgen.check.server.rule_tables import (
    Constraint,
    OfMissing,
    constraint,
    constraint_of_missing,
    validator,
)
from kitgen.check.server.rules import SERVER_INVALID, SERVER_REQUIRED
from kitgen.findings import Path, Problem, Rule, make_problem, suggest_word
from kitgen.kube.names import WORD, NameForm, check_labels, is_qualified_name
from kitgen.kube.quantities import parse_amount
from kitgen.text.patterns import compile_late
from kitgen.text.values import list_at, number_at, text_at, text_entries_at
from kitgen.text.wording import describe_value, join_words, quote_text
from kitgen.text.yaml import Json, JsonObject

PORT_NAME = compile_late(r"(?=[a-z0-9-]{1,15}$)(?=.*[a-z])[a-z0-9]+(-[a-z0-9]+)*")
CONFIG_KEY = compile_late(r"(?!\.\.|\.$)[-._a-zA-Z0-9]{1,253}")
PERCENT, UP_TO_ALL = compile_late(r"[0-9]+%"), compile_late(r"0*(100|[0-9]{1,2})%")
MOST = 2**31 - 1
"""The largest number of 32 bits, also of users and groups."""
PORTS = (1, 65535)
PROTOCOLS = ("TCP", "UDP", "SCTP")
QUALIFIED = "a name, with a DNS subdomain and / before it if any"
QUALIFIED_AT_LENGTH = "a name of at most 63 letters, digits, -, _ and ., with a domain and / before it if any"
LABEL_VALUE = "at most 63 letters, digits, -, _ and ., with a letter or digit at both ends"
SHORT_PORT_NAME = "at most 15 lower case letters, digits and single dashes"
PORT_NAME_EXPECTED = f"{SHORT_PORT_NAME} between them, with a letter"


# Presence


def is_given(value: Json) -> bool:
    """Return whether a server sees a value at all: it takes empty ones for none."""
    return value is not None and value not in ("", [], {})


def find_given_fields(value: JsonObject, fields: Iterable[str]) -> list[str]:
    """Return those of some fields that have a value; an empty list is none, an empty mapping is one."""
    return [field for field in fields if value.get(field) not in (None, [])]


def path_of(value: JsonObject, field: str) -> Path:
    """Return the path of a field; that of the mapping where it is left out."""
    return (field,) if field in value else ()


def report_missing(value: JsonObject, field: str, expected: str) -> Problem:
    """Return the problem that a field is needed."""
    return SERVER_REQUIRED(f"found no {field}, expected {expected}", path_of(value, field))


@OfMissing
def required(value: JsonObject, field: str) -> Iterator[Problem]:
    """Report a field that is missing or empty."""
    if field not in value:
        yield SERVER_REQUIRED(f"found no field {quote_text(field)}, expected one")
    yield from not_empty(value, field)


def not_empty(value: JsonObject, field: str) -> Iterator[Problem]:
    """Report a field that is there but empty; of a missing one schemas report."""
    if field in value and not is_given(value[field]):
        yield SERVER_REQUIRED(f"found {describe_value(value[field])}, expected a value", (field,))


def not_null(value: JsonObject, field: str) -> Iterator[Problem]:
    """Report a field that is there but null."""
    if value.get(field) is None:
        yield from not_empty(value, field)


@constraint_of_missing
def present(
    value: JsonObject,
    field: str,
    expected: str = "at least one",
    read: Callable[[JsonObject, str], object] = list_at,
) -> Iterator[Problem]:
    """Refuse a missing list, or what else is read, as it does an empty one."""
    if not read(value, field):
        yield report_missing(value, field, expected)


@constraint_of_missing
def present_unless(value: JsonObject, field: str, other: str, expected: str) -> Iterator[Problem]:
    """Refuse a missing or empty field unless another one is given."""
    if not value.get(field) and not value.get(other):
        yield report_missing(value, field, expected)


@constraint
def filled(value: JsonObject, field: str, expected: str = "one") -> Iterator[Problem]:
    """Refuse a field that is there but empty."""
    if field in value and not value[field] and value[field] is not False:
        yield report_missing(value, field, expected)


@constraint
def forbidden(
    value: JsonObject, field: str, why: str, when: Callable[[JsonObject], object] = bool
) -> Iterator[Problem]:
    """Refuse a field that is given, in some mappings or in all."""
    if is_given(value.get(field)) and when(value):
        yield make_problem(
            "server-forbidden", f"found the field {quote_text(field)}, expected none {why}", (field,)
        )


@validator
def refused(
    value: JsonObject,
    rule: Rule,
    message: str,
    *path: str,
    when: Callable[[JsonObject], object],
    hint: str = "",
) -> Iterator[Problem]:
    """Refuse mappings of which something is so, at one of their fields or as a whole."""
    if when(value):
        yield rule(message, path, hint)


@validator
def exactly_one(value: JsonObject, what: str, *fields: str) -> Iterator[Problem]:
    """Refuse mappings with none of some fields, or with more than one."""
    if not (there := find_given_fields(value, fields)):
        yield SERVER_REQUIRED(f"found no {what}, expected {join_words(fields)}")
    for field in there[1:]:
        yield make_problem(
            "server-forbidden", f"found {field} beside {there[0]}, expected one of them", (field,)
        )


@validator
def any_of(value: JsonObject, what: str, *fields: str) -> Iterator[Problem]:
    """Refuse mappings with none of some fields."""
    if not find_given_fields(value, fields):
        yield SERVER_REQUIRED(f"found no {what}, expected {join_words(fields)}")


@validator
def at_most_one(value: JsonObject, *fields: str) -> Iterator[Problem]:
    """Refuse mappings with several of some fields."""
    if len(there := find_given_fields(value, fields)) > 1:
        yield make_problem(
            "server-forbidden", f"found {join_words(there, last='and')}, expected one of them", (there[-1],)
        )


@validator
def discriminated_union(
    value: JsonObject, key: str, members: Mapping[str, str], wording: str = "", optional: str = ""
) -> Iterator[Problem]:
    """Refuse other fields than the one that a key names, and its lack unless it is optional."""
    kind = text_at(value, key)
    for owner, field in members.items() if kind in members else ():
        there = value.get(field) is not None
        if owner == kind and field and field != optional and not there:
            yield report_missing(value, field, f"it, for the {key} is {kind}")
        elif owner != kind and there:
            expected = wording.format(members[kind]) or f"none, for the {key} is {kind}"
            yield make_problem("server-forbidden", f"found {field}, expected {expected}", (field,))


# Texts


@constraint
def text_fits(
    value: JsonObject,
    field: str,
    fits: Callable[[str], object],
    expected: str,
    *,
    empty: bool = False,
    noun: str = "",
) -> Iterator[Problem]:
    """Refuse texts of another form; an empty one is checked only on request."""
    if isinstance(found := value.get(field), str) and (found or empty) and not fits(found):
        yield SERVER_INVALID(f"found {noun}{describe_value(found)}, expected {expected}", (field,))


def text_matches(pattern: re.Pattern[str], expected: str, *, empty: bool = False) -> Constraint:
    """Refuse texts that a pattern does not match as a whole."""

    def fits(text: str) -> object:
        return pattern.fullmatch(text)

    return text_fits(fits, expected, empty=empty)


def valid_name(form: NameForm, *, empty: bool = False) -> Constraint:
    """Refuse names of another form."""
    return text_fits(form.matches, str(form), empty=empty)


@constraint
def one_of(
    value: JsonObject, field: str, *words: str, empty: bool = False, hint: bool = True
) -> Iterator[Problem]:
    """Refuse other words, and an empty one unless the server has a default."""
    if isinstance(found := value.get(field), str) and found not in words and (found or not empty):
        meant = suggest_word(found, list(words)) if hint else ""
        yield SERVER_INVALID(f"found {describe_value(found)}, expected {join_words(words)}", (field,), meant)


@constraint
def each_fits(
    value: JsonObject, field: str, fits: Callable[[str], object], expected: str
) -> Iterator[Problem]:
    """Refuse texts of another form in a list."""
    for index, found in text_entries_at(value, field):
        if not fits(found):
            yield SERVER_INVALID(f"found {describe_value(found)}, expected {expected}", (field, index))


def each_of(*words: str) -> Constraint:
    """Refuse other words in a list."""
    return each_fits(words.__contains__, join_words(words))


def star_alone(value: JsonObject, field: str) -> Iterator[Problem]:
    """Report a * beside others in a list."""
    if len(found := list_at(value, field)) > 1 and "*" in found:
        yield SERVER_INVALID(f"found * beside others, expected it alone in {field}", (field,))


def valid_labels(value: JsonObject, field: str) -> Iterator[Problem]:
    """Report what is wrong with labels that stand in a field of their own."""
    for wrong in check_labels(value.get(field), (field,), values=True):
        yield SERVER_INVALID(wrong.message, wrong.path, wrong.hint)


def is_label_value(found: str) -> bool:
    """Return whether a text can be the value of a label."""
    return not found or (len(found) <= 63 and WORD.fullmatch(found) is not None)


NO_WAY_UP = text_fits(lambda path: ".." not in path.split("/"), "no .. in it")
RELATIVE_PATH = (text_fits(lambda path: not path.startswith("/"), "a relative path"), NO_WAY_UP)
FILE_PATH = (
    not_empty,
    *RELATIVE_PATH,
    text_fits(lambda path: path == ".." or not path.startswith("..") or path[2] == "/", "no .. at the start"),
)
"""The path of a file in a volume; two dots at the start are reserved."""
NAME = valid_name(NameForm.SUBDOMAIN)
LABEL = valid_name(NameForm.LABEL)
LABEL_KEY = text_fits(is_qualified_name, QUALIFIED)


# Numbers and amounts


@constraint
def number_fits(
    value: JsonObject, field: str, fits: Callable[[int], bool], expected: str
) -> Iterator[Problem]:
    """Refuse other numbers."""
    if (found := number_at(value, field)) is not None and not fits(found):
        yield SERVER_INVALID(f"found {found}, expected {expected}", (field,))


def at_least(low: int) -> Constraint:
    """Refuse smaller numbers."""
    return number_fits(low.__le__, f"at least {low}")


def between(low: int, high: int) -> Constraint:
    """Refuse numbers out of a range."""
    return number_fits(lambda found: low <= found <= high, f"{low} to {high}")


def minimum(low: int) -> Constraint:
    """Refuse smaller numbers, in other words than `at_least`."""
    return number_fits(low.__le__, f"{low} or more")


def within(low: int, high: int) -> Constraint:
    """Refuse numbers out of a range, but for those of more than 32 bits.

    Readers of numbers report these.
    """
    return number_fits(
        lambda found: low <= found <= high or high <= MOST < found, f"a number from {low} to {high}"
    )


def positive_quantity(value: JsonObject, field: str) -> Iterator[Problem]:
    """Report an amount that is not above zero."""
    if (found := parse_amount(value.get(field))) is not None and found <= 0:
        yield SERVER_INVALID(f"found {describe_value(value[field])}, expected more than 0", (field,))


PORT = (
    not_null,
    text_matches(PORT_NAME, f"a port's name: {PORT_NAME_EXPECTED}", empty=True),
    between(*PORTS),
)
"""The number of a port, or the name of a container's."""
OPTIONAL_PORT = (
    text_matches(PORT_NAME, f"the name of a port: {SHORT_PORT_NAME}", empty=True),
    within(*PORTS),
)
SHARE = (text_matches(PERCENT, "a number or a percentage", empty=True), at_least(0))
PART = (
    *SHARE,
    text_fits(lambda found: not PERCENT.fullmatch(found) or UP_TO_ALL.fullmatch(found), "at most 100%"),
)
"""A share that is not more than all."""
