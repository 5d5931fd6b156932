"""Write what two things would both own: as a table for people, JSON or Markdown."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from kitgen.compare.conflicts import Conflict
from kitgen.compare.report.review_markdown import LIMIT, SPARE, fit_rows
from kitgen.findings import format_pointer
from kitgen.report.documents import ResultDocument, safe_json
from kitgen.report.table import render_table
from kitgen.report.text import Read, locate_origins
from kitgen.text.wording import escape_markdown, format_code, format_count

HEAD = ("both would own", "so")


def as_table(conflicts: Sequence[Conflict], *, width: int, colour: bool) -> str:
    """Write one row a conflict; nothing if there is none."""
    cells = [(each.subject, each.reason) for each in conflicts]
    return render_table("", HEAD, cells, width=width, colour=colour) if cells else ""


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
    lined = locate_origins((origin for each in conflicts for origin in each.origins), read)
    places = {
        origin: ConflictPlace(file=found.file, line=found.line or None, pointer=format_pointer(found.path))
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
    lines = [
        (
            f"**{format_code(names[0])} and {format_code(names[1])} on one cluster: "
            f"{format_count(count, 'conflict')}**"
        )
    ]
    lines += ["", f"| {HEAD[0]} | {HEAD[1]} |", "|---|---|"] if conflicts else []
    rows = [f"| {format_code(each.subject)} | {escape_markdown(each.reason)} |" for each in conflicts]
    shown, _ = fit_rows(rows, LIMIT - SPARE)
    lines += [*shown, *(["", f"and {count - len(shown)} more"] if len(shown) < count else [])]
    return "".join(f"{line}\n" for line in lines)
