"""Choose the form of findings, and count them."""

from __future__ import annotations

from collections.abc import Iterable

from kitgen.findings import Finding, unique
from kitgen.report.documents import findings_document
from kitgen.report.located import Read, locate
from kitgen.report.text import text


def show(findings: Iterable[Finding], *, read: Read, output: str = "text", colour: bool = False) -> str:
    """Write findings as text or JSON, sorted, each once; only text knows colour."""
    if output == "json":
        return findings_document(findings, read)
    return text(locate((each for each in findings if not each.accepted), read), colour=colour)


def summary(findings: Iterable[Finding]) -> str:
    """Count findings in one line, such as: 2 errors, 1 warning in 3 files."""
    items = unique(list(findings))
    if not items:
        return "no findings"
    standing = [item for item in items if not item.accepted]
    errors = sum(item.blocks for item in standing)
    counts = [_count(errors, "error"), _count(len(standing) - errors, "warning")]
    files = len({item.origin.file for item in standing if item.origin.file})
    where = f" in {_count(files, 'file')}" if files else ""
    told = ", ".join(count for count in counts if count) + where
    accepted = len(items) - len(standing)
    return ", ".join(part for part in (told, f"{accepted} accepted" if accepted else "") if part)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}" if number else ""
