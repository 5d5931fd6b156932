"""Characters that get lost: kustomize reads them, but not its own copy of them, however they are written."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.findings import Path
from kitgen.yamlio.data import Json

LOST = re.compile(r"[\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def lost_character(text: str) -> str:
    """Name the first character of a text that would get lost; an empty name when there is none."""
    found = LOST.search(text)
    return f"U+{ord(found[0]):04X}" if found else ""


def lost_characters(value: Json, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Yield the path of every key and text with a character that would get lost, and its name."""
    if isinstance(value, str):
        if name := lost_character(value):
            yield path, name
    elif isinstance(value, dict):
        for key, item in value.items():
            if name := lost_character(key):
                yield (*path, key), name
            yield from lost_characters(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from lost_characters(item, (*path, index))
