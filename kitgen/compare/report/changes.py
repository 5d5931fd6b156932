"""Write changes as text, JSON or Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.compare.change import Change, Risk
from kitgen.compare.exceptions import Verdict
from kitgen.findings import AcceptedException
from kitgen.report.documents import DocumentSchema, document, entries
from kitgen.report.text import Read, locate
from kitgen.text.wording import code, counted, printable, prose
from kitgen.text.yaml import JsonObject


def where(change: Change) -> str:
    """Say what changed: a field of an object, or of a type that several have."""
    if change.type_name:
        return f"{change.type_name} {change.type_path}".strip()
    return " ".join(filter(None, (change.object, ", ".join(change.versions), change.path)))


def places(change: Change, noun: str) -> str:
    """Say in how many places a change is, if in more than one."""
    if change.spots < 2:
        return ""
    objects = len({place.object for place in change.places})
    first = f", first in {change.object} {change.path}" if change.type_name else ""
    return f"in {change.spots} places of {counted(objects, noun)}{first}"


def summary(verdict: Verdict) -> str:
    """Count the changes by risk."""
    if not verdict.changes:
        return "no changes"
    counts = ", ".join(f"{count} {risk}" for risk, count in _counts(verdict).items())
    return counts + (f", {len(verdict.reasons)} accepted" if verdict.reasons else "")


def _counts(verdict: Verdict) -> dict[str, int]:
    """Count the changes by risk, those that are accepted aside."""
    standing = [change.risk for change in verdict.changes if change.id not in verdict.reasons]
    return {risk.value: standing.count(risk) for risk in Risk}


def as_text(verdict: Verdict) -> str:
    """Tell the changes to a person at a terminal."""
    lines = []
    for change in verdict.changes:
        lines.append(f"{change.risk}: {where(change)}: {change.rule.id}: {change.message}")
        lines.append(f"    {change.reason} (felt by {change.felt_by})")
        lines += [f"    {note}" for note in _notes(change, verdict)]
    lines += [f"hint: {verdict.hint}"] if verdict.hint else []
    return "".join(f"{printable(line)}\n" for line in [*lines, summary(verdict)])


def _notes(change: Change, verdict: Verdict) -> Iterator[str]:
    if text := places(change, verdict.noun):
        yield text
    if change.hint:
        yield f"hint: {change.hint}"
    if reason := verdict.reasons.get(change.id):
        yield f"accepted: {reason}"


def as_json(verdict: Verdict, read: Read = lambda _: None) -> str:
    """Tell the changes to a program; `read` gives the file of the exceptions, for its lines."""
    return document(
        DocumentSchema.CHANGES,
        summary={**_counts(verdict), "accepted": len(verdict.reasons)},
        failed=verdict.failed,
        hint=verdict.hint or None,
        changes=[_plain(change, verdict) for change in verdict.changes],
        exceptions=[_exception(each, used) for each, used in verdict.exceptions],
        findings=entries(locate(verdict.findings, read)),
    )


def _exception(exception: AcceptedException, used: bool) -> JsonObject:
    return {
        "id": exception.id or None,
        "rule": exception.rule or None,
        "object": exception.object or None,
        "path": None if exception.id else exception.path,
        "version": exception.version or None,
        "reason": exception.reason,
        "expires": exception.expires or None,
        "stale": not used,
    }


def _plain(change: Change, verdict: Verdict) -> JsonObject:
    return {
        "id": change.id,
        "rule": change.rule.id,
        "risk": change.risk.value,
        "object": change.object,
        "versions": list(change.versions),
        "path": change.path,
        "type": change.type_name or None,
        "typePath": change.type_path if change.type_name else None,
        "detail": change.detail or None,
        "message": change.message,
        "reason": change.reason,
        "feltBy": change.felt_by,
        "hint": change.hint or None,
        "accepted": verdict.reasons.get(change.id),
        "places": [{"object": p.object, "version": p.span or None, "path": p.path} for p in change.places],
    }


def as_markdown(verdict: Verdict) -> str:
    """Tell the changes in a review: a table for each risk."""
    lines = [f"**{verdict.noun} changes:** {summary(verdict)}"]
    lines += ["", f"Hint: {prose(verdict.hint)}"] if verdict.hint else []
    for risk in Risk:
        if found := [change for change in verdict.changes if change.risk is risk]:
            accepted = sum(change.id in verdict.reasons for change in found)
            count = f"{len(found)}, {accepted} accepted" if accepted else str(len(found))
            lines += ["", f"### {risk.value.capitalize()} ({count})", ""]
            lines += ["| what | change | why | felt by |", "|---|---|---|---|"]
            lines += [_row(change, verdict) for change in found]
    return "".join(f"{line}\n" for line in lines)


def _row(change: Change, verdict: Verdict) -> str:
    extra = f" ({places(change, verdict.noun)})" if change.spots > 1 else ""
    reason = verdict.reasons.get(change.id)
    why = f"{change.reason}; accepted: {reason}" if reason else change.reason
    message = f"{change.message}; {change.hint}" if change.hint else change.message
    cells = (
        code(where(change)) + prose(extra),
        f"{code(change.rule.id)}: {prose(message)}",
        prose(why),
        prose(change.felt_by),
    )
    return f"| {' | '.join(cells)} |"
