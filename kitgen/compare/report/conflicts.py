"""Write what two things would both own: as a table for people, JSON or Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from kitgen.compare.conflicts import Conflict
from kitgen.compare.report.review_markdown import LIMIT, SPARE, fitting
from kitgen.findings import Origin, pointer
from kitgen.report.documents import DocumentSchema, document
from kitgen.report.table import table
from kitgen.report.text import Read, with_lines
from kitgen.text.wording import code, counted, prose
from kitgen.text.yaml import JsonObject

Row: TypeAlias = tuple[Conflict, tuple[Origin, Origin]]
"""A conflict, and where each side says it."""
HEAD = ("both would own", "so")


def as_table(rows: Sequence[Row], *, width: int, colour: bool) -> str:
    """Write one row a conflict; nothing if there is none."""
    cells = [(each.subject, each.reason) for each, _ in rows]
    return table("", HEAD, cells, width=width, colour=colour) if cells else ""


def as_json(names: tuple[str, str], rows: Sequence[Row], read: Read) -> str:
    """Tell every conflict to a program."""
    lined = with_lines((origin for _, both in rows for origin in both), read)
    return document(
        DocumentSchema.CONFLICTS,
        one=names[0],
        other=names[1],
        conflicts=[
            {
                "subject": each.subject,
                "kind": each.kind,
                "reason": each.reason,
                "one": _place(lined[both[0]]),
                "other": _place(lined[both[1]]),
            }
            for each, both in rows
        ],
    )


def _place(origin: Origin) -> JsonObject:
    return {"file": origin.file, "line": origin.line or None, "pointer": pointer(origin.path)}


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
