"""Write findings as SARIF 2.1.0, which code scanning reads."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from kitgen import __version__
from kitgen.findings import Finding, Rule, pointer
from kitgen.report.documents import safe_json
from kitgen.report.lines import Read, Where, placed
from kitgen.report.rules import handling

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


def as_sarif(findings: Iterable[Finding], read: Read, where: Where) -> str:
    """Write findings with the rules that they break; those that are accepted are suppressed."""
    items = placed(findings, read, where)
    rules = list({item.rule.id: item.rule for item in sorted(items, key=lambda item: item.rule.id)}.values())
    numbers = {rule.id: number for number, rule in enumerate(rules)}
    driver = {"name": "kitgen", "version": __version__, "rules": [_rule(rule) for rule in rules]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(item, numbers[item.rule.id]) for item in items],
    }
    return safe_json(json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2))


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.checks},
        "help": {"text": " ".join(filter(None, (rule.why, f"To fix it: {rule.fix}", handling(rule))))},
        "defaultConfiguration": {"level": rule.severity.value},
        "properties": {"tags": [rule.chapter.value]},
    }


def _result(item: Finding, number: int) -> dict[str, Any]:
    told = item.message + (f" [{item.subject}]" if item.subject else "")
    told += f" (hint: {item.hint})" if item.hint else ""
    place = pointer(item.origin.path)
    result: dict[str, Any] = {
        "ruleId": item.rule.id,
        "ruleIndex": number,
        "level": item.severity.value,
        "message": {"text": told[:10_000]},
        "partialFingerprints": {
            "kitgen/v1": f"{item.rule.id} {item.origin.file} {place} {item.subject}"[:1_000]
        },
    }
    if item.origin.file:
        where: dict[str, Any] = {"artifactLocation": {"uri": quote(item.origin.file)}}
        if item.origin.line:
            where["region"] = {"startLine": item.origin.line}
        location: dict[str, Any] = {"physicalLocation": where}
        if place:
            location["logicalLocations"] = [{"fullyQualifiedName": place[:1_000]}]
        result["locations"] = [location]
    if item.accepted:
        result["suppressions"] = [{"kind": "external", "justification": item.accepted}]
    return result
