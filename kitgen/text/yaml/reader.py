"""Read YAML strictly: duplicate keys, alias bombs and ambiguous words are errors.

A text that programs print is split into its documents first, and each is read by itself. Characters that
kustomize reads but cannot read back from its own output are found here too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from kitgen.findings import Path, make_problem
from kitgen.text.patterns import compile_late
from kitgen.text.yaml.blocks import read_blocks
from kitgen.text.yaml.data import MAX_NODES, Dialect, Json, Values, walk_values
from kitgen.text.yaml.rules import YamlError


def read_yaml(text: str, *, dialect: Dialect = Dialect.SPEC, values: Values | None = None) -> Json:
    """Read text that holds one document."""
    if len(documents := read_yaml_documents(text, dialect=dialect, values=values)) > 1:
        raise YamlError(
            [make_problem("yaml-documents", f"found {len(documents)} documents, expected one", line=1)]
        )
    return documents[0] if documents else None


def read_yaml_documents(
    text: str, *, dialect: Dialect = Dialect.SPEC, values: Values | None = None
) -> list[Json]:
    """Read every document of the text; an empty document is None."""
    if (read := _read_parts(text, dialect, values)) is not None:
        documents, nodes = read
        if values is not None:
            values.left -= nodes
        return documents
    # What people wrote, and all that is wrong: the parser sees the whole of it.
    from kitgen.text.yaml.builder import _Builder

    builder = _Builder(dialect, values=values)
    try:
        documents = builder.read_documents(text)
    finally:
        if values is not None:
            values.left -= builder.nodes
    if builder.problems:
        raise YamlError(builder.problems)
    return documents


def _read_parts(text: str, dialect: Dialect, values: Values | None) -> tuple[list[Json], int] | None:
    """Return the documents and how many values they hold, or None if something is wrong.

    Each is read by itself, and only what is not simple is parsed: PyYAML takes long to import.
    """
    if (parts := split_documents(text)) is None:
        return None
    most = MAX_NODES[dialect] if values is None else min(MAX_NODES[dialect], values.left)
    found: list[Json] = []
    nodes, builder = 0, None
    for part in parts:
        simple = read_blocks(part.text, strict=dialect is Dialect.SPEC)
        if simple is not None and nodes + simple.nodes <= most:
            nodes += simple.nodes
            found.append(simple.data)
            continue
        if builder is None:
            from kitgen.text.yaml.builder import _Builder

            builder = _Builder(dialect, values=values)
        builder.nodes = nodes
        try:
            found += builder.read_documents(part.text)
        except YamlError:
            return None
        if builder.problems:
            return None
        nodes = builder.nodes
    return found, nodes


def find_lost_character(text: str) -> str:
    """Name the first character of a text that would get lost; an empty name when there is none."""
    if text.isascii() and "\x7f" not in text:
        return ""  # as of most texts
    lost = {each for each in {*text} if _is_lost(each)}
    return next((f"U+{ord(each):04X}" for each in text if each in lost), "") if lost else ""


def _is_lost(character: str) -> bool:
    is_odd = "\x7f" <= character <= "\x9f" or "\ud800" <= character <= "\udfff"
    return is_odd or character in "\ufffe\uffff"


def find_lost_characters(value: Json) -> Iterator[tuple[Path, str]]:
    """Yield the path of every key and text with a character that would get lost, and its name."""
    for path, item in walk_values(value):
        for text in (*path[-1:], item):
            if isinstance(text, str) and (name := find_lost_character(text)):
                yield path, name


ASCII = bytes([*b"\t\n", *range(0x20, 0x7F)])
ODD = frozenset(
    {*map(chr, range(0x20)), *map(chr, range(0x7F, 0xA0)), *"\u2028\u2029\ufeff\ufffe\uffff"} - {*"\t\n"}
)
"""What ends a line as \\n does, a mark of byte order, and what YAML does not allow; few texts need it."""
SAYS = compile_late(r"^ *[^ #\n]", re.MULTILINE)
"""The start of a line that is neither empty nor a comment."""
MARKER = compile_late(r"\n---(?![^ \t\n])")


class DocumentText(NamedTuple):
    """A part of a text, and how many lines are before it."""

    text: str
    before: int


def split_documents(text: str) -> Iterator[DocumentText] | None:
    """Return each document with its marker, or None if only a parser can separate them.

    Three dashes where a line begins end a document, whatever they stand in: what goes on over lines is
    indented, or must not hold them there.
    """
    # Most texts are of ASCII alone, and that is many times as fast.
    odd = text.encode().translate(None, ASCII) if text.isascii() else any(map(_is_odd, {*text}))
    return (
        None if odd or _has_line_start(text, "%") or _has_line_start(text, "...") else _split_at_markers(text)
    )


def _is_odd(character: str) -> bool:
    return character in ODD or "\ud800" <= character <= "\udfff"


def _has_line_start(text: str, start: str) -> bool:
    return text.startswith(start) or f"\n{start}" in text


def _split_at_markers(text: str) -> Iterator[DocumentText]:
    start, before = 0, 0
    inner = [match.start() + 1 for match in MARKER.finditer(text)] if "\n---" in text else []
    for end in (*inner, len(text)):
        # What stands above the first marker is a document only if it says something.
        if start or SAYS.search(text, 0, end):
            yield DocumentText(text[start:end], before)
        before += text.count("\n", start, end)
        start = end
