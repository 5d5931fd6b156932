"""Write findings as workflow commands of GitHub Actions, which annotate the files of a pull request."""

from __future__ import annotations

from collections.abc import Iterable

from kitgen.findings import Finding, Severity, format_pointer
from kitgen.report.text import Read, Where, format_inline, format_message, locate_in_repository

IN_TEXT = {"%": "%25", "\r": "%0D", "\n": "%0A"}
IN_FIELD = {**IN_TEXT, ":": "%3A", ",": "%2C"}


def as_annotations(findings: Iterable[Finding], read: Read, where: Where) -> str:
    """Write a line for each finding that stands, errors first, since GitHub shows only some of them."""
    items = [item for item, _ in locate_in_repository(findings, read, where) if not item.accepted]
    return "".join(_format_annotation(item) for item in sorted(items, key=lambda item: not item.is_blocking))


def _format_annotation(item: Finding) -> str:
    given = {"file": item.origin.file, "line": item.origin.line or "", "title": item.rule.id}
    fields = ",".join(f"{name}={_escape(str(value), IN_FIELD)}" for name, value in given.items() if value)
    told = format_message(item, item.subject or format_pointer(item.origin.path))
    level = "notice" if item.severity is Severity.NOTE else item.severity.value
    return f"::{level} {fields}::{_escape(told, IN_TEXT)}\n"


def _escape(text: str, signs: dict[str, str]) -> str:
    return "".join(signs.get(char, char) for char in format_inline(text))
