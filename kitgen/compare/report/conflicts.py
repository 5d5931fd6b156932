"""Write what two things would both own: as a table for people, JSON or Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from msgspec import Struct

from kitgen.compare.conflicts import Conflict
from kitgen.compare.report.review_markdown import LIMIT, SPARE, fitting
from kitgen.findings import Origin, pointer
from kitgen.report.documents import ResultDocument, safe_json
from kitgen.report.table import table
from kitgen.report.text import Read, with_lines
from kitgen.text.wording import code, counted, prose

Row: TypeAlias = tuple[Conflict, tuple[Origin, Origin]]
"""A conflict, and where each side says it."""
HEAD = ("both would own", "so")


def as_table(rows: Sequence[Row], *, width: int, colour: bool) -> str:
    """Write one row a conflict; nothing if there is none."""
    cells = [(each.subject, each.reason) for each, _ in rows]
    return table("", HEAD, cells, width=width, colour=colour) if cells else ""


class ConflictPlace(Struct, frozen=True, kw_only=True):
    """Where a side says it."""

    file: str
    """The spec or manifest."""
    line: int | None
    """Its line, if known."""
    pointer: str
    """The place in it."""


class ConflictEntry(Struct, frozen=True, kw_only=True):
    """Something that both sides would own."""

    subject: str
    """An object, or requests."""
    kind: str
    """The kind of the object, or of what answers the requests."""
    reason: str
    """What goes wrong."""
    one: ConflictPlace
    other: ConflictPlace


class ConflictReport(ResultDocument, frozen=True, kw_only=True, tag="kitgen/conflicts/v1"):
    """What two would both own: kitgen conflicts."""

    one: str
    """The first source."""
    other: str
    """The second source."""
    conflicts: tuple[ConflictEntry, ...]
    """What both would own, worst first."""


def as_json(names: tuple[str, str], rows: Sequence[Row], read: Read) -> str:
    """Tell every conflict to a program."""
    lined = with_lines((origin for _, both in rows for origin in both), read)

    def place(origin: Origin) -> ConflictPlace:
        found = lined[origin]
        return ConflictPlace(file=found.file, line=found.line or None, pointer=pointer(found.path))

    return safe_json(
        ConflictReport(
            one=names[0],
            other=names[1],
            conflicts=tuple(
                ConflictEntry(
                    subject=each.subject,
                    kind=each.kind,
                    reason=each.reason,
                    one=place(both[0]),
                    other=place(both[1]),
                )
                for each, both in rows
            ),
        )
    )


def as_markdown(names: tuple[str, str], rows: Sequence[Row]) -> str:
    """Write a table for a discussion."""
    lines = [f"**{code(names[0])} and {code(names[1])} on one cluster: {counted(len(rows), 'conflict')}**"]
    if rows:
        lines += ["", f"| {HEAD[0]} | {HEAD[1]} |", "|---|---|"]
    shown, _ = fitting(
        [f"| {code(each.subject)} | {prose(each.reason)} |" for each, _ in rows], LIMIT - SPARE
    )
    lines += shown
    lines += ["", f"and {len(rows) - len(shown)} more"] if len(shown) < len(rows) else []
    return "".join(f"{line}\n" for line in lines)
