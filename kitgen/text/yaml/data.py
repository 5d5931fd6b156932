"""The data model of YAML, and the resolution of plain scalars.

YAML readers disagree about words such as yes and numbers such as 010. `resolve_scalar` reads them as kubectl
does, and reports those that readers disagree about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Any, TypeAlias

from msgspec import Struct

from kitgen.text.patterns import compile_late

# A JSON value has no shape until a schema gave it one; that is the one place where Any is honest.
Json: TypeAlias = Any
JsonObject: TypeAlias = dict[str, Json]


def walk_values(
    value: Json, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], Json]]:
    """Yield a value and all that is in it, each with its path, in order."""
    yield path, value
    if isinstance(value, dict | list):
        for step, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from walk_values(item, (*path, step))


class SharedMapping(dict[str, Json]):
    """A mapping that stands in many places: its text is kept per indent and pasted, and so are its measures.

    It must not change once it was written. `name` says what it is, such as core/v1.PodSpec.
    """

    __slots__ = ("count", "name", "size", "texts")

    def __init__(self, data: JsonObject, name: str = "") -> None:
        super().__init__(data)
        self.name = name
        self.count = self.size = 0
        self.texts: dict[int, str] = {}


class Dialect(StrEnum):
    """How plain words are read."""

    SPEC = "spec"
    """As people expect; a word that readers disagree about must be quoted."""
    KUBECTL = "kubectl"
    """As kubectl reads a manifest: yes, on and y are booleans, 010 is eight."""
    TEXT = "text"
    """As programs read what kubectl hands them as text: of keys that come twice, the last counts."""


MAX_NODES = {Dialect.SPEC: 200_000, Dialect.KUBECTL: 600_000, Dialect.TEXT: 600_000}
"""How many values one text may hold; a file of CRDs of 32 MiB has about as many."""


class Values(Struct):
    """How many values texts that are read together may still hold."""

    left: int


WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
"""Words that every reader takes for the same thing."""

LOOSE: dict[str, bool | str] = {
    **{
        word: value
        for words, value in (("y yes on", True), ("n no off", False))
        for base in words.split()
        for word in (base, base.capitalize(), base.upper())
    },
    "=": "=",
    "<<": "<<",
}
"""Words that readers disagree about, and what kubectl takes them for."""

NUMBERS = frozenset("0123456789+-.")
STARTS = NUMBERS.union(word[:1] for word in (*WORDS, *LOOSE))
"""With which a number begins, or a word that may be more than a text."""
INT = compile_late(r"[-+]?(0|[1-9][0-9]*)")
INT64 = range(-(2**63), 2**63)
FLOAT = compile_late(r"[-+]?([0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)([eE][-+]?[0-9]+)?")
ODD = compile_late(
    r"[-+]?(0[0-9_]+|0[oO][0-7_]+|0[bB][01_]+|0[xX][0-9a-fA-F_]+|(?=.*_)\.?[0-9][0-9_]*(\.[0-9_]*)?([eE][-+]?[0-9]+)?"
    r"|[0-9]+(:[0-5]?[0-9])+(\.[0-9]*)?|\.(inf|Inf|INF))|\.(nan|NaN|NAN)"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt ].*)?"
)
NUMERIC = "0123456789+-._:eEoObBinfaINFA"
"""What numbers are written with, but for those of base 16 and what may stand behind a day."""
NEVER_A_NUMBER = compile_late(r".*:|[0-9]{4}-|[-+]?\.[inIN]")
BASED = compile_late(r"[-+]?0[oObBxX]")
OCTAL = compile_late(r"[-+]?0[0-7]+")


def resolve_scalar(text: str) -> tuple[Json, bool]:
    """Return what kubectl takes a plain scalar for, and whether readers disagree about it."""
    if text[:1] not in STARTS:
        return text, False
    if text in WORDS:
        return WORDS[text], False
    if text in LOOSE:
        return LOOSE[text], True
    return resolve_number(text) if text[0] in NUMBERS else (text, False)


def resolve_number(text: str) -> tuple[Json, bool]:
    """Return what kubectl takes a plain scalar that starts like a number for; see `resolve_scalar`."""
    if INT.fullmatch(text):
        if isinstance(_to_float(text), str):
            return text, True
        # Go and JavaScript round what 64 bits do not hold. Here it stays as it is, as in JSON.
        value = int(text)
        return value, value not in INT64
    if text.strip(NUMERIC) and text[4:5] != "-" and "x" not in text[1:3].lower():
        return text, False
    if ODD.fullmatch(text):
        return _resolve_odd_number(text), True
    if FLOAT.fullmatch(text):
        value_or_text = _to_float(text)
        # 1e3 is a string to readers that want a point, 1.5e3 to those that want a sign.
        return value_or_text, "e" in text.lower() and not re.search(r"\..*[eE][-+]", text)
    return text, False


def _to_float(text: str) -> float | str:
    """Return a number that a float can hold, else the text."""
    value = float(text)
    return text if value in (float("inf"), float("-inf")) else value


def _resolve_odd_number(text: str) -> Json:
    """Read an unusual number as go-yaml does: base prefixes and underscores, no base 60, no dates."""
    if NEVER_A_NUMBER.match(text):
        return text
    digits = text.replace("_", "")
    if base := BASED.match(digits):
        if base.end() == len(digits) or abs(value := int(digits, 0)) >= INT64.stop:
            return text
        return value
    if OCTAL.fullmatch(digits) and abs(value := int(digits, 8)) < INT64.stop:
        return value
    if INT.fullmatch(digits):
        return resolve_number(digits)[0]
    return _to_float(digits) if FLOAT.fullmatch(digits) else text
