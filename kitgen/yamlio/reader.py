"""Read YAML strictly: duplicate keys, alias bombs and ambiguous words are errors."""

from __future__ import annotations

from kitgen.yamlio.blocks import read_blocks
from kitgen.yamlio.builder import Values, _Builder
from kitgen.yamlio.data import Json
from kitgen.yamlio.documents import parts_of
from kitgen.yamlio.rules import YAML_DOCUMENTS, YamlError
from kitgen.yamlio.scalars import Dialect


def read(text: str, *, dialect: Dialect = Dialect.SPEC, values: Values | None = None) -> Json:
    """Read text that holds one document."""
    documents = read_all(text, dialect=dialect, values=values)
    if len(documents) > 1:
        raise YamlError([YAML_DOCUMENTS(f"found {len(documents)} documents, expected one", line=1)])
    return documents[0] if documents else None


def read_all(text: str, *, dialect: Dialect = Dialect.SPEC, values: Values | None = None) -> list[Json]:
    """Read every document of the text; an empty document is None."""
    builder = _Builder(dialect, values=values)
    if dialect is not Dialect.SPEC and (documents := _in_parts(text, builder)) is not None:
        if values is not None:
            values.left -= builder.nodes
        return documents
    # What people wrote, and all that is wrong: the parser sees the whole of it.
    builder = _Builder(dialect, values=values)
    try:
        documents = builder.documents(text)
    finally:
        if values is not None:
            values.left -= builder.nodes
    if builder.problems:
        raise YamlError(builder.problems)
    return documents


def _in_parts(text: str, builder: _Builder) -> list[Json] | None:
    """Read each document by itself, and parse what no program prints; None if something is wrong."""
    if (parts := parts_of(text)) is None:
        return None
    found: list[Json] = []
    for part in parts:
        simple = read_blocks(part.text)
        if simple is not None and builder.nodes + simple.nodes <= builder.most:
            builder.nodes += simple.nodes
            found.append(simple.data)
            continue
        try:
            found += builder.documents(part.text)
        except YamlError:
            return None
    return None if builder.problems else found
