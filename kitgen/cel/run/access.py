"""Field access, indexing and presence tests, and literals of texts, bytes, lists and maps."""

from __future__ import annotations

import re

from kitgen.cel.parse import CelError, split_string_literal, unescape_name
from kitgen.cel.run.functions import CelScope, Run
from kitgen.cel.run.operators import make_overload_error, require_optional
from kitgen.cel.run.values import FaultError, Object, OptionalValue, Value, kind_of
from kitgen.text.patterns import compile_late

KEYS = frozenset({"string", "int", "uint", "bool", "double"})
LONGEST = 1_000
"""Of a key in a message."""


def build_field_access(holder: Run, name: str) -> Run:
    """Return what reads a field."""
    plain = unescape_name(name)

    def run(scope: CelScope) -> Value:
        if isinstance(value := holder(scope), Object):
            return value.get(plain)
        return get_entry(value, name)

    return run


def get_entry(holder: Value, key: Value) -> Value:
    """Return what stands at a place."""
    if isinstance(holder, OptionalValue):
        return _find_optional_entry(holder, key)
    if not (found := _find_entry(holder, key)):
        what = "index out of bounds" if isinstance(holder, list) else "no such key"
        raise FaultError(f"{what}: {key[:LONGEST] if isinstance(key, str) else key}")
    return found[0]


def _find_entry(holder: Value, key: Value) -> tuple[Value, ...]:
    """Return what stands at a place, or nothing."""
    if isinstance(holder, dict) and kind_of(key) in KEYS:
        return (holder[key],) if key in holder else ()
    if isinstance(holder, Object) and isinstance(key, str):
        name = unescape_name(key)
        return (holder.get(name),) if holder.has(name) else ()
    if isinstance(holder, list) and isinstance(key, int | float) and not isinstance(key, bool):
        return (holder[int(key)],) if 0 <= key < len(holder) and key == int(key) else ()
    raise make_overload_error("[]", holder, key)


def _find_optional_entry(holder: OptionalValue, key: Value) -> OptionalValue:
    return OptionalValue(_find_entry(holder.found[0], key)) if holder.found else holder


def build_optional_access(holder: Run, key: Run) -> Run:
    """Return what reads an entry that may not be there."""

    def run(scope: CelScope) -> Value:
        scope.take(1)
        value = holder(scope)
        return _find_optional_entry(
            value if isinstance(value, OptionalValue) else OptionalValue((value,)), key(scope)
        )

    return run


def build_presence_test(holder: Run, name: str) -> Run:
    """Return a function that decides whether a field is present."""
    plain = unescape_name(name)

    def run(scope: CelScope) -> Value:
        if isinstance(value := holder(scope), OptionalValue):
            if not value.found:
                return False
            value = value.found[0]
        if isinstance(value, Object):
            return value.has(plain)
        if isinstance(value, dict):
            return name in value
        raise make_overload_error("has", value)

    return run


ESCAPE = compile_late(
    r"\\(?:(?P<octal>[0-3][0-7]{2})|[xX](?P<hex>[0-9A-Fa-f]{2})|u(?P<short>[0-9A-Fa-f]{4})"
    r"|U(?P<long>[0-9A-Fa-f]{8})|(?P<sign>[\\?\"'`abfnrtv])|(?P<wrong>.|$))",
    re.DOTALL,
)
SIGNS = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


def parse_string_literal(text: str) -> str | bytes:
    """Return what a text with its quotes stands for."""
    prefix, body = split_string_literal(text)
    if "b" in prefix:
        if "r" in prefix:
            return body.encode()
        return b"".join(
            _encode_part(part) for part in re.split(r"(\\(?:[0-3][0-7]{2}|[xX]..|u....|U.{8}|.))", body)
        )
    return body if "r" in prefix else ESCAPE.sub(_unescape_character, body)


def _encode_part(part: str) -> bytes:
    match = ESCAPE.fullmatch(part) if part.startswith("\\") else None
    if match and (match["octal"] or match["hex"]):
        return bytes([int(match["octal"], 8) if match["octal"] else int(match["hex"], 16)])
    return ESCAPE.sub(_unescape_character, part).encode()


def _unescape_character(match: re.Match[str]) -> str:
    if match["sign"]:
        return SIGNS.get(match["sign"], match["sign"])
    if match["octal"]:
        return chr(int(match["octal"], 8))
    code = match["hex"] or match["short"] or match["long"]
    if code is None or int(code, 16) > 0x10FFFF or 0xD800 <= int(code, 16) < 0xE000:
        raise CelError("found an escape that there is not")
    return chr(int(code, 16))


def build_list(entries: list[tuple[bool, Run]]) -> Run:
    """Return what makes a list; an entry may be one that is left out where it is none."""

    def run(scope: CelScope) -> Value:
        scope.take(1 + len(entries))
        return [each for maybe, entry in entries for each in _expand_entry(entry(scope), maybe=maybe)]

    return run


def _expand_entry(value: Value, *, maybe: bool) -> tuple[Value, ...]:
    """Return an entry; one that may be none is an optional value."""
    return require_optional(value, "?").found if maybe else (value,)


def build_map(keys: list[tuple[bool, Run]], values: list[Run]) -> Run:
    """Return what makes a map."""

    def run(scope: CelScope) -> Value:
        scope.take(1 + 3 * len(keys))
        found: dict[Value, Value] = {}
        for (maybe, key), item in zip(keys, values, strict=True):
            name, value = key(scope), item(scope)
            if kind_of(name) not in ("string", "int", "uint", "bool"):
                raise FaultError("unsupported key type")
            if name in found:
                raise FaultError("Failed with repeated key")
            for each in _expand_entry(value, maybe=maybe):
                found[name] = each
        return found

    return run
