"""Write the matrix: as a new block, or into the one that a text has, whose other bytes stay.

The matrix of a release: its rows, in the form of its time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kitgen.kit.model import ITSELF, Matrix, Release
from kitgen.release.matrix.block import BAR, END, START, MatrixBlock, cell, is_barred
from kitgen.text.semver import in_range

HEAD = ("Component", "Version")


class Row(NamedTuple):
    """What a row is called, and its cell."""

    label: str
    cell: str


def written(title: str, rows: Sequence[Row], widths: tuple[int, int] = (0, 0)) -> str:
    """Return a whole block, markers included."""
    table = [Row(*HEAD), *rows]
    wide = [max(least, *(len(each[at]) for each in table)) for at, least in enumerate(widths)]
    rule = "|".join("-" * (each + 2) for each in wide)
    lines = [_line(table[0], wide), f"|{rule}|", *(_line(each, wide) for each in rows)]
    return "\n".join([START, title, "", *lines, END, ""])


def _line(row: Row, widths: Sequence[int]) -> str:
    return f"| {row.label.ljust(widths[0])} | {row.cell.ljust(widths[1])} |"


def replaced(block: MatrixBlock, title: str, rows: Sequence[Row], widths: tuple[int, int] = (0, 0)) -> str:
    """Return the text with these rows in its matrix.

    A row whose cell is the same keeps its bytes; a changed one keeps its place, further columns and end of
    line; a new one comes behind the row that is before it. Without a table, the whole of one is put between
    the markers.
    """
    lines, ending = block.lines, block.ending
    if block.rule < 0:
        made = [f"{line}{ending}" for line in written(title, rows, widths).splitlines()[1:-1]]
        return "".join((*lines[: block.start + 1], *made, *lines[block.end :]))
    wide = _widths(lines[block.rule])
    there = {each.label: each for each in block.rows}
    fresh: dict[int, list[str]] = {each.index: [] for each in block.rows}
    at = block.rule
    behind: dict[int, list[str]] = {at: []}
    for row in rows:
        if (old := there.get(row.label)) is None:
            behind[at].append(f"{_line(row, wide)}{ending}")
            continue
        at, line = old.index, lines[old.index]
        fresh[at] = [line if row.cell == old.cell else _changed(line, row, wide)]
        behind[at] = []
    places = range(len(lines))
    return "".join(line for at in places for line in (*fresh.get(at, [lines[at]]), *behind.get(at, ())))


def _changed(line: str, row: Row, widths: Sequence[int]) -> str:
    """Return a line of a table with another cell; what stands behind that stays."""
    indent = line[: len(line) - len(line.lstrip())]
    body = line.rstrip("\r\n")
    rest = BAR.split(body)[2 + is_barred(line) :]
    return f"{indent}{_line(row, widths)}{'|'.join(rest)}{line[len(body) :]}"


def _widths(rule: str) -> list[int]:
    """Return how wide the columns are, by the line below their heads."""
    return [len(each) - 2 for each in rule.strip().strip("|").split("|")][:2]


def versions_of(matrix: Matrix, release: Release) -> dict[str, str]:
    """Return the version of each row that a release knows one of, by its label."""
    return {row.label: version for row in matrix.rows if (version := _version(row.of, release))}


def rows_of(matrix: Matrix, release: Release) -> Iterator[Row]:
    """Yield the rows of a release: those that it knows a version of, in the form of its time."""
    plain = is_plain(matrix, release)
    for row in matrix.rows:
        if version := _version(row.of, release):
            yield Row(row.label, cell(version, "" if plain else row.repository(release.name)))


def block_of(matrix: Matrix, release: Release) -> str:
    """Return the block that a README carries, markers included; empty if the release has no row."""
    rows = [*rows_of(matrix, release)]
    # Plain cells are as narrow as they can be.
    widths = (matrix.widths[0], 0) if is_plain(matrix, release) else matrix.widths
    return written(matrix.title, rows, widths) if rows else ""


def _version(name: str, release: Release) -> str:
    if name == ITSELF:
        return release.name
    return release.components.get(name) or release.records.get(name, "")


def is_plain(matrix: Matrix, release: Release) -> bool:
    """Return whether the cells of a release have no links."""
    return bool(matrix.plain) and in_range(release.name, matrix.plain)
