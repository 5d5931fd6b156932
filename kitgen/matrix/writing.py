"""Write the matrix: as a new block, or into the one that a text has, whose other bytes stay."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kitgen.matrix.block import END, START, Block

HEAD = ("Component", "Version")


class Row(NamedTuple):
    """What a row is called, and its cell."""

    label: str
    cell: str


def written(title: str, rows: Sequence[Row], widths: tuple[int, int] = (0, 0)) -> str:
    """Return a whole block, markers included."""
    table = [Row(*HEAD), *rows]
    wide = [max(least, *(len(each[at]) for each in table)) for at, least in enumerate(widths)]
    lines = [_line(table[0], wide), _rule(wide), *(_line(each, wide) for each in rows)]
    return "\n".join([START, title, "", *lines, END, ""])


def _line(row: Row, widths: Sequence[int]) -> str:
    return f"| {row.label.ljust(widths[0])} | {row.cell.ljust(widths[1])} |"


def _rule(widths: Sequence[int]) -> str:
    return f"|{'-' * (widths[0] + 2)}|{'-' * (widths[1] + 2)}|"


def replaced(block: Block, title: str, rows: Sequence[Row], widths: tuple[int, int] = (0, 0)) -> str:
    """Return the text with these rows in its matrix.

    A row whose cell is the same keeps its bytes; a new or changed one is as wide as the column. Without a
    table, the whole of one is put between the markers.
    """
    lines, ending = block.lines, block.ending
    if block.rule < 0:
        inner = written(title, rows, widths).splitlines()[1:-1]
        made = [f"{line}{ending}" for line in inner]
        return "".join((*lines[: block.start + 1], *made, *lines[block.end :]))
    wide = _widths(lines[block.rule])
    kept = {(each.label, each.cell): lines[each.index] for each in block.rows}
    made = [kept.get((row.label, row.cell)) or f"{_line(row, wide)}{ending}" for row in rows]
    inside = {each.index for each in block.rows}
    first = block.rule + 1
    others = [lines[at] for at in range(first, block.end) if at not in inside]
    return "".join((*lines[:first], *made, *others, *lines[block.end :]))


def _widths(rule: str) -> list[int]:
    """Return how wide the columns are, by the line below their heads."""
    return [len(each) - 2 for each in rule.strip().strip("|").split("|")][:2]
