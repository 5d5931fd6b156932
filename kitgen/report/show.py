"""Choose the form of findings, and count them."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import assert_never

from kitgen.findings import Finding, Severity, unique
from kitgen.report.jsonlist import jsonlist
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
    items = locate(findings, read)
    match Output(output):
        case Output.TEXT:
            return text(items, colour=colour)
        case Output.JSON:
            return jsonlist(items)
        case other:
            assert_never(other)


def summary(findings: Iterable[Finding]) -> str:
    """Count findings in one line, such as: 2 errors, 1 warning in 3 files."""
    items = unique(list(findings))
    if not items:
        return "no findings"
    errors = sum(item.severity is Severity.ERROR for item in items)
    counts = [_count(errors, "error"), _count(len(items) - errors, "warning")]
    files = len({item.origin.file for item in items if item.origin.file})
    where = f" in {_count(files, 'file')}" if files else ""
    return ", ".join(count for count in counts if count) + where


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}" if number else ""
