"""Write the matrix of all releases: for people, as Markdown, or for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kitgen.kit.model import ITSELF, Matrix, Release
from kitgen.report.documents import DocumentSchema, document
from kitgen.report.table import table
from kitgen.text.wording import prose

NONE = "-"


def as_table(
    matrix: Matrix,
    releases: Sequence[Release],
    versions: Mapping[str, Mapping[str, str]],
    *,
    width: int,
    colour: bool,
) -> str:
    """Write a row a release, the newest first."""
    return table("", _head(matrix), [*_rows(matrix, releases, versions)], width=width, colour=colour)


def as_markdown(
    matrix: Matrix, releases: Sequence[Release], versions: Mapping[str, Mapping[str, str]]
) -> str:
    """Write the same as a table in Markdown."""
    head = _head(matrix)
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    lines += [f"| {' | '.join(map(prose, row))} |" for row in _rows(matrix, releases, versions)]
    return "".join(f"{line}\n" for line in lines)


def as_json(matrix: Matrix, releases: Sequence[Release], versions: Mapping[str, Mapping[str, str]]) -> str:
    """Write the same for a program."""
    return document(
        DocumentSchema.MATRIX,
        title=matrix.title,
        releases=[
            {"release": each.name, "date": each.date or None, "versions": dict(versions[each.name])}
            for each in reversed(releases)
        ],
    )


def _head(matrix: Matrix) -> tuple[str, ...]:
    labels = (row.label for row in matrix.rows if row.of != ITSELF)
    return ("release", "date", *labels)


def _rows(
    matrix: Matrix, releases: Sequence[Release], versions: Mapping[str, Mapping[str, str]]
) -> Iterator[list[str]]:
    labels = [row.label for row in matrix.rows if row.of != ITSELF]
    for each in reversed(releases):
        found = versions[each.name]
        yield [each.name, each.date or NONE, *(found.get(label, NONE) for label in labels)]
