"""Templates of ApplicationSets: plain fields such as `{{ .path.basename }}`, or flat keys of the older form.

Actions that do more than read a field (functions, conditions, loops) are Go's own; a template that has one is
not judged.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, TypeAlias

from msgspec import Struct

Keys: TypeAlias = tuple[str, ...]
"""The steps of a field: `.a.b` is a, b."""
OPEN, CLOSE = "{{", "}}"
FIELD = re.compile(r"\$?((?:\.\w+)+)")
WORD = re.compile(r"[A-Za-z_]\w*")


class GoTemplate(Struct, frozen=True, kw_only=True):
    """What is known of a template."""

    text: str
    pieces: tuple[str | Keys, ...] = ()
    """Texts and fields in order; none if the template does more than read fields."""
    words: tuple[str, ...] = ()
    """Actions that are one word without a dot, which Go takes for a function."""
    unclosed: int | None = None
    """How many characters stand before an opening that nothing closes."""

    @property
    def fields(self) -> tuple[Keys, ...]:
        """Return the fields that it reads, each once."""
        return tuple(dict.fromkeys(each for each in self.pieces if isinstance(each, tuple)))

    def fill(self, params: Mapping[str, Any]) -> str:
        """Return what comes out with parameters that have every field."""
        return "".join(each if isinstance(each, str) else _value(params, each) for each in self.pieces)


def _value(params: Any, keys: Keys) -> str:
    for key in keys:
        params = params[key]
    return str(params)


def parse(text: str) -> GoTemplate:
    """Read a Go template; an opening without an end is a problem."""
    pieces: list[str | Keys] = []
    words: list[str] = []
    plain = True
    before, *actions = text.split(OPEN)
    offset = len(before)
    for action in actions:
        body, close, after = action.partition(CLOSE)
        if not close:
            return GoTemplate(text=text, unclosed=offset)
        offset += len(OPEN) + len(action)
        pieces.append(before.rstrip() if body.startswith("- ") else before)
        before = after.lstrip() if body.endswith(" -") else after
        body = body.removeprefix("- ").removesuffix(" -").strip()
        if field := FIELD.fullmatch(body):
            pieces.append(tuple(field[1][1:].split(".")))
        else:
            plain = False
            words += [body] if WORD.fullmatch(body) else []
    pieces = [each for each in (*pieces, before) if each] if plain else []
    return GoTemplate(text=text, pieces=tuple(pieces), words=tuple(words))


def parse_flat(text: str) -> GoTemplate:
    """Read a text in which `{{ a.b }}` is the value that is called a.b."""
    pieces: list[str | Keys] = []
    at = 0
    while (start := text.find(OPEN, at)) >= 0:
        end = text.find(CLOSE, start)
        if end < 0:  # Argo CD takes it for a text if nothing is filled in before
            known = any(isinstance(each, tuple) for each in pieces)
            return GoTemplate(text=text, unclosed=start if known else None)
        name = text[start + len(OPEN) : end].strip()
        pieces += [text[at:start], (name,) if name else text[start : end + len(CLOSE)]]
        at = end + len(CLOSE)
    return GoTemplate(text=text, pieces=tuple(each for each in (*pieces, text[at:]) if each))
