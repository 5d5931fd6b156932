"""Write findings as a JSON list, for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence

from kitgen.report.located import Located


def jsonlist(items: Sequence[Located]) -> str:
    """Write a list of objects; the keys are stable, and every one is always there."""
    return json.dumps([_entry(item) for item in items], indent=2, ensure_ascii=True) + "\n"


def _entry(item: Located) -> dict[str, str | int | None]:
    finding = item.finding
    return {
        "rule": finding.rule.id,
        "severity": finding.severity.value,
        "file": finding.origin.file,
        "line": item.line or None,
        "pointer": item.pointer,
        "message": finding.message,
        "hint": finding.hint,
        "subject": finding.subject,
    }
