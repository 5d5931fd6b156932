"""Write findings as workflow commands of GitHub Actions, which annotate the files of a pull request."""

from __future__ import annotations

from collections.abc import Iterable

from kitgen.findings import Finding, Severity, pointer
from kitgen.report.text import Read, Where, message_of, placed, said

IN_TEXT = {"%": "%25", "\r": "%0D", "\n": "%0A"}
IN_FIELD = {**IN_TEXT, ":": "%3A", ",": "%2C"}


def as_annotations(findings: Iterable[Finding], read: Read, where: Where) -> str:
    """Write a line for each finding that stands, errors first, since GitHub shows only some of them."""
    items = [item for item, _ in placed(findings, read, where) if not item.accepted]
    return "".join(_annotation(item) for item in sorted(items, key=lambda item: not item.blocks))


def _annotation(item: Finding) -> str:
    given = {"file": item.origin.file, "line": item.origin.line or "", "title": item.rule.id}
    fields = ",".join(f"{name}={_escaped(str(value), IN_FIELD)}" for name, value in given.items() if value)
    told = message_of(item, item.subject or pointer(item.origin.path))
    level = "notice" if item.severity is Severity.NOTE else item.severity.value
    return f"::{level} {fields}::{_escaped(told, IN_TEXT)}\n"


def _escaped(text: str, signs: dict[str, str]) -> str:
    return "".join(signs.get(char, char) for char in said(text))
