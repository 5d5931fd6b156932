"""The matrix of a release: its rows, in the form of its time."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.matrix.cells import cell
from kitgen.matrix.writing import Row, written
from kitgen.model import ITSELF, Matrix, Release
from kitgen.semver import in_range


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
    """Tell whether the cells of a release have no links."""
    return bool(matrix.plain) and in_range(release.name, matrix.plain)
