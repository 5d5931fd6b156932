"""Write findings as SARIF 2.1.0, which code scanning reads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from kitgen import __version__
from kitgen.files.root import MARK
from kitgen.findings import Finding, Rule, format_pointer
from kitgen.report.documents import safe_json
from kitgen.report.rule_page import describe_rule_settings
from kitgen.report.text import Read, Where, format_message, locate_in_repository

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def as_sarif(findings: Iterable[Finding], read: Read, where: Where) -> str:
    """Write findings with the rules that they break; those that are accepted are suppressed."""
    items = locate_in_repository(findings, read, where)
    rules = {item.rule.id: item.rule for item, _ in sorted(items, key=lambda each: each[0].rule.id)}
    numbers = {name: number for number, name in enumerate(rules)}
    driver = {"name": "kitgen", "version": __version__, "rules": list(map(_build_rule, rules.values()))}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_build_result(item, numbers[item.rule.id], revision) for item, revision in items],
    }
    return safe_json({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _build_rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.checks},
        "fullDescription": {"text": " ".join(filter(None, (rule.checks, rule.why)))},
        "help": {
            "text": " ".join(filter(None, (rule.why, f"To fix it: {rule.fix}", describe_rule_settings(rule))))
        },
        "defaultConfiguration": {"level": rule.severity.value},
        "properties": {"tags": [rule.chapter.value]},
    }


def _build_result(item: Finding, number: int, revision: str) -> dict[str, Any]:
    place = format_pointer(item.origin.path)
    result: dict[str, Any] = {
        "ruleId": item.rule.id,
        "ruleIndex": number,
        "level": item.severity.value,
        "message": {"text": format_message(item, item.subject)[:10_000]},
        "locations": [_build_location(item, place)],
        "partialFingerprints": {
            "kitgen/v1": f"{item.rule.id} {item.origin.file} {place} {item.subject}"[:1_000]
        },
    }
    if revision:
        result["properties"] = {"revision": revision}
    if item.accepted:
        result["suppressions"] = [{"kind": "external", "justification": item.accepted}]
    return result


def _build_location(item: Finding, place: str) -> dict[str, Any]:
    """Return where a finding is; code scanning takes none without a file and a line."""
    where = {
        "artifactLocation": _build_artifact(item.origin.file),
        "region": {"startLine": item.origin.line or 1},
    }
    location: dict[str, Any] = {"physicalLocation": where}
    if place:
        location["logicalLocations"] = [{"fullyQualifiedName": place[:1_000]}]
    return location


def _build_artifact(file: str) -> dict[str, str]:
    uri = quote(file or MARK, errors="replace")
    return {"uri": f"file://{uri}"} if uri.startswith("/") else {"uri": uri, "uriBaseId": "%SRCROOT%"}
