"""Write rows in aligned columns; text that is too wide for the terminal continues on the next line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from textwrap import wrap

from kitgen.report.text import style_text
from kitgen.text.wording import escape_unprintable

GAP = "  "
LEAST = 8
"""A column whose words are broken keeps at least so many characters."""


def render_table(
    title: str, head: Sequence[str], rows: Sequence[Sequence[str]], *, width: int = 0, colour: bool = False
) -> str:
    """Write a title, a head and rows, in lines of at most `width` characters if there is one."""
    lines = [[escape_unprintable(str(cell)) for cell in line] for line in (head, *rows)]
    lines[0] = [cell.upper() for cell in lines[0]]
    widths = _compute_widths(lines, width)
    text = [style_text(line, colour, bold=True) for line in _format_row(lines[0], widths)]
    text += [line for row in lines[1:] for line in _format_row(row, widths)]
    named = [style_text(title, colour, bold=True)] if title else []
    return "".join(f"{line}\n" for line in [*named, *text])


def render_markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write a head and rows, whose cells are Markdown already."""
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}", *(f"| {' | '.join(row)} |" for row in rows)]
    return "".join(f"{line}\n" for line in lines)


def _compute_widths(lines: list[list[str]], width: int) -> list[int]:
    """Return how wide the columns are: the widest give way first, and words are broken last."""
    columns = list(zip(*lines, strict=True))
    widths = [max(map(len, column)) for column in columns]
    words = [max((len(word) for cell in column for word in cell.split()), default=0) for column in columns]
    for least in (words, [min(LEAST, each) for each in words]) if width else ():
        while sum(widths) + len(GAP) * (len(widths) - 1) > width:
            if not (wide := [(have, at) for at, have in enumerate(widths) if have > least[at]]):
                break
            widths[max(wide)[1]] -= 1
    return widths


def _format_row(cells: list[str], widths: list[int]) -> list[str]:
    """Write one row, on as many lines as its longest cell needs."""
    parts = [
        [cell] if len(cell) <= width else wrap(cell, width, break_on_hyphens=False) or [""]
        for cell, width in zip(cells, widths, strict=True)
    ]
    return [
        # Again: a word that was broken may start like a command where no word did.
        escape_unprintable(
            GAP.join(part.ljust(width) for part, width in zip(line, widths, strict=True)).rstrip()
        )
        for line in zip_longest(*parts, fillvalue="")
    ]
