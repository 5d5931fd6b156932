"""Write what changes on a cluster for a person at a terminal: worst first, and short."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from kitgen.compare.change import Risk
from kitgen.compare.report.review_view import FULL, View, changes_by_reason, changes_by_risk
from kitgen.compare.review.change import ReviewedChange
from kitgen.report.text import style_text
from kitgen.text.values import group_pairs
from kitgen.text.wording import escape_unprintable, format_count

SHOWN = 2_000
"""How many changes of one risk are worth a line each."""
NAMED = 20
"""How many dangers are named beside something else."""
COLOURS = {Risk.BREAKING: "red", Risk.SECURITY: "magenta", Risk.BEHAVIOUR: "yellow", Risk.COSMETIC: "cyan"}
ACCEPTED = "green"


def as_text(view: View, *, whole: bool, quiet: bool = False, width: int = 0, colour: bool = False) -> str:
    """Tell the changes: breaking and security ones in full, the others counted unless all are asked for."""
    lines: list[str] = []
    for risk, some in changes_by_risk(view.changes).items():
        if quiet and risk not in FULL:
            continue
        lines.append(style_text(f"{risk.value} ({len(some)})", colour, fg=COLOURS[risk], bold=True))
        told = _format_changes(view, some) if whole or risk in FULL else _format_short(view, some)
        lines += [part for line in told for part in _wrap_line(escape_unprintable(line), width)]
    for reason, some in ({} if quiet else changes_by_reason(view.changes)).items():
        head = style_text(f"accepted ({len(some)})", colour, fg=ACCEPTED, bold=True)
        told = _format_changes(view, some) if whole else _format_object_counts(some)
        lines += [
            f"{head}: {reason}",
            *(part for line in told for part in _wrap_line(escape_unprintable(line), width)),
        ]
    return "".join(f"{line}\n" for line in lines)


def _format_short(view: View, some: Sequence[ReviewedChange]) -> Iterator[str]:
    """Yield moves in full, and how many other changes there are."""
    yield from _format_changes(view, [each for each in some if each.is_move])
    yield from _format_component_counts([each for each in some if not each.is_move])


def _format_object_counts(some: Sequence[ReviewedChange]) -> Iterator[str]:
    """Yield how many changes each object has."""
    for name, count in Counter(str(each.objects[0].name) for each in some).items():
        yield f"  {name}: {format_count(count, f'{some[0].risk.value} change')}"


def _format_changes(view: View, some: Sequence[ReviewedChange]) -> Iterator[str]:
    """Yield a line for each change, below the rule that says so; what all of a rule have is said there."""
    for _, group in groupby(some[:SHOWN], key=lambda each: each.change.rule.id):
        listed = list(group)
        change = listed[0].change
        reasons = {each.change.reason for each in listed}
        hints = {each.change.hint for each in listed}
        yield f"  {change.rule.id}{f': {change.reason}' if len(reasons) == 1 else ''}"
        if len(hints) == 1 and change.hint:
            yield f"    hint: {change.hint}"
        for each in listed:
            reason = "" if len(reasons) == 1 else f"; {each.change.reason}"
            yield (
                f"    {view.format_subject(each)}: {each.change.message}{reason}{_format_context(view, each)}"
            )
            if len(hints) > 1 and each.change.hint:
                yield f"      hint: {each.change.hint}"
    if len(some) > SHOWN:
        yield f"  and {len(some) - SHOWN} more, which --output json has"


def _format_context(view: View, each: ReviewedChange) -> str:
    """Say where else a change is, whom it reaches and what caused it."""
    spots = each.change.place_count
    places = f"in {spots} places" if spots > 1 and (each.change.type_name or each.change.versions) else ""
    found = "; ".join(filter(None, (places, view.format_targets(each), view.format_origin(each))))
    return f" ({found})" if found else ""


def _format_component_counts(some: Sequence[ReviewedChange]) -> Iterator[str]:
    """Yield how many changes each component has, by the rules that say so."""
    rules = group_pairs((each.component or each.objects[0].kind, each.change.rule.id) for each in some)
    counts = {name: Counter(listed) for name, listed in rules.items()}
    for name in sorted(counts, key=lambda name: (-counts[name].total(), name)):
        said = ", ".join(f"{count} {rule}" for rule, count in counts[name].most_common())
        yield f"  {name}: {said}"


def _wrap_line(line: str, width: int) -> list[str]:
    """Break a line that a terminal has no room for."""
    if not width or len(line) <= width:
        return [line]
    from textwrap import wrap

    indent = " " * (len(line) - len(line.lstrip()))
    return wrap(line, width, subsequent_indent=f"{indent}  ", break_on_hyphens=False) or [line]


def format_risky_changes(view: View) -> list[str]:
    """Return a line for each breaking or security change, and for each move, in few words."""
    found = [
        each for each in view.changes if each.is_move or (each.risk in FULL and not each.change.accepted)
    ]
    return [
        *[_format_risky_change(view, each) for each in found[:NAMED]],
        *(
            [f"  and {len(found) - NAMED} more: kitgen render --diff, kitgen diff"]
            if len(found) > NAMED
            else []
        ),
    ]


def _format_risky_change(view: View, each: ReviewedChange) -> str:
    what = f"{view.format_subject(each)}: {each.change.message}{_format_context(view, each)}"
    return f"  move: {what}: {each.change.hint}" if each.is_move else f"  {each.risk.value}: {what}"
