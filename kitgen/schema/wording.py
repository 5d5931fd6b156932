"""Say in plain words what a value is, without giving a secret away."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeAlias

from kitgen.findings import Path
from kitgen.yamlio import Json

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
COMMAND = re.compile(r"(?<!\S):(?=:)|#(?=#\w*\[)")
"""How commands to CI systems start: `::error::` where a line does, `##[` and `##vso[` anywhere in one."""
WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
"""Where a word starts within a name."""
SECRETIVE = re.compile(
    r"secret|pass(?:w|phrase|code)|(?<![a-z])(?:pass|pwd|pw|pin|psk|jwt)(?![a-z])|token|string_?data|cred"
    r"|auth(?!ors?(?![a-z]))|key|bearer|cookie|private|signature"
)

NAMING = (
    *("name", "names", "namespace", "ref", "path", "file", "dir", "kind", "type", "mode", "policy"),
    *("seconds", "timeout", "ttl"),
)
"""How names of fields end that only name a secret, or say how long it lasts."""


def is_secretive(path: Path, root: Json = None) -> bool:
    """Tell whether names on the way to a value say that it is nobody's business.

    With what the path starts from, those count too that stand beside a value, as of environment variables.
    """
    for step in path:
        if hides(root, step):
            return True
        try:
            root = root[step]
        except (LookupError, TypeError):
            root = None
    return False


def hides(above: Json, step: str | int) -> bool:
    """Tell whether what a mapping has at a key may be a secret: by the key, or by the name beside a value."""
    named = above.get("name") if step == "value" and isinstance(above, dict) else None
    return _sounds_secret(str(step)) or (isinstance(named, str) and _sounds_secret(named))


def is_secret(name: str) -> bool:
    """Tell whether a name is that of a secret itself, and not of where one is or how long it lasts."""
    return _sounds_secret(name) and not name.casefold().endswith(NAMING)


@lru_cache(maxsize=4096)
def _sounds_secret(name: str) -> bool:
    domain, _, last = name.rpartition("/")  # of a label, whose domain says nothing of its value
    return SECRETIVE.search(WORD.sub("_", last if "." in domain else name).lower()) is not None


def cut(text: str) -> str:
    """Quote a text as JSON does; a long one loses its tail."""
    return json.dumps(text if len(text) <= LONGEST else text[: LONGEST - 1] + "…", ensure_ascii=False)


def printable(text: str) -> str:
    """Escape what steers a terminal, commands a CI system or breaks the line: anybody may have written it."""
    if not text.isprintable():
        text = "".join(char if char.isprintable() else escaped(char) for char in text)
    return COMMAND.sub(lambda match: rf"\x{ord(match[0]):02x}", text)


def escaped(char: str) -> str:
    """Write a character by its number."""
    return char.encode("unicode_escape", "backslashreplace").decode()


def shown(value: Json, *, reveal: bool = True) -> str:
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
    return cut(value) if isinstance(value, str) else json.dumps(value)


def counted(number: int, one: str, many: str = "") -> str:
    """Write a number with its noun."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def choice(words: Sequence[Json], *, last: str = "or", most: int = 12, say: Say = str) -> str:
    """Join words as people do: a, b or c; of a long list only the first are named, and of a long word."""
    told = [
        word if len(word) <= 2 * LONGEST else word[: 2 * LONGEST] + "…" for word in map(say, words[:most])
    ]
    if len(words) > most:
        return f"{', '.join(told)} {last} {len(words) - most} more"
    return f" {last} ".join(filter(None, [", ".join(told[:-1]), told[-1]])) if told else "nothing"
