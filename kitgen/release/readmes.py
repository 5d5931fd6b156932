"""READMEs with the compatibility matrix, of any repository: read, held to the rows of the kit, written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from kitgen.files.atomic import edit_files
from kitgen.files.folders import is_writable
from kitgen.files.read import MAX_BYTES, read_file
from kitgen.findings import Finding, Origin, Problem, near, problem
from kitgen.findings.errors import FindingsError, KitgenError
from kitgen.kit.model import Matrix
from kitgen.release.matrix.block import MatrixBlock, find_block


def read_block(file: Path, matrix: Matrix) -> MatrixBlock:
    """Return the matrix of a README that is to be written; one that is none is a FindingsError."""
    labels = [each.label for each in matrix.rows]
    try:
        block = find_block(read_file(file, MAX_BYTES, links=True).decode(), labels)
    except UnicodeDecodeError as error:
        raise _refused(file, problem("matrix-file", "found something that is no UTF-8 text")) from error
    except OSError as error:
        raise KitgenError(f"cannot read {file}: {error.strerror}") from error
    if isinstance(block, Problem):
        raise _refused(file, block)
    if unknown := [*_unknown(matrix, block, file)]:
        raise FindingsError(unknown)
    return block


def write_readmes(read: Mapping[Path, str], wanted: Mapping[Path, str]) -> None:
    """Write READMEs, each in one step; none if one of them may not be written, or was changed meanwhile."""
    for file in wanted:
        if not is_writable(file):
            raise _refused(
                file, problem("matrix-file", "found a file that is read-only", hint=f"chmod u+w {file}")
            )
    try:
        edit_files(read, wanted)
    except OSError as error:
        raise KitgenError(f"cannot write {error.filename}: {error.strerror}") from error


def _unknown(matrix: Matrix, block: MatrixBlock, file: Path) -> Iterator[Finding]:
    """Yield rows of a README that the kit does not know: they would be lost."""
    known = [each.label for each in matrix.rows]
    for row in block.rows:
        if row.label not in known:
            message = f"found the row {row.label!r}, which the matrix of the kit does not have"
            wrong = problem("matrix-block", message, hint=near(row.label, known) or "add it to kit.yaml")
            yield wrong.at(Origin(str(file), (), row.index + 1))


def _refused(file: Path, wrong: Problem) -> FindingsError:
    return FindingsError([wrong.at(Origin(str(file), (), wrong.line or 1))])
