"""Grades: what a kit says of rules, whether they hold and how bad it is to break them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeAlias

from kitgen.findings.finding import Finding
from kitgen.findings.near import near
from kitgen.findings.origin import Origin
from kitgen.findings.registry import Chapter, Rule, Severity, registered, rules

RULE_GRADE = Rule(
    id="rule-grade",
    chapter=Chapter.EXCEPTION,
    checks=(
        "The rules that kit.yaml grades are there. One that is an error may be made a warning, or switched "
        "off, if it may have exceptions; a warning may always be made an error."
    ),
    fix="Write what the message expects.",
)

OFF = "ignore"
Grades: TypeAlias = Mapping[str, Severity | None]
"""Id of a rule → how bad it is to break it; None where the rule is switched off."""
NO_GRADES: Grades = MappingProxyType({})


def is_off(rule: Rule, grades: Grades) -> bool:
    """Tell whether a kit switched a rule off."""
    return rule.id in grades and grades[rule.id] is None


def read_grades(said: Mapping[str, str], origin: Origin) -> tuple[dict[str, Severity | None], list[Finding]]:
    """Read what a kit says of rules, with a finding for each that it cannot say."""
    grades: dict[str, Severity | None] = {}
    findings: list[Finding] = []
    for name, word in said.items():
        rule = registered(Rule).get(name) or rules().get(name)  # all modules are imported only if they must
        if rule is None:
            message = f"found the rule {name!r}, which is none"
            findings.append(RULE_GRADE(message, (name,), near(name, list(rules()))).at(origin))
        elif word != Severity.ERROR and rule.severity is Severity.ERROR and not rule.exceptable:
            message = f"found {word!r} for the rule {name!r}, which is always an error"
            findings.append(RULE_GRADE(message, (name,), "remove it, and fix what the rule finds").at(origin))
        else:
            grades[name] = None if word == OFF else Severity(word)
    return grades, findings
