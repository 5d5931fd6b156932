"""Write the matrix: as a new block, or into the one that a text has, whose other bytes stay.

The matrix of a release: its rows, in the form of its time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kitgen.kit.model import Matrix, Release
from kitgen.release.matrix.block import BAR, END, START, MatrixBlock, format_cell, has_leading_bar
from kitgen.text.semver import is_in_range

HEAD = ("Component", "Version")


def render_block(title: str, rows: Mapping[str, str], widths: tuple[int, int] = (0, 0)) -> str:
    """Return a whole block, markers included; rows are cells by their labels."""
    table = [HEAD, *rows.items()]
    wide = [max(least, *(len(each[at]) for each in table)) for at, least in enumerate(widths)]
    head, *lines = (_format_row(*each, wide) for each in table)
    rule = f"|{'|'.join('-' * (each + 2) for each in wide)}|"
    return "\n".join([START, title, "", head, rule, *lines, END, ""])


def _format_row(label: str, cell: str, widths: Sequence[int]) -> str:
    return f"| {label.ljust(widths[0])} | {cell.ljust(widths[1])} |"


def replace_rows(
    block: MatrixBlock, title: str, rows: Mapping[str, str], widths: tuple[int, int] = (0, 0)
) -> str:
    """Return the text with these rows in its matrix.

    A row whose cell is the same keeps its bytes; a changed one keeps its place, further columns and end of
    line; a new one comes behind the row that is before it. Without a table, the whole of one is put between
    the markers.
    """
    lines, ending = block.lines, block.line_ending
    if block.rule < 0:
        table = [f"{line}{ending}" for line in render_block(title, rows, widths).splitlines()[1:-1]]
        return "".join((*lines[: block.start + 1], *table, *lines[block.end :]))
    wide = _measure_columns(lines[block.rule])
    there = {each.label: each for each in block.rows}
    made: dict[int, list[str]] = {each.index: [] for each in block.rows}
    at = block.rule
    made[at] = [lines[at]]
    for label, wanted in rows.items():
        if (old := there.get(label)) is None:
            made[at].append(f"{_format_row(label, wanted, wide)}{ending}")
        else:
            at = old.index
            made[at] = [
                lines[at]
                if wanted == old.cell
                else _replace_cells(lines[at], _format_row(label, wanted, wide))
            ]
    return "".join(line for at, old in enumerate(lines) for line in made.get(at, [old]))


def _replace_cells(line: str, row: str) -> str:
    """Return a line of a table with another label and cell; what stands behind these stays."""
    indent = line[: len(line) - len(line.lstrip())]
    body = line.rstrip("\r\n")
    rest = BAR.split(body)[2 + has_leading_bar(line) :]
    return f"{indent}{row}{'|'.join(rest)}{line[len(body) :]}"


def _measure_columns(rule: str) -> list[int]:
    """Return how wide the columns are, by the line below their heads."""
    return [len(each) - 2 for each in rule.strip().strip("|").split("|")][:2]


def versions_by_label(matrix: Matrix, release: Release) -> dict[str, str]:
    """Return the version of each row that a release knows one of, by its label."""
    return {row.label: version for row in matrix.rows if (version := release.version_of(row.of))}


def render_rows(matrix: Matrix, release: Release) -> dict[str, str]:
    """Return the rows of a release: those that it knows a version of, in the form of its time."""
    plain = is_unlinked(matrix, release)
    return {
        row.label: format_cell(version, "" if plain else row.repository(release.name))
        for row in matrix.rows
        if (version := release.version_of(row.of))
    }


def render_release_block(matrix: Matrix, release: Release) -> str:
    """Return the block that a README carries, markers included; empty if the release has no row."""
    rows = render_rows(matrix, release)
    # Plain cells are as narrow as they can be.
    widths = (matrix.widths[0], 0) if is_unlinked(matrix, release) else matrix.widths
    return render_block(matrix.title, rows, widths) if rows else ""


def is_unlinked(matrix: Matrix, release: Release) -> bool:
    """Return whether the cells of a release have no links."""
    return bool(matrix.plain) and is_in_range(release.name, matrix.plain)
