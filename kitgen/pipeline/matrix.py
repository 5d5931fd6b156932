"""What `kitgen matrix` does: show which versions belong together, and keep READMEs in step with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from kitgen.errors import FindingsError, KitgenError, UsageError
from kitgen.findings import Finding, Origin, Problem, near
from kitgen.matrix import MATRIX_BLOCK, Block, Row, find_block, replaced
from kitgen.matrix.releases import block_of, rows_of, versions_of
from kitgen.model import Kit, Matrix, Release
from kitgen.pipeline.opened import open_kit, pick
from kitgen.reading import MAX_BYTES, read_file
from kitgen.write import replace_file

WRITABLE = 0o222


class MatrixRequest(Struct, frozen=True, kw_only=True):
    """Which releases to show, or which READMEs to bring up to date with one."""

    root: Path | None = None
    release: str | None = None
    write: tuple[Path, ...] = ()
    check: tuple[Path, ...] = ()


class Shown(Struct, frozen=True, kw_only=True):
    """The matrix of some releases."""

    matrix: Matrix
    releases: tuple[Release, ...]
    versions: Mapping[str, Mapping[str, str]]
    """Release → label of a row → version."""
    block: str = ""
    """Of one release, the text that a README carries."""
    changed: tuple[Path, ...] = ()
    """READMEs that were written, or are to be."""


def show_matrix(request: MatrixRequest) -> Shown:
    """Show the matrix of all releases or of one, and write it into READMEs."""
    kit = open_kit(request.root).kit
    if kit.matrix is None:
        raise UsageError("this kit has no compatibility matrix", hint="add `matrix` to kit.yaml")
    files = (*request.write, *request.check)
    if files and request.release is None:
        raise UsageError("a README carries the matrix of one release", hint="name it with --release")
    chosen = tuple(kit.releases.values())
    if request.release is not None:
        chosen = (pick(kit.releases, "release", request.release),)
    versions = {each.name: versions_of(kit.matrix, each) for each in chosen}
    rows = [*rows_of(kit.matrix, chosen[0])] if request.release is not None else []
    fresh = {file: _fresh(kit, file, rows) for file in files}
    stale = {file: text for file, (text, same) in fresh.items() if not same}
    if request.write:
        _write(stale)
    return Shown(
        matrix=kit.matrix,
        releases=chosen,
        versions=versions,
        block=block_of(kit.matrix, chosen[0]) if rows else "",
        changed=tuple(stale),
    )


def _fresh(kit: Kit, file: Path, rows: list[Row]) -> tuple[str, bool]:
    """Return what a README is to hold, and whether it does."""
    assert kit.matrix is not None
    text = _text(file)
    block = find_block(text)
    if isinstance(block, Problem):
        raise FindingsError([block.at(Origin(str(file), (), block.line or 1))])
    if unknown := [*_unknown(kit.matrix, block, file)]:
        raise FindingsError(unknown)
    made = replaced(block, kit.matrix.title, rows, kit.matrix.widths)
    return made, made == text


def _unknown(matrix: Matrix, block: Block, file: Path) -> Iterator[Finding]:
    """Yield rows of a README that the kit does not know: they would be lost."""
    known = [each.label for each in matrix.rows]
    for row in block.rows:
        if row.label not in known:
            message = f"found the row {row.label!r}, which the matrix of the kit does not have"
            problem = MATRIX_BLOCK(message, hint=near(row.label, known) or "add it to kit.yaml")
            yield problem.at(Origin(str(file), (), row.index + 1))


def _write(texts: Mapping[Path, str]) -> None:
    """Write READMEs, each in one step; none if one of them may not be written."""
    for file in texts:
        if not file.stat().st_mode & WRITABLE:
            raise KitgenError(f"cannot write {file}: it is read-only")
    for file, text in texts.items():
        try:
            replace_file(file, text.encode())
        except OSError as error:
            raise KitgenError(f"cannot write {file}: {error.strerror}") from error


def _text(file: Path) -> str:
    try:
        return read_file(file, MAX_BYTES).decode()
    except UnicodeDecodeError as error:
        raise KitgenError(f"{file} is no UTF-8 text") from error
    except OSError as error:
        raise KitgenError(f"cannot read {file}: {error.strerror}") from error
