"""Write changes as text, JSON or Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated

from msgspec import Meta, Struct

from kitgen.compare.change import Change, Risk
from kitgen.compare.exceptions import ExceptionResult
from kitgen.findings import AcceptedException
from kitgen.report.documents import Count, FindingEntry, ResultDocument, safe_json, to_finding_entries
from kitgen.report.text import Read, locate_findings
from kitgen.text.wording import escape_markdown, escape_unprintable, format_code, format_count


def format_subject(change: Change) -> str:
    """Say what changed: a field of an object, or of a type that several have."""
    if change.type_name:
        return f"{change.type_name} {change.type_path}".strip()
    return " ".join(filter(None, (change.object, ", ".join(change.versions), change.path)))


def format_place_count(change: Change) -> str:
    """Say in how many places a change is, if in more than one."""
    if change.place_count < 2:
        return ""
    objects = len({place.object for place in change.places})
    first = f", first in {change.object} {change.path}" if change.type_name else ""
    return f"in {change.place_count} places of {format_count(objects, 'CRD')}{first}"


def format_summary(verdict: ExceptionResult) -> str:
    """Count the changes by risk."""
    if not verdict.changes:
        return "no changes"
    counts = ", ".join(f"{count} {risk}" for risk, count in _count_by_risk(verdict).items())
    return counts + (f", {len(verdict.reasons)} accepted" if verdict.reasons else "")


def _count_by_risk(verdict: ExceptionResult) -> dict[str, int]:
    """Count the changes by risk, those that are accepted aside."""
    standing = [change.risk for change in verdict.changes if change.id not in verdict.reasons]
    return {risk.value: standing.count(risk) for risk in Risk}


def as_text(verdict: ExceptionResult) -> str:
    """Tell the changes to a person at a terminal."""
    lines: list[str] = []
    for change in verdict.changes:
        lines += [
            f"{change.risk}: {format_subject(change)}: {change.rule.id}: {change.message}",
            f"    {change.reason} (felt by {change.felt_by})",
            *(f"    {note}" for note in _format_notes(change, verdict)),
        ]
    lines += [f"hint: {verdict.hint}"] if verdict.hint else []
    return "".join(f"{escape_unprintable(line)}\n" for line in [*lines, format_summary(verdict)])


def _format_notes(change: Change, verdict: ExceptionResult) -> Iterable[str]:
    hint, reason = change.hint, verdict.reasons.get(change.id)
    notes = (
        format_place_count(change),
        f"hint: {hint}" if hint else "",
        f"accepted: {reason}" if reason else "",
    )
    return filter(None, notes)


class RiskCounts(Struct, frozen=True, kw_only=True):
    """How many changes of each risk stand, and how many are accepted."""

    breaking: Count
    """How many changes are breaking."""
    security: Count
    """How many changes are security."""
    behaviour: Count
    """How many changes are behaviour."""
    cosmetic: Count
    """How many changes are cosmetic."""
    accepted: Count
    """How many changes are accepted, by an exception or since a migration declares them."""


class ChangedPlace(Struct, frozen=True, kw_only=True):
    """A place that changed."""

    object: str
    version: str | None
    path: str


class ChangeEntry(Struct, frozen=True, kw_only=True, rename="camel"):
    """A change of CRDs."""

    id: str
    """What an exception names; the same on every run."""
    rule: str
    """The id of the rule."""
    risk: Risk
    """What the change can do to those who use the old state."""
    object: str
    """The object that changed, such as a CRD; the first one if there are several."""
    versions: tuple[str, ...]
    """The versions of the object in which it changed."""
    path: str
    """The field that changed; empty for the object itself."""
    type: str | None
    """The type that changed, if several places have it."""
    type_path: str | None
    """The field in that type."""
    detail: str | None
    """What tells it from other changes of the rule at the place."""
    message: str
    """What was, and what is now."""
    reason: str
    """Why it is of this risk."""
    felt_by: str
    """Who feels it."""
    hint: str | None
    """What may help."""
    accepted: str | None
    """Why it is accepted; null if it stands."""
    places: Annotated[tuple[ChangedPlace, ...], Meta(min_length=1)]
    """Every place of it."""


class ExceptionEntry(Struct, frozen=True, kw_only=True):
    """An exception of a change."""

    id: str | None
    """The change, by its id."""
    rule: str | None
    """Or by its rule."""
    object: str | None
    """and its object or type."""
    path: str | None
    """and its path."""
    version: str | None
    """and its version; null for all."""
    reason: str
    """Why it is accepted."""
    expires: str | None
    """The day on which it should go."""
    stale: bool
    """Whether there is no such change."""


class CrdChangeReport(ResultDocument, frozen=True, kw_only=True, tag="kitgen/changes/v1"):
    """Changes: kitgen crd diff."""

    summary: RiskCounts
    """How many changes of each risk stand, and how many are accepted."""
    failed: bool
    """Whether the command fails: a breaking change stands, or an exception is wrong."""
    hint: str | None
    """What to know of the comparison as a whole."""
    changes: tuple[ChangeEntry, ...]
    """Every change, the worst first."""
    exceptions: tuple[ExceptionEntry, ...]
    """The exceptions that could be read, in their order."""
    findings: Sequence[FindingEntry]
    """What is wrong with exceptions, stale ones included."""


def as_json(verdict: ExceptionResult, read: Read = lambda _: None) -> str:
    """Tell the changes to a program; `read` gives the file of the exceptions, for its lines."""
    return safe_json(
        CrdChangeReport(
            summary=RiskCounts(**_count_by_risk(verdict), accepted=len(verdict.reasons)),
            failed=verdict.has_failed,
            hint=verdict.hint or None,
            changes=tuple(_to_change_entry(change, verdict) for change in verdict.changes),
            exceptions=tuple(_to_exception_entry(each, used) for each, used in verdict.exceptions),
            findings=to_finding_entries(locate_findings(verdict.findings, read)),
        )
    )


def _to_exception_entry(exception: AcceptedException, used: bool) -> ExceptionEntry:
    return ExceptionEntry(
        id=exception.id or None,
        rule=exception.rule or None,
        object=exception.object or None,
        path=None if exception.id else exception.path,
        version=exception.version or None,
        reason=exception.reason,
        expires=exception.expires or None,
        stale=not used,
    )


def _to_change_entry(change: Change, verdict: ExceptionResult) -> ChangeEntry:
    return ChangeEntry(
        id=change.id,
        rule=change.rule.id,
        risk=change.risk,
        object=change.object,
        versions=change.versions,
        path=change.path,
        type=change.type_name or None,
        type_path=change.type_path if change.type_name else None,
        detail=change.detail or None,
        message=change.message,
        reason=change.reason,
        felt_by=change.felt_by,
        hint=change.hint or None,
        accepted=verdict.reasons.get(change.id),
        places=tuple(
            ChangedPlace(object=each.object, version=each.version_label or None, path=each.path)
            for each in change.places
        ),
    )


def as_markdown(verdict: ExceptionResult) -> str:
    """Tell the changes in a review: a table for each risk."""
    lines = [f"**CRD changes:** {format_summary(verdict)}"]
    lines += ["", f"Hint: {escape_markdown(verdict.hint)}"] if verdict.hint else []
    for risk in Risk:
        if found := [change for change in verdict.changes if change.risk is risk]:
            accepted = sum(change.id in verdict.reasons for change in found)
            count = f"{len(found)}, {accepted} accepted" if accepted else str(len(found))
            lines += ["", f"### {risk.value.capitalize()} ({count})", ""]
            head = ("| what | change | why | felt by |", "|---|---|---|---|")
            lines += [*head, *(_format_row(change, verdict) for change in found)]
    return "".join(f"{line}\n" for line in lines)


def _format_row(change: Change, verdict: ExceptionResult) -> str:
    extra = f" ({format_place_count(change)})" if change.place_count > 1 else ""
    reason = verdict.reasons.get(change.id)
    why = f"{change.reason}; accepted: {reason}" if reason else change.reason
    message = f"{change.message}; {change.hint}" if change.hint else change.message
    cells = (
        format_code(format_subject(change)) + escape_markdown(extra),
        f"{format_code(change.rule.id)}: {escape_markdown(message)}",
        escape_markdown(why),
        escape_markdown(change.felt_by),
    )
    return f"| {' | '.join(cells)} |"
