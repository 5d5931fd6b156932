"""Describe values in plain words without revealing secrets, and escape foreign texts for Markdown."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeAlias

from kitgen.text.credentials import HIDDEN, redact_credentials
from kitgen.text.patterns import compile_late
from kitgen.text.secrets import KIND, redact_value
from kitgen.text.yaml import Json

Say: TypeAlias = Callable[[Json], str]
LONGEST = 60
TYPES = {
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "nothing",
}
COMMAND = compile_late(r"(?<!\S):(?=:)|#(?=#\w*\[)")
"""How commands to CI systems start: `::error::` where a line does, `##[` and `##vso[` anywhere in one."""


@lru_cache(maxsize=1024)
def quote_text(text: str) -> str:
    """Quote a text as JSON does, without secrets that stand in it; a long one loses its tail."""
    start = text[: 10 * LONGEST]  # of a Secret, what says that it is one may stand at the end
    text = HIDDEN if len(start) < len(text) and KIND.search(text) else redact_value(start)
    return json.dumps(text if len(text) <= LONGEST else text[: LONGEST - 1] + "…", ensure_ascii=False)


def escape_unprintable(text: str) -> str:
    """Escape what steers a terminal, commands a CI system or breaks the line: anybody may have written it."""
    text = redact_credentials(text)
    if not text.isprintable():
        text = "".join(char if char.isprintable() else escape_character(char) for char in text)
    return COMMAND.sub(lambda match: rf"\x{ord(match[0]):02x}", text)


def escape_character(char: str) -> str:
    """Write a character by its number."""
    return char.encode("unicode_escape", "backslashreplace").decode()


def describe_value(value: Json, *, reveal: bool = True) -> str:
    """Name a value: a scalar by itself unless it is not to be revealed, anything else by its type."""
    if isinstance(value, dict):
        return "a mapping" if value else "an empty mapping"
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    if value is None:
        return "nothing"
    if value == "":
        return "an empty string"
    if not reveal:
        kind = "boolean" if isinstance(value, bool) else "string" if isinstance(value, str) else "number"
        return f"a {kind}"
    return quote_text(value) if isinstance(value, str) else json.dumps(value)


def text_of(value: Json) -> str:
    """Return a text as it is, and what stands in the place of one as JSON writes it."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def format_count(number: int, one: str, many: str = "") -> str:
    """Write a number with its noun."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def join_words(words: Sequence[Json], *, last: str = "or", most: int = 12, say: Say = str) -> str:
    """Join words as people do: a, b or c; of a long list only the first are named, and of a long word."""
    told = [
        word if len(word) <= 2 * LONGEST else word[: 2 * LONGEST] + "…" for word in map(say, words[:most])
    ]
    if len(words) > most:
        return f"{', '.join(told)} {last} {len(words) - most} more"
    return f" {last} ".join(filter(None, [", ".join(told[:-1]), told[-1]])) if told else "nothing"


MARKS = {"#": "&#35;", "|": "&#124;", "<": "&lt;", "`": "&#96;", "@": "&#64;", "](": "]&#40;"}
MARKUP = compile_late("|".join(map(re.escape, MARKS)))
QUOTE, PIPE = "'", "\\|"
"""What stands for a backquote and a bar in code, where no entity means anything."""


def escape_markdown(text: str) -> str:
    """Keep text from breaking out of its cell or turning into a link, an image or a call of somebody."""
    return MARKUP.sub(lambda match: MARKS[match[0]], _to_single_line(text))


def format_code(text: str) -> str:
    """Write text as code, which it cannot end."""
    return f"`{_to_single_line(text).replace('`', QUOTE).replace('|', PIPE)}`"


def _to_single_line(text: str) -> str:
    return escape_unprintable((" " if text.startswith(" ") else "") + " ".join(text.split()))


def escape_mermaid(text: str) -> str:
    """Return a text that Mermaid shows as it is."""
    return text.replace("#", "#35;").replace('"', "#quot;").replace("<", "#lt;")
