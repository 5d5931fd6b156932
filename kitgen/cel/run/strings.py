"""Functions of strings: CEL's own, those of Kubernetes' extension, and Go's regular expressions."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable
from functools import lru_cache

from kitgen.cel.run.conversions import text_of
from kitgen.cel.run.functions import COMPARED, TEXT, WIDE, function, functions, reserve, stored
from kitgen.cel.run.values import FaultError, Take, UnknownError, Value, kind_of
from kitgen.text.regex_match import CLASSES, compile_steps, compiled, matcher

SPACE = "\t\n\v\f\r \u0085\u00a0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
LOWER = {code: code + 32 for code in range(65, 91)}
UPPER = {code: code - 32 for code in range(97, 123)}
DEEPEST = 6
CLAUSE = re.compile(r"%(?:%|(?:\.(?P<precision>[0-9]*))?(?P<sign>.?))", re.DOTALL)
LONGEST_NUMBER = 512
"""What a number of 64 bits takes with 99 places."""
ESCAPED = 6
"""How many characters one may become that is escaped."""


functions(
    {
        ".startsWith string string -> bool": lambda text, part: text.startswith(part),
        ".endsWith string string -> bool": lambda text, part: text.endswith(part),
        ".contains string string -> bool": lambda text, part: part in text,
        ".lowerAscii string -> string": lambda text: text.translate(LOWER),
        ".upperAscii string -> string": lambda text: text.translate(UPPER),
        ".trim string -> string": lambda text: text.strip(SPACE),
    }
)


@function("strings.quote string -> string", metered=True)
def _quote(take: Take, text: str) -> str:
    reserve(ESCAPED * stored(text), take)
    return json.dumps(text, ensure_ascii=False)


@function(".join list -> string", ".join list string -> string", metered=True)
def _join(take: Take, items: list[Value], between: str = "") -> str:
    if not all(isinstance(item, str) for item in items):
        raise FaultError("no such overload: join")
    return _joined(items, between, take)


def _joined(texts: list[str], between: str, take: Take) -> str:
    length = sum(map(len, texts)) + len(between) * len(texts)
    reserve(length if between.isascii() and all(map(str.isascii, texts)) else WIDE * length, take)
    return between.join(texts)


def _place(at: int, size: int) -> int:
    if not 0 <= at <= size:
        raise FaultError(f"index out of range: {at}")
    return at


functions(
    {
        ".charAt string int -> string": lambda text, at: text[_place(at, len(text)) :][:1],
        ".indexOf string string -> int": lambda text, part: text.find(part),
        ".indexOf string string int -> int": lambda text, part, start: text.find(
            part, _place(start, len(text))
        ),
    }
)


@function(".lastIndexOf string string -> int", ".lastIndexOf string string int -> int", metered=True)
def _last(take: Take, text: str, part: str, end: int | None = None) -> int:
    # Each place may be compared as far as the part goes.
    take(len(text) * len(part) // COMPARED)
    return text.rfind(part, 0, None if end is None else _place(end, len(text)) + len(part))


@function(
    ".replace string string string -> string", ".replace string string string int -> string", metered=True
)
def _replace(take: Take, text: str, old: str, new: str, times: int = -1) -> str:
    count = text.count(old) if times < 0 else min(times, text.count(old))
    reserve(WIDE * (len(text) + count * len(new)), take)
    return text.replace(old, new, times if times >= 0 else -1)


@function(".split string string -> list(string)", ".split string string int -> list(string)", metered=True)
def _split(take: Take, text: str, sign: str, most: int = -1) -> list[Value]:
    if most == 0:
        return []
    count = text.count(sign) + 1
    reserve(TEXT * (count if most < 0 else min(most, count)) + stored(text), take)
    if sign:
        return [*text.split(sign, most - 1 if most > 0 else -1)]
    return [*text] if most < 0 or most >= len(text) else [*text[: most - 1], text[most - 1 :]]


@function(".substring string int -> string", ".substring string int int -> string")
def _substring(text: str, start: int, end: int | None = None) -> str:
    last = len(text) if end is None else _place(end, len(text))
    if _place(start, len(text)) > last:
        raise FaultError(f"invalid substring range. start: {start}, end: {last}")
    return text[start:last]


@function(".format string list -> string", metered=True)
def _format(take: Take, text: str, values: list[Value]) -> str:
    """Format values into a text by `%s`, `%d`, `%f`, `%e`, `%b`, `%x`, `%X`, `%o`."""
    made: list[str] = []
    last, given = 0, iter(values)
    for match in CLAUSE.finditer(text):
        take(2)
        made.append(text[last : match.start()])
        last = match.end()
        if match[0] == "%%":
            made.append("%")
            continue
        if (value := next(given, Value)) is Value or not match["sign"]:
            raise FaultError("could not parse formatting clause")
        made.append(_clause(match["sign"], value, int((match["precision"] or "6")[:2]), take))
    return _joined([*made, text[last:]], "", take)


def _clause(sign: str, value: Value, precision: int, take: Take) -> str:
    kind = kind_of(value)
    if sign == "s":
        return _shown(value, take)
    if sign in "dboxX" and (kind in ("int", "uint") or (sign, kind) == ("b", "bool")):
        return f"{int(value):{sign}}"
    if sign in "fe" and kind == "double":
        reserve(LONGEST_NUMBER, take)
        return f"{float(value):.{precision}{sign}}"
    if sign in "xX" and kind in ("string", "bytes"):
        reserve(4 * stored(value), take)
        found: str = (value.encode(errors="replace") if kind == "string" else value).hex()
        return found.upper() if sign == "X" else found
    raise FaultError(f"error during formatting: %{sign} does not take {kind}")


def _shown(value: Value, take: Take, depth: int = 0) -> str:
    if depth > DEEPEST:
        raise FaultError("error during formatting: too deep")
    take(1)
    if value is None:
        return "null"
    if isinstance(value, list):
        return f"[{_joined([_shown(item, take, depth + 1) for item in value], ', ', take)}]"
    if isinstance(value, dict):
        pairs = sorted(
            (_shown(key, take, depth + 1), _shown(item, take, depth + 1)) for key, item in value.items()
        )
        return "{" + _joined([f"{key}: {item}" for key, item in pairs], ", ", take) + "}"
    reserve(stored(value), take)
    return text_of(value)


REPEATS = re.compile(r"(?<!\\)(?:[*+]|\{[0-9]+,[0-9]*\})")
NESTED = re.compile(r"\)(?:[*+]|\{)")
UNLIKE = re.compile(r"\\[pPQECzXK]|\(\?(?!:|P<|[is]+[:)])|\[\[:\^")
SIMPLE, QUICK = 200, 8
"""A pattern of so few characters, that counts nothing, is matched against so many in one step; else one."""
TURNS = 32
STEPS = 1_000_000
"""How long the engine of Python may look for what matches; it may go back, Go's does not."""


@function(".matches string string -> bool", "matches string string -> bool", metered=True)
def _matches(take: Take, text: str, pattern: str) -> bool:
    test = _matcher(pattern, take)
    take(len(text) // (1 if len(pattern) > SIMPLE or "{" in pattern else QUICK))
    if test is None:
        raise UnknownError(f"the pattern {pattern[:60]}")
    try:
        return test(text)
    except UnicodeEncodeError as error:
        raise FaultError("invalid UTF-8") from error


@function(".find string string -> string", metered=True)
def _find(take: Take, text: str, pattern: str) -> str:
    found = _searcher(pattern, text, take).search(text)
    return found[0] if found else ""


@function(
    ".findAll string string -> list(string)", ".findAll string string int -> list(string)", metered=True
)
def _find_all(take: Take, text: str, pattern: str, most: int = -1) -> list[Value]:
    found: list[Value] = []
    for match in _searcher(pattern, text, take).finditer(text):
        if len(found) == most:
            break
        reserve(TEXT + stored(match[0]), take)
        found.append(match[0])
    return found


def _searcher(pattern: str, text: str, take: Take) -> re.Pattern[str]:
    """Return a pattern of Python that does the same as Go's, and cannot take long."""
    turns = (len(text) + 1) ** min(len(REPEATS.findall(pattern)), 3)
    if (NESTED.search(pattern) and len(text) > 20) or turns > STEPS:
        raise UnknownError(f"what matches the pattern {pattern[:60]}")
    take(turns // TURNS)
    _matcher(pattern, take)
    return _python(pattern)


def _matcher(pattern: str, take: Take) -> Callable[[str], bool] | None:
    """Return a test for a pattern; to make it anew takes steps."""
    known = compiled()
    test = matcher(pattern)
    take(compile_steps(pattern) if compiled() > known else 0)
    return test


@lru_cache(maxsize=256)
def _python(pattern: str) -> re.Pattern[str]:
    if UNLIKE.search(pattern) or matcher(pattern) is None:
        raise UnknownError(f"what matches the pattern {pattern[:60]}")
    plain = re.sub(r"\[:(\w+):\]", lambda name: CLASSES.get(name[1], ""), pattern)
    plain = re.sub(r"(?<!\\)\$$", r"\\Z", plain)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # what sets may mean in Python one day
            return re.compile(plain, re.ASCII)
    except re.error as error:
        raise FaultError("error parsing regexp") from error
