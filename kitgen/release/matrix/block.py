"""Find the matrix in a text: what stands between its markers, and the rows of the table there.

What a cell of the matrix says: a version, plain or with a link to its tag.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from io import StringIO

from msgspec import Struct

from kitgen.findings import Problem, make_problem
from kitgen.text.patterns import compile_late

LINK = compile_late(r"\[(?P<text>[^\[\]]*)\]\((?P<address>[^()\s]*)\)")
GITHUB = "https://github.com"


def build_tag_url(repository: str, tag: str) -> str:
    """Return where people look at a tag of a repository."""
    base = repository if "://" in repository else f"{GITHUB}/{repository}"
    return f"{base.rstrip('/')}/releases/tag/{tag}"


def format_cell(version: str, repository: str = "") -> str:
    """Return the cell of a version, with a link to its tag if it is known where that is."""
    return f"[{version}]({build_tag_url(repository, version)})" if repository else version


START = "<!-- Compatibility Matrix start -->"
END = "<!-- Compatibility Matrix end -->"
HINT = f"it starts with {START} and ends with {END}"
HEADS = ("component", "version")
TITLE = compile_late(r"compat\w{0,20}[ ]{1,5}matrix", re.IGNORECASE)
"""What a title of a matrix says, which was misspelt for a while."""
ABOVE = 4
"""How many lines above a table may be its title."""
BAR = compile_late(r"(?<!\\)\|")
"""What parts cells; one with a backslash belongs to the text of a cell."""


class TableRow(Struct, frozen=True, kw_only=True):
    """A row of the table, and the line of the text that it is."""

    label: str
    cell: str
    """Without space around it."""
    index: int
    """Of the line in the text, from 0."""

    @property
    def version(self) -> str:
        """Return the version that it shows."""
        match = LINK.fullmatch(self.cell)
        return match["text"].strip() if match else self.cell

    @property
    def link_url(self) -> str:
        """Return where its link leads; empty if it has none."""
        match = LINK.fullmatch(self.cell)
        return match["address"] if match else ""


class MatrixBlock(Struct, frozen=True, kw_only=True):
    """The matrix of a text."""

    lines: tuple[str, ...]
    """Of the whole text, each with its end."""
    start: int
    """The line of the first marker, from 0."""
    end: int
    rows: tuple[TableRow, ...]
    rule: int = -1
    """The line below the head of the table; -1 if there is no table."""

    @property
    def line_ending(self) -> str:
        """Return how lines end here."""
        line = self.lines[max(self.start, self.rule)]
        return line[len(line.rstrip("\r\n")) :]


def find_block(text: str, labels: Collection[str] | None = None) -> MatrixBlock | Problem:
    """Return the matrix of a text, or why there is not just one.

    Whoever is to write rows with some labels names these. Then what else stands between the markers does not
    count: the block has no table, unless it is one of such rows, with a title at most.
    """
    lines = tuple(StringIO(text, newline=""))  # as editors count them, and each with its own end
    said = [line.strip().removeprefix("\ufeff") for line in lines]
    starts = [index for index, line in enumerate(said) if line == START]
    ends = [index for index, line in enumerate(said) if line == END]
    if not starts and not ends:
        return make_problem(
            "matrix-block", "found no compatibility matrix, expected one between its markers", hint=HINT
        )
    if not starts or not ends:
        there, missing = (START, END) if starts else (END, START)
        at = (starts or ends)[0]
        return make_problem("matrix-block", f"found {there!r} without {missing!r}", hint=HINT, line=at + 1)
    if len(starts) > 1 or len(ends) > 1:
        at = (starts if len(starts) > 1 else ends)[1]
        return make_problem(
            "matrix-block", "found a second marker, expected one matrix", hint=HINT, line=at + 1
        )
    start, end = starts[0], ends[0]
    if end < start:
        return make_problem(
            "matrix-block", "found the end of the matrix before its start", hint=HINT, line=end + 1
        )
    block = _parse_block(lines, start, end)
    if labels is None or (isinstance(block, MatrixBlock) and _has_only_table(block, labels)):
        return block
    return MatrixBlock(lines=lines, start=start, end=end, rows=())


def _has_only_table(block: MatrixBlock, labels: Collection[str]) -> bool:
    """Return whether a block holds a table of known rows, and besides it a title and comments at most."""
    prose = [
        at
        for at in range(block.start + 1, block.end)
        if not _split_cells(block.lines[at]) and block.lines[at].strip()[:4] not in ("", "<!--")
    ]
    titled = not prose or (len(prose) == 1 and prose[0] < block.rule and TITLE.search(block.lines[prose[0]]))
    return bool(titled) and all(each.label in labels for each in block.rows)


def find_table(text: str) -> MatrixBlock | Problem | None:
    """Return the matrix of a text without markers: the table below its title, if there is one."""
    lines = tuple(StringIO(text, newline=""))
    found = [
        at for at in range(1, len(lines)) if _is_separator(lines[at]) and _is_matrix_header(lines, at - 1)
    ]
    if not found:
        return None
    if len(found) > 1:
        return make_problem("matrix-block", "found a second matrix, expected one", hint=HINT, line=found[1])
    end = next((at for at in range(found[0], len(lines)) if not _split_cells(lines[at])), len(lines))
    return _parse_block(lines, found[0] - 1, end)


def _is_matrix_header(lines: tuple[str, ...], head: int) -> bool:
    """Return whether a line is the head of a matrix, whose title is just above."""
    heads = tuple(each.casefold() for each in _split_cells(lines[head])[:2])
    return heads == HEADS and any(TITLE.search(line) for line in lines[max(head - ABOVE, 0) : head])


def _parse_block(lines: tuple[str, ...], start: int, end: int) -> MatrixBlock | Problem:
    """Return what stands between two markers, if it is one table at most."""
    rule = next((at for at in range(start + 1, end) if _is_separator(lines[at])), -1)
    if rule < 0 and (at := next((at for at in range(start + 1, end) if lines[at].strip()), 0)):
        return make_problem(
            "matrix-block", "found no table between the markers, expected one or nothing", line=at + 1
        )
    rows = tuple(_parse_rows(lines, rule, end)) if rule >= 0 else ()
    first: dict[str, TableRow] = {}
    if again := next((each for each in rows if first.setdefault(each.label, each) is not each), None):
        return make_problem(
            "matrix-block", f"found the row {again.label!r} twice, expected it once", line=again.index + 1
        )
    return MatrixBlock(lines=lines, start=start, end=end, rows=rows, rule=rule)


def has_leading_bar(line: str) -> bool:
    """Return whether a line of a table begins with a bar; it need not."""
    return line.lstrip().startswith("|")


def _split_cells(line: str) -> list[str]:
    """Return the cells of a line of a table; columns may be ragged, so only bars count."""
    inner = line.strip()
    return [each.strip() for each in BAR.split(inner.strip("|"))] if "|" in inner else []


def _is_separator(line: str) -> bool:
    cells = _split_cells(line)
    return bool(cells) and all(cell and not cell.strip("-: ") for cell in cells)


def _parse_rows(lines: tuple[str, ...], rule: int, end: int) -> Iterator[TableRow]:
    """Yield the rows below the head of a table; if that begins with a bar, so do they."""
    barred = has_leading_bar(lines[rule])
    for index in range(rule + 1, end):
        if (
            len(cells := _split_cells(lines[index])) >= 2
            and cells[0]
            and has_leading_bar(lines[index]) >= barred
        ):
            yield TableRow(label=cells[0], cell=cells[1], index=index)
