"""Write what changes on a cluster for a pull request: worst first, and never longer than a comment may be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kitgen.compare.report.review_view import FULL, View, changes_by_reason, changes_by_risk, format_summary
from kitgen.compare.review.change import ReviewedChange
from kitgen.text.wording import escape_markdown, format_code

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
    title = (
        f"**{format_code(names[0])} → {format_code(names[1])}: "
        f"{escape_markdown(format_summary(view.changes))}**"
    )
    lines, room, untold = [MARK, title], LIMIT - SPARE - len(title), 0
    for heading, some, shut in _split_sections(view):
        frame = sum(len(line) + 1 for line in ("", *_render_section(view, heading, some, [""], shut=shut)))
        if frame > room:
            untold += len(some)
            continue
        rows, room = fit_rows([_format_row(view, each) for each in some], room - frame)
        lines += ["", *_render_section(view, heading, some, rows, shut=shut)]
    lines += ["", f"and {untold} more: `kitgen diff --all` shows them"] if untold else []
    return "".join(f"{line}\n" for line in lines)


def _split_sections(view: View) -> Iterator[tuple[str, list[ReviewedChange], bool]]:
    """Yield what has a heading of its own, the worst first, and whether it is folded."""
    for risk, some in changes_by_risk(view.changes).items():
        if moves := [each for each in some if each.is_move]:
            yield f"Moves ({len(moves)})", moves, False
        if rest := [each for each in some if not each.is_move]:
            yield f"{risk.value.capitalize()} ({len(rest)})", rest, risk not in FULL
    for reason, some in changes_by_reason(view.changes).items():
        yield escape_markdown(f"Accepted, {_truncate_cell(reason)} ({len(some)})"), some, True


def _render_section(
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


def fit_rows(rows: list[str], room: int) -> tuple[list[str], int]:
    """Return as many rows as there is room for, and what room is left."""
    for index, row in enumerate(rows):
        if len(row) + 1 > room:
            return rows[:index], 0
        room -= len(row) + 1
    return rows, room


def _format_row(view: View, each: ReviewedChange) -> str:
    change = each.change
    cells = [
        format_code(_truncate_cell(view.format_subject(each))),
        escape_markdown(_truncate_cell(change.message + (f"; {change.hint}" if change.hint else ""))),
        f"{format_code(change.rule.id)}: {escape_markdown(change.reason)}",
        *([escape_markdown(view.format_targets(each))] if view.scopes else []),
        escape_markdown(view.format_origin(each)),
    ]
    return f"| {' | '.join(cells)} |"


def _truncate_cell(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
