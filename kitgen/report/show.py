"""Choose the form of findings, and count them."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import assert_never

from kitgen.findings import Finding, unique
from kitgen.report.documents import findings_document
from kitgen.report.located import Read, locate
from kitgen.report.text import text


class Output(StrEnum):
    """The forms that findings can take."""

    TEXT = "text"
    JSON = "json"


def show(
    findings: Iterable[Finding], *, read: Read, output: Output | str = Output.TEXT, colour: bool = False
) -> str:
    """Write findings in one of the forms, sorted, each once; only text knows colour."""
    match Output(output):
        case Output.TEXT:
            standing = [finding for finding in findings if not finding.accepted]
            return text(locate(standing, read), colour=colour)
        case Output.JSON:
            return findings_document(findings, read)
        case other:
            assert_never(other)


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
