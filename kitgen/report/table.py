"""Write rows in columns: with rules and colour for a terminal, as aligned plain text for the rest."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from kitgen.report.text import printable

GAP = "  "


def table(
    title: str, head: Sequence[str], rows: Sequence[Sequence[str]], *, terminal: bool | None = None
) -> str:
    """Write a title, a head and rows; `terminal` is found out from standard output if not said."""
    lines = [[printable(str(cell)) for cell in line] for line in (head, *rows)]
    if sys.stdout.isatty() if terminal is None else terminal:
        return _rich(title, lines)
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    lines[0] = [cell.upper() for cell in lines[0]]
    text = [
        GAP.join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() + "\n"
        for line in lines
    ]
    return "".join([f"{title}\n" if title else "", *text])


def _rich(title: str, lines: list[list[str]]) -> str:
    from io import StringIO
    from shutil import get_terminal_size

    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=box.SIMPLE_HEAD, title=Text(title) if title else None, title_justify="left")
    for name in lines[0]:
        grid.add_column(Text(name))
    for line in lines[1:]:
        grid.add_row(*map(Text, line))
    stream = StringIO()
    console = Console(
        file=stream,
        force_terminal=True,
        no_color=bool(os.environ.get("NO_COLOR")),
        width=get_terminal_size().columns,
    )
    console.print(grid)
    return stream.getvalue()
