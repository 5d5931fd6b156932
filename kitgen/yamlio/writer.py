"""Write YAML canonically: block style, keys in the given order, strings that stay strings.

A string is written plain only if no reader, YAML 1.1 or 1.2, takes it for anything else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import lru_cache

from kitgen.yamlio.data import Json, Shared

# Starts with a letter, / or _, and holds nothing that YAML gives a meaning to.
PLAIN = re.compile(
    r"[A-Za-z/_][A-Za-z0-9 _./()@%^$;~<>=?!|*+\\'\",{}\[\]&#-]*(:[A-Za-z0-9 _./()@%^$;~<>=?!|*+\\'\",{}\[\]&#-]+)*$"
)
UNSAFE_INSIDE = re.compile(r": | #|:$| $")
RESERVED = frozenset(
    word
    for base in ("y", "yes", "n", "no", "on", "off", "true", "false", "null", "nan", "inf")
    for word in (base, base.capitalize(), base.upper())
) | {"NaN"}
DIGITS_FIRST = re.compile(r"[0-9]+(\.[0-9]+)*[A-Za-z][A-Za-z0-9.-]*$")
# 500m, 1Gi, 10m, 5m0s and v-less versions with a letter are strings to every reader; 1e3, 0x1f, 0b1, 0o7 are not.
NUMBER_LIKE = re.compile(r"[0-9.]*[eE][0-9]*$|0[xXoObB]")
LITERAL = re.compile(r"[\x20-\x7e\u00a0-\ud7ff\n\t]*$")


def dump(value: Json) -> str:
    """Write one document, with a line end."""
    if isinstance(value, dict) and value:
        return _mapping(value, 0)[1:] + "\n"
    if isinstance(value, list) and value:
        return _sequence(value, 0)[1:] + "\n"
    return _inline(value, 0)[1:] + "\n"


def dump_all(values: Iterable[Json]) -> str:
    """Write several documents, each after a marker line."""
    return "".join(f"---\n{dump(value)}" for value in values)


def _mapping(value: dict[str, Json], indent: int) -> str:
    if type(value) is Shared:
        text = value.texts.get(indent)
        if text is None:
            text = value.texts[indent] = _entries(value, indent)
        return text
    return _entries(value, indent)


def _entries(value: dict[str, Json], indent: int) -> str:
    start = "\n" + " " * indent
    parts = []
    for key, item in value.items():
        parts.append(f"{start}{_scalar(key)}:")
        if isinstance(item, dict) and item:
            parts.append(_mapping(item, indent + 2))
        elif isinstance(item, list) and item:
            parts.append(_sequence(item, indent))
        else:
            parts.append(_inline(item, indent + 2))
    return "".join(parts)


def _sequence(value: list[Json], indent: int) -> str:
    start = "\n" + " " * indent + "-"
    parts = []
    for item in value:
        if isinstance(item, dict) and item:
            parts.append(start + " " + _mapping(item, indent + 2).lstrip("\n "))
        elif isinstance(item, list) and item:
            parts.append(start + " " + _sequence(item, indent + 2).lstrip("\n "))
        else:
            parts.append(start + _inline(item, indent + 2))
    return "".join(parts)


def _inline(value: Json, indent: int) -> str:
    """Write what follows a key or a dash: a space and a scalar, or a block of text."""
    if isinstance(value, str):
        if "\n" in value and LITERAL.match(value) and value.strip("\n \t"):
            return _literal(value, indent)
        return " " + _scalar(value)
    if value is None:
        return " null"
    if value is True:
        return " true"
    if value is False:
        return " false"
    if isinstance(value, dict):
        return " {}"
    if isinstance(value, list):
        return " []"
    return " " + json.dumps(value)


def _literal(text: str, indent: int) -> str:
    body = text.rstrip("\n")
    ends = len(text) - len(body)
    chomp = {0: "-", 1: ""}.get(ends, "+")
    marker = "2" if body.startswith((" ", "\n", "\t")) else ""
    pad = " " * max(indent, 2)
    lines = [pad + line if line else "" for line in body.split("\n")]
    if chomp == "+":
        lines += [""] * (ends - 1)
    return f" |{marker}{chomp}\n" + "\n".join(lines)


@lru_cache(maxsize=16384)
def _scalar(text: str) -> str:
    if PLAIN.match(text):
        if text not in RESERVED and not UNSAFE_INSIDE.search(text):
            return text
    elif DIGITS_FIRST.match(text) and not NUMBER_LIKE.match(text):
        return text
    if text.isprintable() and "\\" not in text and text.isascii() and '"' in text and "'" not in text:
        return f"'{text}'"
    return json.dumps(text, ensure_ascii=not text.isprintable())
