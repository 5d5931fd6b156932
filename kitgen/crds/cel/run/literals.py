"""Texts, bytes, lists and maps as they are written in expressions."""

from __future__ import annotations

import re

from kitgen.crds.cel.parse import CelError
from kitgen.crds.cel.run.operators import no_overload
from kitgen.crds.cel.run.scope import Run, Scope
from kitgen.crds.cel.run.values import FaultError, Optional, Value, kind_of

ESCAPE = re.compile(
    r"\\(?:(?P<octal>[0-3][0-7]{2})|[xX](?P<hex>[0-9A-Fa-f]{2})|u(?P<short>[0-9A-Fa-f]{4})"
    r"|U(?P<long>[0-9A-Fa-f]{8})|(?P<sign>[\\?\"'`abfnrtv])|(?P<wrong>.|$))",
    re.DOTALL,
)
SIGNS = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


def written(text: str) -> str | bytes:
    """Return what a text with its quotes stands for."""
    quote = min(at for at in (text.find("'"), text.find('"')) if at >= 0)
    prefix, body = text[:quote].lower(), text[quote:]
    body = body[3:-3] if len(body) > 5 and body[:3] in ('"""', "'''") else body[1:-1]
    if "b" in prefix:
        if "r" in prefix:
            return body.encode()
        return b"".join(
            _bytes(part) for part in re.split(r"(\\(?:[0-3][0-7]{2}|[xX]..|u....|U.{8}|.))", body)
        )
    return body if "r" in prefix else ESCAPE.sub(_character, body)


def _bytes(part: str) -> bytes:
    match = ESCAPE.fullmatch(part) if part.startswith("\\") else None
    if match and (match["octal"] or match["hex"]):
        return bytes([int(match["octal"], 8) if match["octal"] else int(match["hex"], 16)])
    return ESCAPE.sub(_character, part).encode()


def _character(match: re.Match[str]) -> str:
    if match["sign"]:
        return SIGNS.get(match["sign"], match["sign"])
    if match["octal"]:
        return chr(int(match["octal"], 8))
    code = match["hex"] or match["short"] or match["long"]
    if code is None or int(code, 16) > 0x10FFFF or 0xD800 <= int(code, 16) < 0xE000:
        raise CelError("found an escape that there is not")
    return chr(int(code, 16))


def listed(entries: list[tuple[bool, Run]]) -> Run:
    """Return what makes a list; an entry may be one that is left out where it is none."""

    def run(scope: Scope) -> Value:
        scope.take(1 + len(entries))
        found: list[Value] = []
        for maybe, entry in entries:
            value = entry(scope)
            found += _some(value) if maybe else (value,)
        return found

    return run


def mapped(keys: list[tuple[bool, Run]], values: list[Run]) -> Run:
    """Return what makes a map."""

    def run(scope: Scope) -> Value:
        scope.take(1 + 3 * len(keys))
        found: dict[Value, Value] = {}
        for (maybe, key), item in zip(keys, values, strict=True):
            name, value = key(scope), item(scope)
            if kind_of(name) not in ("string", "int", "uint", "bool"):
                raise FaultError("unsupported key type")
            if name in found:
                raise FaultError("Failed with repeated key")
            for each in _some(value) if maybe else (value,):
                found[name] = each
        return found

    return run


def _some(value: Value) -> tuple[Value, ...]:
    if not isinstance(value, Optional):
        raise no_overload("?", value)
    return value.found
