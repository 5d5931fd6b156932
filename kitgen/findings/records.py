"""Findings as plain data, which can be kept."""

from __future__ import annotations

from typing import Any

from kitgen.findings.finding import Finding
from kitgen.findings.origin import Origin
from kitgen.findings.rule_table import Severity, get_rule


def origin_to_record(origin: Origin) -> list[Any]:
    """Return where a place is."""
    return [origin.file, origin.path, origin.line, origin.document]


def origin_from_record(record: list[Any]) -> Origin:
    """Return the place of a record."""
    file, path, line, document = record
    return Origin(file, tuple(path), line, document=document)


def to_record(finding: Finding) -> list[Any]:
    """Return what a finding says; of the rule, the id."""
    said = [finding.message, finding.hint, finding.subject, finding.accepted, finding.graded]
    return [finding.rule.id, origin_to_record(finding.origin), *said]


def from_record(record: list[Any]) -> Finding:
    """Return the finding of a record."""
    rule, origin, message, hint, subject, accepted, graded = record
    return Finding(
        rule=get_rule(rule),
        message=message,
        origin=origin_from_record(origin),
        hint=hint,
        subject=subject,
        accepted=accepted,
        graded=None if graded is None else Severity(graded),
    )
