"""What `kitgen matrix` does: show which versions belong together, and keep READMEs in step with it.

The matrix of all releases is for people, as Markdown, or for programs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from kitgen.files.atomic import edit_files
from kitgen.files.folders import is_writable
from kitgen.files.read import MAX_BYTES, read_file
from kitgen.findings import Origin, Problem, make_problem
from kitgen.findings.errors import FindingsError, KitgenError, UsageError
from kitgen.kit.model import ITSELF, Matrix
from kitgen.release.matrix.block import MatrixBlock, find_block
from kitgen.release.matrix.writing import render_release_block, render_rows, replace_rows, versions_by_label
from kitgen.report.documents import ResultDocument
from kitgen.report.table import render_markdown_table, render_table
from kitgen.text.wording import escape_markdown
from kitgen.workspace.kit import get_by_name, open_kit

NONE = "-"


class MatrixRelease(Struct, frozen=True, kw_only=True):
    """A release, and the versions that belong to it."""

    release: str
    """Its name."""
    date: str | None
    """Its day."""
    versions: Mapping[str, str]
    """Label of a row → version."""


class MatrixReport(ResultDocument, frozen=True, kw_only=True, tag="kitgen/matrix/v1"):
    """Which versions belong together: kitgen matrix."""

    title: str
    """The line above the matrix in a README."""
    releases: tuple[MatrixRelease, ...]
    """The newest first."""


class ShownMatrix(Struct, frozen=True, kw_only=True):
    """The matrix of some releases."""

    matrix: Matrix
    report: MatrixReport
    block: str = ""
    """Of one release, the text that a README carries."""
    changed: tuple[Path, ...] = ()
    """READMEs that were written, or are to be."""


def show_matrix(
    root: Path | None, release: str | None, readmes: Sequence[Path], *, dry_run: bool
) -> ShownMatrix:
    """Show the matrix of all releases or of one, and write it into READMEs."""
    kit = open_kit(root).kit
    if (matrix := kit.matrix) is None:
        raise UsageError("this kit has no compatibility matrix", hint="add `matrix` to kit.yaml")
    if readmes and release is None:
        raise UsageError("a README carries the matrix of one release", hint="name it with --release")
    chosen = tuple(kit.releases.values())
    if release is not None:
        chosen = (get_by_name(kit.releases, "release", release),)
    read, stale = {}, {}
    for file in readmes:
        block = read_block(file, matrix)
        text = replace_rows(block, matrix.title, render_rows(matrix, chosen[0]), matrix.widths)
        read[file] = "".join(block.lines)
        if text != read[file]:
            stale[file] = text
    if not dry_run:
        write_readmes(read, stale)
    return ShownMatrix(
        matrix=matrix,
        report=MatrixReport(
            title=matrix.title,
            releases=tuple(
                MatrixRelease(
                    release=each.name, date=each.date or None, versions=versions_by_label(matrix, each)
                )
                for each in reversed(chosen)
            ),
        ),
        block=render_release_block(matrix, chosen[0]) if release is not None else "",
        changed=tuple(stale),
    )


def read_block(file: Path, matrix: Matrix) -> MatrixBlock:
    """Return the matrix of a README that is to be written; one that is none is a FindingsError."""
    try:
        text = read_file(file, MAX_BYTES, links=True).decode()
    except UnicodeDecodeError as error:
        raise _to_findings_error(
            file, make_problem("matrix-file", "found something that is no UTF-8 text")
        ) from error
    except OSError as error:
        raise KitgenError(f"cannot read {file}: {error.strerror}") from error
    block = find_block(text, [each.label for each in matrix.rows])
    if isinstance(block, Problem):
        raise _to_findings_error(file, block)
    return block


def write_readmes(read: Mapping[Path, str], wanted: Mapping[Path, str]) -> None:
    """Write READMEs, each in one step; none if one of them may not be written, or was changed meanwhile."""
    for file in wanted:
        if not is_writable(file):
            wrong = make_problem("matrix-file", "found a file that is read-only", hint=f"chmod u+w {file}")
            raise _to_findings_error(file, wrong)
    try:
        edit_files(read, wanted)
    except OSError as error:
        raise KitgenError(f"cannot write {error.filename}: {error.strerror}") from error


def _to_findings_error(file: Path, wrong: Problem) -> FindingsError:
    return FindingsError([wrong.to_finding(Origin(str(file), (), wrong.line or 1))])


def as_table(shown: ShownMatrix, *, width: int, colour: bool) -> str:
    """Write a row a release, the newest first."""
    head, *rows = _build_rows(shown)
    return render_table("", head, rows, width=width, colour=colour)


def as_markdown(shown: ShownMatrix) -> str:
    """Write the same as a table in Markdown."""
    head, *rows = _build_rows(shown)
    return render_markdown_table(head, ([*map(escape_markdown, row)] for row in rows))


def _build_rows(shown: ShownMatrix) -> list[list[str]]:
    """Return the head and the rows."""
    labels = [row.label for row in shown.matrix.rows if row.of != ITSELF]
    return [
        ["release", "date", *labels],
        *(
            [each.release, each.date or NONE, *(each.versions.get(label, NONE) for label in labels)]
            for each in shown.report.releases
        ),
    ]
