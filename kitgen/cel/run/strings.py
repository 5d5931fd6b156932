"""Functions of strings: CEL's own, those of Kubernetes' extension, and Go's regular expressions."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable
from functools import lru_cache

from kitgen.cel.run.conversions import to_string
from kitgen.cel.run.functions import (
    COMPARED,
    TEXT,
    WIDE,
    count_bytes,
    register_function,
    register_functions,
    reserve_memory,
)
from kitgen.cel.run.values import FaultError, Take, UnknownError, Value, kind_of
from kitgen.text.patterns import compile_late
from kitgen.text.regex_match import CLASSES, compile_pattern, count_compiled, estimate_compile_steps

SPACE = "\t\n\v\f\r \u0085\u00a0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
LOWER = {code: code + 32 for code in range(65, 91)}
UPPER = {code: code - 32 for code in range(97, 123)}
DEEPEST = 6
CLAUSE = compile_late(r"%(?:%|(?:\.(?P<precision>[0-9]*))?(?P<sign>.?))", re.DOTALL)
LONGEST_NUMBER = 512
"""What a number of 64 bits takes with 99 places."""
ESCAPED = 6
"""How many characters one may become that is escaped."""


register_functions(
    {
        ".startsWith string string -> bool": lambda text, part: text.startswith(part),
        ".endsWith string string -> bool": lambda text, part: text.endswith(part),
        ".contains string string -> bool": lambda text, part: part in text,
        ".lowerAscii string -> string": lambda text: text.translate(LOWER),
        ".upperAscii string -> string": lambda text: text.translate(UPPER),
        ".trim string -> string": lambda text: text.strip(SPACE),
    }
)


@register_function("strings.quote string -> string", metered=True)
def _quote(take: Take, text: str) -> str:
    reserve_memory(ESCAPED * count_bytes(text), take)
    return json.dumps(text, ensure_ascii=False)


@register_function(".join list -> string", ".join list string -> string", metered=True)
def _join(take: Take, items: list[Value], between: str = "") -> str:
    if not all(isinstance(item, str) for item in items):
        raise FaultError("no such overload: join")
    return _join_texts(items, between, take)


def _join_texts(texts: list[str], between: str, take: Take) -> str:
    length = sum(map(len, texts)) + len(between) * len(texts)
    reserve_memory(length if between.isascii() and all(map(str.isascii, texts)) else WIDE * length, take)
    return between.join(texts)


def _require_index(at: int, size: int) -> int:
    if not 0 <= at <= size:
        raise FaultError(f"index out of range: {at}")
    return at


register_functions(
    {
        ".charAt string int -> string": lambda text, at: text[_require_index(at, len(text)) :][:1],
        ".indexOf string string -> int": lambda text, part: text.find(part),
        ".indexOf string string int -> int": lambda text, part, start: text.find(
            part, _require_index(start, len(text))
        ),
    }
)


@register_function(".lastIndexOf string string -> int", ".lastIndexOf string string int -> int", metered=True)
def _find_last(take: Take, text: str, part: str, end: int | None = None) -> int:
    # Each place may be compared as far as the part goes.
    take(len(text) * len(part) // COMPARED)
    return text.rfind(part, 0, None if end is None else _require_index(end, len(text)) + len(part))


@register_function(
    ".replace string string string -> string", ".replace string string string int -> string", metered=True
)
def _replace(take: Take, text: str, old: str, new: str, times: int = -1) -> str:
    count = text.count(old) if times < 0 else min(times, text.count(old))
    reserve_memory(WIDE * (len(text) + count * len(new)), take)
    return text.replace(old, new, times if times >= 0 else -1)


@register_function(
    ".split string string -> list(string)", ".split string string int -> list(string)", metered=True
)
def _split(take: Take, text: str, sign: str, most: int = -1) -> list[Value]:
    if most == 0:
        return []
    count = text.count(sign) + 1
    reserve_memory(TEXT * (count if most < 0 else min(most, count)) + count_bytes(text), take)
    if sign:
        return [*text.split(sign, most - 1 if most > 0 else -1)]
    return [*text] if most < 0 or most >= len(text) else [*text[: most - 1], text[most - 1 :]]


@register_function(".substring string int -> string", ".substring string int int -> string")
def _substring(text: str, start: int, end: int | None = None) -> str:
    last = len(text) if end is None else _require_index(end, len(text))
    if _require_index(start, len(text)) > last:
        raise FaultError(f"invalid substring range. start: {start}, end: {last}")
    return text[start:last]


@register_function(".format string list -> string", metered=True)
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
        made.append(_format_clause(match["sign"], value, int((match["precision"] or "6")[:2]), take))
    return _join_texts([*made, text[last:]], "", take)


def _format_clause(sign: str, value: Value, precision: int, take: Take) -> str:
    kind = kind_of(value)
    if sign == "s":
        return _format_value(value, take)
    if sign in "dboxX" and (kind in ("int", "uint") or (sign, kind) == ("b", "bool")):
        return f"{int(value):{sign}}"
    if sign in "fe" and kind == "double":
        reserve_memory(LONGEST_NUMBER, take)
        return f"{float(value):.{precision}{sign}}"
    if sign in "xX" and kind in ("string", "bytes"):
        reserve_memory(4 * count_bytes(value), take)
        found: str = (value.encode(errors="replace") if kind == "string" else value).hex()
        return found.upper() if sign == "X" else found
    raise FaultError(f"error during formatting: %{sign} does not take {kind}")


def _format_value(value: Value, take: Take, depth: int = 0) -> str:
    if depth > DEEPEST:
        raise FaultError("error during formatting: too deep")
    take(1)
    if value is None:
        return "null"
    if isinstance(value, list):
        return f"[{_join_texts([_format_value(item, take, depth + 1) for item in value], ', ', take)}]"
    if isinstance(value, dict):
        pairs = sorted(
            (_format_value(key, take, depth + 1), _format_value(item, take, depth + 1))
            for key, item in value.items()
        )
        return "{" + _join_texts([f"{key}: {item}" for key, item in pairs], ", ", take) + "}"
    reserve_memory(count_bytes(value), take)
    return to_string(value)


REPEATS = compile_late(r"(?<!\\)(?:[*+]|\{[0-9]+,[0-9]*\})")
NESTED = compile_late(r"\)(?:[*+]|\{)")
UNLIKE = compile_late(r"\\[pPQECzXK]|\(\?(?!:|P<|[is]+[:)])|\[\[:\^")
SIMPLE, QUICK = 200, 8
"""A pattern of so few characters, that counts nothing, is matched against so many in one step; else one."""
TURNS = 32
STEPS = 1_000_000
"""How long the engine of Python may look for what matches; it may go back, Go's does not."""


@register_function(".matches string string -> bool", "matches string string -> bool", metered=True)
def _matches(take: Take, text: str, pattern: str) -> bool:
    test = _compile_matcher(pattern, take)
    take(len(text) // (1 if len(pattern) > SIMPLE or "{" in pattern else QUICK))
    if test is None:
        raise UnknownError(f"the pattern {pattern[:60]}")
    try:
        return test(text)
    except UnicodeEncodeError as error:
        raise FaultError("invalid UTF-8") from error


@register_function(".find string string -> string", metered=True)
def _find(take: Take, text: str, pattern: str) -> str:
    found = _compile_search_pattern(pattern, text, take).search(text)
    return found[0] if found else ""


@register_function(
    ".findAll string string -> list(string)", ".findAll string string int -> list(string)", metered=True
)
def _find_all(take: Take, text: str, pattern: str, most: int = -1) -> list[Value]:
    found: list[Value] = []
    for match in _compile_search_pattern(pattern, text, take).finditer(text):
        if len(found) == most:
            break
        reserve_memory(TEXT + count_bytes(match[0]), take)
        found.append(match[0])
    return found


def _compile_search_pattern(pattern: str, text: str, take: Take) -> re.Pattern[str]:
    """Return a pattern of Python that does the same as Go's, and cannot take long."""
    turns = (len(text) + 1) ** min(len(REPEATS.findall(pattern)), 3)
    if (NESTED.search(pattern) and len(text) > 20) or turns > STEPS:
        raise UnknownError(f"what matches the pattern {pattern[:60]}")
    take(turns // TURNS)
    _compile_matcher(pattern, take)
    return _compile_python_pattern(pattern)


def _compile_matcher(pattern: str, take: Take) -> Callable[[str], bool] | None:
    """Return a test for a pattern; to make it anew takes steps."""
    known = count_compiled()
    test = compile_pattern(pattern)
    take(estimate_compile_steps(pattern) if count_compiled() > known else 0)
    return test


@lru_cache(maxsize=256)
def _compile_python_pattern(pattern: str) -> re.Pattern[str]:
    if UNLIKE.search(pattern) or compile_pattern(pattern) is None:
        raise UnknownError(f"what matches the pattern {pattern[:60]}")
    plain = re.sub(r"\[:(\w+):\]", lambda name: CLASSES.get(name[1], ""), pattern)
    plain = re.sub(r"(?<!\\)\$$", r"\\Z", plain)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # what sets may mean in Python one day
            return re.compile(plain, re.ASCII)
    except re.error as error:
        raise FaultError("error parsing regexp") from error
