"""Functions of texts: those of the language, and those of the extension that Kubernetes turns on."""

from __future__ import annotations

import json

from kitgen.crds.cel.run.conversions import text_of
from kitgen.crds.cel.run.table import function
from kitgen.crds.cel.run.values import FaultError, Value, kind_of

SPACE = "\t\n\v\f\r \u0085\u00a0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
LOWER = {code: code + 32 for code in range(65, 91)}
UPPER = {code: code - 32 for code in range(97, 123)}
DEEPEST = 6
LONGEST = 10_000_000
TOO_LONG = "operation cancelled: actual cost limit exceeded"


def _long(text: str) -> str:
    if len(text) > LONGEST:
        raise FaultError(TOO_LONG)
    return text


function(".startsWith string string -> bool")(lambda text, part: text.startswith(part))
function(".endsWith string string -> bool")(lambda text, part: text.endswith(part))
function(".contains string string -> bool")(lambda text, part: part in text)
function(".lowerAscii string -> string")(lambda text: text.translate(LOWER))
function(".upperAscii string -> string")(lambda text: text.translate(UPPER))
function(".trim string -> string")(lambda text: text.strip(SPACE))
function("strings.quote string -> string")(lambda text: json.dumps(text, ensure_ascii=False))


@function(".join list -> string", ".join list string -> string")
def _join(items: list[Value], between: str = "") -> str:
    if not all(isinstance(item, str) for item in items):
        raise FaultError("no such overload: join")
    return _long(between.join(items))


def _place(at: int, size: int) -> int:
    if not 0 <= at <= size:
        raise FaultError(f"index out of range: {at}")
    return at


@function(".charAt string int -> string")
def _char(text: str, at: int) -> str:
    return text[_place(at, len(text)) :][:1]


@function(".indexOf string string -> int", ".indexOf string string int -> int")
def _index(text: str, part: str, start: int = 0) -> int:
    if not part:
        return _place(start, len(text))
    return text.find(part, _place(start, len(text)))


@function(".lastIndexOf string string -> int", ".lastIndexOf string string int -> int")
def _last(text: str, part: str, end: int | None = None) -> int:
    if end is None:
        return text.rfind(part)
    _place(end, len(text))
    return end if not part else text.rfind(part, 0, end + len(part))


@function(".replace string string string -> string", ".replace string string string int -> string")
def _replace(text: str, old: str, new: str, times: int = -1) -> str:
    if text.count(old) * len(new) > LONGEST:
        raise FaultError(TOO_LONG)
    return text.replace(old, new, times if times >= 0 else -1)


@function(".split string string -> list(string)", ".split string string int -> list(string)")
def _split(text: str, sign: str, most: int = -1) -> list[Value]:
    if most == 0:
        return []
    if sign:
        return [*text.split(sign, most - 1 if most > 0 else -1)]
    return [*text] if most < 0 or most >= len(text) else [*text[: most - 1], text[most - 1 :]]


@function(".substring string int -> string", ".substring string int int -> string")
def _substring(text: str, start: int, end: int | None = None) -> str:
    last = len(text) if end is None else _place(end, len(text))
    if _place(start, len(text)) > last:
        raise FaultError(f"invalid substring range. start: {start}, end: {last}")
    return text[start:last]


@function(".format string list -> string")
def _format(text: str, values: list[Value]) -> str:
    """Fill values into a text as `%s`, `%d`, `%f`, `%e`, `%b`, `%x`, `%X`, `%o` ask for."""
    made: list[str] = []
    rest, given = text, iter(values)
    while True:
        before, sign, rest = rest.partition("%")
        made.append(before)
        if not sign:
            return _long("".join(made))
        if rest.startswith("%"):
            made.append("%")
            rest = rest[1:]
            continue
        precision = ""
        if rest.startswith("."):
            precision = rest[1 : 1 + len(rest[1:]) - len(rest[1:].lstrip("0123456789"))][:2]
            rest = rest[1:].lstrip("0123456789")
        value = next(given, Value)
        if value is Value or not rest:
            raise FaultError("could not parse formatting clause")
        made.append(_clause(rest[0], value, int(precision or "6")))
        rest = rest[1:]


def _clause(sign: str, value: Value, precision: int) -> str:
    kind = kind_of(value)
    whole = kind in ("int", "uint")
    if sign == "s":
        return _shown(value)
    if sign == "d" and whole:
        return str(int(value))
    if sign in "fe" and kind == "double":
        return f"{float(value):.{precision}{sign}}"
    if sign == "b" and kind in ("int", "uint", "bool"):
        return f"{int(value):b}"
    if sign == "o" and whole:
        return f"{int(value):o}"
    if sign in "xX":
        if whole:
            return f"{int(value):{sign}}"
        if kind in ("string", "bytes"):
            found: str = (value.encode(errors="replace") if kind == "string" else value).hex()
            return found.upper() if sign == "X" else found
    raise FaultError(f"error during formatting: %{sign} does not take {kind}")


def _shown(value: Value, depth: int = 0) -> str:
    if depth > DEEPEST:
        raise FaultError("error during formatting: too deep")
    if value is None:
        return "null"
    if isinstance(value, list):
        return f"[{', '.join(_shown(item, depth + 1) for item in value)}]"
    if isinstance(value, dict):
        pairs = sorted((_shown(key, depth + 1), _shown(item, depth + 1)) for key, item in value.items())
        return "{" + ", ".join(f"{key}: {item}" for key, item in pairs) + "}"
    return text_of(value)
