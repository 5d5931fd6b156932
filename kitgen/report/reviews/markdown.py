"""Write what changes on a cluster for a pull request: worst first, and never longer than a comment may be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kitgen.report.reviews.view import FULL, View, by_reason, by_risk, is_move, summary
from kitgen.review import Reviewed
from kitgen.schema.markdown import code, prose

LIMIT = 65_536
"""How many characters GitHub takes in a comment."""
SPARE = 1_000
"""What is kept for headings and for what says that something was left out."""
MARK = "<!-- kitgen diff -->"
"""By which whoever keeps one comment up to date finds it again."""
LONGEST = 2_000
"""How long a cell may be."""


def as_markdown(view: View, names: tuple[str, str]) -> str:
    """Tell the changes in a review: breaking and security ones open, the others folded."""
    title = f"**{code(names[0])} → {code(names[1])}: {prose(summary(view.changes))}**"
    lines, room = [MARK, title], LIMIT - SPARE - len(title)
    for risk, some in by_risk(view.changes).items():
        moves = [each for each in some if is_move(each)]
        rest = [each for each in some if not is_move(each)]
        for title, listed in (
            (f"Moves ({len(moves)})", moves),
            (f"{risk.value.capitalize()} ({len(rest)})", rest),
        ):
            rows, room = fitting(list(_rows(view, listed)), room)
            lines += (
                ["", *_section(view, title, listed, rows, shut=risk not in FULL and listed is rest)]
                if listed
                else []
            )
    for reason, some in by_reason(view.changes).items():
        rows, room = fitting(list(_rows(view, some)), room)
        lines += ["", *_section(view, prose(f"Accepted, {reason} ({len(some)})"), some, rows, shut=True)]
    return "".join(f"{line}\n" for line in lines)


def _section(
    view: View, title: str, some: Sequence[Reviewed], rows: list[str], *, shut: bool
) -> Iterator[str]:
    yield from ("<details>", f"<summary>{title}</summary>", "") if shut else (f"### {title}", "")
    if rows:
        reach = " targets |" if view.scopes else ""
        yield f"| what | change | why |{reach} spec |"
        yield f"|---|---|---|{'---|' if reach else ''}---|"
        yield from rows
    if len(rows) < len(some):
        yield from ("", f"and {len(some) - len(rows)} more: `kitgen diff --all` shows them")
    if shut:
        yield from ("", "</details>")


def fitting(rows: list[str], room: int) -> tuple[list[str], int]:
    """Return as many rows as there is room for, and what room is left."""
    for index, row in enumerate(rows):
        if len(row) + 1 > room:
            return rows[:index], 0
        room -= len(row) + 1
    return rows, room


def _rows(view: View, some: Sequence[Reviewed]) -> Iterator[str]:
    for each in some:
        change = each.change
        hint = f"; {change.hint}" if change.hint else ""
        cells = [
            code(_cut(view.subject(each))),
            prose(_cut(change.message + hint)),
            f"{code(change.rule.id)}: {prose(change.reason)}",
            *([prose(view.reach(each))] if view.scopes else []),
            prose(view.place(each)),
        ]
        yield f"| {' | '.join(cells)} |"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
