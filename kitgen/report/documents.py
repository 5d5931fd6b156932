"""Write results as JSON, for programs: every document opens with its schema's name and version."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Any

from kitgen.findings import Finding, Severity
from kitgen.report.located import Located, Read, locate


class Form(StrEnum):
    """What a document holds; `schemas/output/NAME.json` describes it."""

    FINDINGS = "findings"
    CHANGES = "changes"
    KIT = "kit"
    ORIGINS = "origins"


def document(form: Form, **data: Any) -> str:
    """Write a document; the keys are stable, a new meaning is a new version."""
    return json.dumps({"schema": f"kitgen/{form}/v1", **data}, indent=2) + "\n"


def findings_document(findings: Iterable[Finding], read: Read, **more: Any) -> str:
    """Write findings, how many there are of each sort, and what else there is to say of the run."""
    items = locate(findings, read)
    return document(Form.FINDINGS, summary=_counts(items), findings=entries(items), **more)


def _counts(items: Sequence[Located]) -> dict[str, int]:
    standing = [item.finding.severity for item in items if not item.finding.accepted]
    return {
        "errors": standing.count(Severity.ERROR),
        "warnings": standing.count(Severity.WARNING),
        "accepted": len(items) - len(standing),
    }


def entries(items: Iterable[Located]) -> list[dict[str, str | int | None]]:
    """Return findings as they stand in every document; each key is always there."""
    return [
        {
            "rule": item.finding.rule.id,
            "severity": item.finding.severity.value,
            "file": item.finding.origin.file,
            "line": item.line or None,
            "pointer": item.pointer,
            "message": item.finding.message,
            "hint": item.finding.hint,
            "subject": item.finding.subject,
            "accepted": item.finding.accepted or None,
        }
        for item in items
    ]
