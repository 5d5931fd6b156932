"""The matrix of all releases: for people, as Markdown, or for programs."""

from __future__ import annotations

from kitgen.kit.model import ITSELF
from kitgen.release.matrix.run import ShownMatrix
from kitgen.report.table import table
from kitgen.text.wording import prose

NONE = "-"


def as_table(shown: ShownMatrix, *, width: int, colour: bool) -> str:
    """Write a row a release, the newest first."""
    head, *rows = _rows(shown)
    return table("", head, rows, width=width, colour=colour)


def as_markdown(shown: ShownMatrix) -> str:
    """Write the same as a table in Markdown."""
    head, *rows = _rows(shown)
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    lines += [f"| {' | '.join(map(prose, row))} |" for row in rows]
    return "".join(f"{line}\n" for line in lines)


def _rows(shown: ShownMatrix) -> list[list[str]]:
    """Return the head and the rows."""
    labels = [row.label for row in shown.matrix.rows if row.of != ITSELF]
    return [
        ["release", "date", *labels],
        *(
            [each.release, each.date or NONE, *(each.versions.get(label, NONE) for label in labels)]
            for each in shown.report.releases
        ),
    ]
