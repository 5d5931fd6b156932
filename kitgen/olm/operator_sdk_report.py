"""Write findings as operator-sdk reads them from a validator of somebody else's."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kitgen.findings import Finding, Severity
from kitgen.report.documents import LONGEST, safe_json
from kitgen.report.text import Read, format_message, locate_findings

LEVELS = {Severity.ERROR: "Error", Severity.WARNING: "Warning", Severity.NOTE: "Info"}
VERSION = "csv-"
"""How the ids of rules start that are of a ClusterServiceVersion."""


def as_manifest_result(name: str, findings: Iterable[Finding], read: Read) -> str:
    """Write one result, with these keys alone: operator-sdk takes no others."""
    items = [each for each in locate_findings(findings, read) if not each.accepted]
    parts = {
        severity: [_build_entry(each) for each in items if each.severity is severity] for severity in Severity
    }
    return safe_json({"Name": name, "Errors": parts[Severity.ERROR], "Warnings": parts[Severity.WARNING]})


def _build_entry(item: Finding) -> dict[str, Any]:
    where = f"{item.origin.file}:{item.origin.line}" if item.origin.line else item.origin.file
    return {
        "Type": "CSVFileNotValid" if item.rule.id.startswith(VERSION) else "BundleNotValid",
        "Level": LEVELS[item.severity],
        "Field": ".".join(map(str, item.origin.path))[:LONGEST],
        "BadValue": where,
        "Detail": f"{item.rule.id}: {format_message(item)}"[:LONGEST],
    }
