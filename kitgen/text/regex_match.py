"""Match Go's regular expressions, in linear time and with Go's meaning."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache

from kitgen.text.patterns import compile_late

CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": r"\x00-\x7F",
    "blank": r"\t ",
    "cntrl": r"\x00-\x1F\x7F",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-\/:-@\[-`{-~",
    "space": r"\t\n\x0B\f\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}
ESCAPED = {"d": "0-9", "s": r"\t\n\f\r ", "w": "0-9A-Za-z_"}
"""Classes of ASCII that have a letter; a capital one is that of all others."""
# A quoted run, an escaped character, a class by name, where brackets open and close, a brace that counts
# nothing, which Go takes literally.
ODD = compile_late(
    r"\\Q(?P<quoted>.*?)(?:\\E|$)|\\(?P<escaped>[pPx]\{[^}]{0,99}\}|[0-7]{2,3}|.)|\[:(?P<not>\^?)(?P<name>\w+):\]"
    r"|(?P<open>\[\^?\]?)|(?P<close>\])|(?P<brace>\{(?![0-9]+(?:,[0-9]*)?\}))",
    re.DOTALL,
)


MAX_SIZE = 64 * 1024
"""Of a foreign pattern once it is compiled, which a character may cost; real ones take a quarter. While it is
matched it takes up to four times as much, and all that are kept have to fit."""


COUNT = compile_late(r"\{[0-9]+(,[0-9]*)?\}")
HEAVY = compile_late(r"\\[pP]|\(\?[A-Za-z-]*i")
"""What makes classes of many characters: those of Unicode, and all that are alike but for their case."""
LARGE = 16 * 1024 * 1024
"""What a pattern may take that is tried a second time."""


def is_pattern(text: str) -> bool:
    """Return whether a text is a regular expression of Go."""
    # What cannot be compiled may just be large, as often as something in it may come again.
    # It is only asked whether it can be, so what may be that large is not kept.
    return (
        compile_pattern(text) is not None
        or compile_pattern.__wrapped__(COUNT.sub("{1}", text), LARGE) is not None
    )


@lru_cache(maxsize=256)
def compile_pattern(pattern: str, size: int = MAX_SIZE) -> Callable[[str], bool] | None:
    """Return a test for a pattern, unanchored as in Go, or None if it cannot be compiled or gets too large.

    The engine is that of jsonschema-rs: it takes what Go takes, such as flags in the middle of a
    pattern, and no pattern makes it slow.
    """
    from jsonschema_rs import RegexOptions, ValidationError, validator_for

    if len(pattern) > size:
        return None
    options = RegexOptions(size_limit=size, dfa_size_limit=4 * size)
    try:
        validator = validator_for({"pattern": _translate_pattern(pattern)}, pattern_options=options)
    except (ValidationError, ValueError):
        return None
    return validator.is_valid


def count_compiled() -> int:
    """Return how many patterns were compiled so far; each takes some time."""
    return compile_pattern.cache_info().misses


def estimate_compile_steps(pattern: str) -> int:
    """Return how many steps of about three microseconds it may take to compile a pattern."""
    return 100 + len(pattern) * (40 if HEAVY.search(pattern) else 1)


def _translate_pattern(pattern: str) -> str:
    """Translate a pattern of Go to the syntax of the other engine."""
    parts, last, within = [], 0, False
    for match in ODD.finditer(pattern):
        parts += [pattern[last : match.start()], _translate_token(match, within)]
        last = match.end()
        if match["open"] and not within:
            within = True
        elif match["open"] or match["close"]:  # within brackets, one that opens is a character
            within = within and not match[0].endswith("]")
    return "".join(parts) + pattern[last:]


def _translate_token(match: re.Match[str], within: bool) -> str:
    escaped, name = match["escaped"], match["name"]
    if match["quoted"] is not None:
        return re.escape(match["quoted"])
    if escaped is not None:
        return _translate_escape(escaped, within)
    if name in CLASSES and within:
        return _complement_class(CLASSES[name]) if match["not"] else CLASSES[name]
    literal = match["open"] if within else match["brace"]
    return rf"\{match[0]}" if literal else match[0]


def _translate_escape(text: str, within: bool) -> str:
    if text.isdigit() and len(text) > 1:
        return rf"\x{{{int(text, 8):X}}}"
    if members := ESCAPED.get(text.lower()):
        members = members if text.islower() else _complement_class(members)
        return members if within else f"[{members}]"
    if text == "b" and not within:
        return r"(?-u:\b)"  # a word is one of ASCII
    return f"\\{text}"


@cache
def _complement_class(members: str) -> str:
    """Return the characters that are not among those of a class."""
    known = re.compile(f"[{members}]")
    others = "".join("-" if known.match(chr(code)) else "x" for code in range(128))
    runs = (match.span() for match in re.finditer("x+", others))
    return "".join(rf"\x{start:02X}-\x{end - 1:02X}" for start, end in runs) + r"\x{80}-\x{10FFFF}"
