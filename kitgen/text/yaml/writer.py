"""Write YAML canonically: block style, keys in the given order, strings that stay strings.

A string is written plain only if no reader, YAML 1.1 or 1.2, resolves it to another type.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from functools import lru_cache

from kitgen.text.patterns import compile_late
from kitgen.text.yaml.data import Json, SharedMapping

# Starts like a word, a path or an option, and holds nothing that YAML gives a meaning to.
_INSIDE = r"[A-Za-z0-9 _./()@%^$;~<>=?!|*+\\'\",{}\[\]&#-]"
PLAIN = compile_late(rf"([A-Za-z/_]|\.{{1,2}}/|\.[A-Za-z]|--[A-Za-z]){_INSIDE}*(:{_INSIDE}+)*")
COMMAND = r"#(?=#\w*\[)"
"""How a command to a CI system starts, anywhere in a line of its log."""
UNSAFE_INSIDE = compile_late(rf": | #| \Z|{COMMAND}")
RESERVED = frozenset(
    word
    for base in ("y", "yes", "n", "no", "on", "off", "true", "false", "null", "nan", "inf")
    for word in (base, base.capitalize(), base.upper())
) | {"NaN", ".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"}
# 500m, 1Gi, 5m0s and 1.2.3-rc1 are strings to every reader; 1e3, 0x1f, 0b1, 0o7 are not.
DIGITS_FIRST = compile_late(r"[0-9]+(\.[0-9]+)*[A-Za-z][A-Za-z0-9.-]*")
NUMBER_LIKE = compile_late(r"[0-9.]*[eE][-+]?[0-9]*\Z|0[xXoObB]")
# What a reader might not see or might take for a line end is escaped. The list is fixed, because
# str.isprintable changes with Python's version of Unicode.
HIDDEN_ASCII = r"\x00-\x1f\x7f"
HIDDEN = HIDDEN_ASCII + (
    r"\x80-\xa0\xad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f"
    r"\u205f-\u206f\ud800-\uf8ff\ufe00-\ufe0f\ufeff\ufff0-\uffff\U000e0000-\U0010ffff"
)
# A pattern for ASCII alone is compiled ten times as fast.
ESCAPED, ESCAPED_ASCII = (compile_late(rf'[\\"{hidden}]|{COMMAND}') for hidden in (HIDDEN, HIDDEN_ASCII))
SHORT = {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\\": "\\\\", '"': '\\"'}
SINGLE_QUOTED = compile_late(rf'(?!.*{COMMAND})[\x20-\x26\x28-\x5b\x5d-\x7e]*"[\x20-\x26\x28-\x5b\x5d-\x7e]*')
# kustomize cannot read back its own copy of a block whose text starts with a tab. A line that starts with ::
# is a command to a CI system too.
NOT_LITERAL, NOT_LITERAL_ASCII = (
    compile_late(rf"(?![\n\t])[{hidden}]|\A[\n ]*\t|(?:\A|\n)[ \t]*::|{COMMAND}")
    for hidden in (HIDDEN, HIDDEN_ASCII)
)
LONGEST_KEY = 1000
"""Readers look no further than 1024 characters for the colon of a key."""


def dump_yaml(value: Json) -> str:
    """Write one document, with a line end."""
    parts: list[str] = []
    if isinstance(value, dict) and value:
        _dump_mapping(value, 0, parts)
    elif isinstance(value, list) and value:
        _dump_sequence(value, 0, parts)
    else:
        # Readers disagree about the indent of a block of text that has nothing above it.
        parts.append("\n" + _dump_scalar(value) if isinstance(value, str) else _dump_inline(value, 0))
    parts[0] = parts[0][1:]
    parts.append("\n")
    return "".join(parts)


def dump_yaml_documents(values: Iterable[Json]) -> str:
    """Write several documents, each after a marker line."""
    return "".join(f"---\n{dump_yaml(value)}" for value in values)


def _dump_mapping(value: dict[str, Json], indent: int, parts: list[str]) -> None:
    """Write the lines of a mapping, each after a line end; long texts are put together only once."""
    if type(value) is not SharedMapping:
        _dump_entries(value, indent, parts)
        return
    if indent not in value.texts:
        own: list[str] = []
        _dump_entries(value, indent, own)
        value.texts[indent] = "".join(own)
    parts.append(value.texts[indent])


def _dump_entries(value: dict[str, Json], indent: int, parts: list[str]) -> None:
    start = "\n" + " " * indent
    for key, item in value.items():
        name = _dump_scalar(key)
        parts.append(f"{start}{name}:" if len(name) < LONGEST_KEY else start + dump_key(name, start))
        if type(item) is str and "\n" not in item:  # as most are
            parts.append(f" {_dump_scalar(item)}")
        elif isinstance(item, dict) and item:
            _dump_mapping(item, indent + 2, parts)
        elif isinstance(item, list) and item:
            _dump_sequence(item, indent, parts)
        else:
            parts.append(_dump_inline(item, indent + 2))


def dump_key(name: str, gap: str) -> str:
    """Write a key up to its colon; one that is long has a mark, and stands apart from it by a gap."""
    return f"{name}:" if len(name) < LONGEST_KEY else f"? {name}{gap}:"


def _dump_sequence(value: list[Json], indent: int, parts: list[str]) -> None:
    start = "\n" + " " * indent + "-"
    for item in value:
        parts.append(start)
        first = len(parts)
        if isinstance(item, dict) and item:
            _dump_mapping(item, indent + 2, parts)
        elif isinstance(item, list) and item:
            _dump_sequence(item, indent + 2, parts)
        else:
            parts.append(_dump_inline(item, indent + 2))
            continue
        parts[first] = " " + parts[first].lstrip("\n ")


def _dump_inline(value: Json, indent: int) -> str:
    """Write what follows a key or a dash: a space and a scalar, or a block of text."""
    if isinstance(value, str):
        if "\n" in value and value.strip("\n \t") and _is_literal(value):
            return " " + dump_literal(value, indent)
        return " " + _dump_scalar(value)
    return " " + dump_plain_value(value)


def _is_literal(text: str) -> bool:
    """Return whether a text of several lines can be written as it is."""
    return not (NOT_LITERAL_ASCII if text.isascii() else NOT_LITERAL).search(text)


def dump_plain_value(value: Json) -> str:
    """Write what is no text and holds nothing; an exponent gets the point and sign that YAML 1.1 wants."""
    if type(value) is int:
        return str(value)
    if value is True or value is False:
        return "true" if value else "false"
    if not isinstance(value, float):
        return json.dumps(value)
    text = json.dumps(value, allow_nan=False)
    return text.replace("e", ".0e") if "." not in text else text


def dump_literal(text: str, indent: int) -> str:
    """Write a text of several lines as they are, indented."""
    body = text.rstrip("\n")
    ends = len(text) - len(body)
    chomp = {0: "-", 1: ""}.get(ends, "+")
    marker = "2" if body.startswith((" ", "\n")) else ""
    pad = " " * max(indent, 2)
    lines = [pad + line if line else "" for line in body.split("\n")]
    if chomp == "+":
        lines += [""] * (ends - 1)
    return f"|{marker}{chomp}\n" + "\n".join(lines)


@lru_cache(maxsize=16384)
def _dump_scalar(text: str) -> str:
    """Write a string on one line."""
    if PLAIN.fullmatch(text):
        if text not in RESERVED and not UNSAFE_INSIDE.search(text):
            return text
    elif DIGITS_FIRST.fullmatch(text) and not NUMBER_LIKE.match(text):
        return text
    return f"'{text}'" if SINGLE_QUOTED.fullmatch(text) else dump_quoted(text)


def dump_quoted(text: str) -> str:
    """Write a string in double quotes, with what readers may not see escaped."""
    return f'"{(ESCAPED_ASCII if text.isascii() else ESCAPED).sub(_escape_character, text)}"'


def _escape_character(match: re.Match[str]) -> str:
    character = match[0]
    if short := SHORT.get(character):
        return short
    code = ord(character)
    if 0xD800 <= code <= 0xDFFF:
        raise ValueError(f"half a character (U+{code:04X}) cannot be written")
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
