"""Write how a target moves to another release as JSON."""

from __future__ import annotations

from collections.abc import Iterable

from kitgen.compare.report.review_json import listed
from kitgen.compare.report.review_view import View, counts
from kitgen.findings import AcceptedException, Finding
from kitgen.report.documents import DocumentSchema, document, entries
from kitgen.report.text import Read, locate
from kitgen.text.yaml import Json


def as_json(
    view: View | None,
    refused: Iterable[Finding],
    accepted: Iterable[AcceptedException],
    read: Read,
    **facts: Json,
) -> str:
    """Tell a program where a target moves, what changes there, and what stands in the way."""
    return document(
        DocumentSchema.PIN,
        **facts,
        accepted=[{"rule": each.rule, "from": each.before, "reason": each.reason} for each in accepted],
        findings=entries(locate(refused, read)),
        summary=counts(view.changes if view else ()),
        changes=listed(view) if view else [],
    )
