"""Write what two things would both own: as a table for people, JSON or Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from kitgen.compare.conflicts import Conflict
from kitgen.compare.report.review_markdown import LIMIT, SPARE, fitting
from kitgen.findings import pointer
from kitgen.report.documents import ResultDocument, safe_json
from kitgen.report.table import table
from kitgen.report.text import Read, with_lines
from kitgen.text.wording import code, counted, prose

HEAD = ("both would own", "so")


def as_table(conflicts: Sequence[Conflict], *, width: int, colour: bool) -> str:
    """Write one row a conflict; nothing if there is none."""
    cells = [(each.subject, each.reason) for each in conflicts]
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


def as_json(names: tuple[str, str], conflicts: Sequence[Conflict], read: Read) -> str:
    """Tell every conflict to a program."""
    lined = with_lines((origin for each in conflicts for origin in each.origins), read)
    places = {
        origin: ConflictPlace(file=found.file, line=found.line or None, pointer=pointer(found.path))
        for origin, found in lined.items()
    }
    return safe_json(
        ConflictReport(
            one=names[0],
            other=names[1],
            conflicts=tuple(
                ConflictEntry(
                    subject=each.subject,
                    kind=each.kind,
                    reason=each.reason,
                    one=places[each.origins[0]],
                    other=places[each.origins[1]],
                )
                for each in conflicts
            ),
        )
    )


def as_markdown(names: tuple[str, str], conflicts: Sequence[Conflict]) -> str:
    """Write a table for a discussion."""
    count = len(conflicts)
    lines = [f"**{code(names[0])} and {code(names[1])} on one cluster: {counted(count, 'conflict')}**"]
    lines += ["", f"| {HEAD[0]} | {HEAD[1]} |", "|---|---|"] if conflicts else []
    rows = [f"| {code(each.subject)} | {prose(each.reason)} |" for each in conflicts]
    shown, _ = fitting(rows, LIMIT - SPARE)
    lines += [*shown, *(["", f"and {count - len(shown)} more"] if len(shown) < count else [])]
    return "".join(f"{line}\n" for line in lines)
