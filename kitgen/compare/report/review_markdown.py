"""Write what changes on a cluster for a pull request: worst first, and never longer than a comment may be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kitgen.compare.report.review_view import FULL, View, by_reason, by_risk, summary
from kitgen.compare.review.change import ReviewedChange
from kitgen.text.wording import code, prose

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
    lines, room, untold = [MARK, title], LIMIT - SPARE - len(title), 0
    for heading, some, shut in _parts(view):
        frame = sum(len(line) + 1 for line in ("", *_section(view, heading, some, [""], shut=shut)))
        if frame > room:
            untold += len(some)
            continue
        rows, room = fitting([_row(view, each) for each in some], room - frame)
        lines += ["", *_section(view, heading, some, rows, shut=shut)]
    lines += ["", f"and {untold} more: `kitgen diff --all` shows them"] if untold else []
    return "".join(f"{line}\n" for line in lines)


def _parts(view: View) -> Iterator[tuple[str, list[ReviewedChange], bool]]:
    """Yield what has a heading of its own, the worst first, and whether it is folded."""
    for risk, some in by_risk(view.changes).items():
        if moves := [each for each in some if each.is_move]:
            yield f"Moves ({len(moves)})", moves, False
        if rest := [each for each in some if not each.is_move]:
            yield f"{risk.value.capitalize()} ({len(rest)})", rest, risk not in FULL
    for reason, some in by_reason(view.changes).items():
        yield prose(f"Accepted, {_cut(reason)} ({len(some)})"), some, True


def _section(
    view: View, title: str, some: Sequence[ReviewedChange], rows: list[str], *, shut: bool
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


def _row(view: View, each: ReviewedChange) -> str:
    change = each.change
    cells = [
        code(_cut(view.subject(each))),
        prose(_cut(change.message + (f"; {change.hint}" if change.hint else ""))),
        f"{code(change.rule.id)}: {prose(change.reason)}",
        *([prose(view.reach(each))] if view.scopes else []),
        prose(view.place(each)),
    ]
    return f"| {' | '.join(cells)} |"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
