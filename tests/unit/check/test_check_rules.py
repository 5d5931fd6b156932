"""Every rule has a text that passes and one that it catches, and the page about the rules is current."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from checking import CRD, DEPLOYMENT, QUEUE, checked

from kitgen.check import RULES, strangers
from kitgen.check.rules import ABOUT, document
from kitgen.findings import Finding, Origin, Severity
from kitgen.shape import RULES as SPEC_RULES
from kitgen.shape import Shape
from kitgen.yamlio import YamlError, read

SCHEMA = Shape(
    {
        "type": "object",
        "required": ["name"],
        "additionalProperties": False,
        "properties": {"name": {"type": "string"}, "mode": {"enum": ["Managed", "Removed"]}},
    }
)


def read_spec(text: str) -> list[Finding]:
    try:
        read(text)
    except YamlError as error:
        return [Finding(rule=each.rule, message=each.message, origin=Origin("x")) for each in error.problems]
    return []


def shaped(text: str) -> list[Finding]:
    found = SCHEMA.violations(read(text))
    return [
        Finding(rule=SPEC_RULES[each.trouble], message=each.message, origin=Origin("x")) for each in found
    ]


def stranger(text: str) -> list[Finding]:
    return strangers("x.yaml", text)[1]


Case = tuple[Callable[[str], list[Finding]], str, str]

CASES: dict[str, Case] = {
    "yaml-syntax": (read_spec, "a: [1]", "a: [1"),
    "yaml-duplicate": (read_spec, "a: 1\nb: 2", "a: 1\na: 2"),
    "yaml-ambiguous": (read_spec, 'a: "yes"', "a: yes"),
    "yaml-tag": (read_spec, "a: b", "a: !!binary b"),
    "yaml-key": (read_spec, "a: b", "? [a]\n: b"),
    "yaml-limit": (read_spec, "[" * 50 + "]" * 50, "[" * 300 + "]" * 300),
    "yaml-documents": (read_spec, "a: b", "a: b\n---\na: b"),
    "spec-unknown-key": (shaped, "name: x", "name: x\nmod: Managed"),
    "spec-missing-key": (shaped, "name: x", "mode: Managed"),
    "spec-type": (shaped, "name: x", "name: 3"),
    "spec-value": (shaped, "name: x\nmode: Managed", "name: x\nmode: managed"),
    "manifest-invalid": (stranger, DEPLOYMENT, "kind: Deployment"),
    "kubernetes-api": (checked, DEPLOYMENT, DEPLOYMENT.replace("apps/v1", "apps/v1beta2")),
    "crd-version": (checked, CRD + "---" + QUEUE, CRD + "---" + QUEUE.replace("com/v1", "com/v1beta1")),
    "field-unknown": (checked, DEPLOYMENT, DEPLOYMENT.replace("replicas:", "replica:")),
    "field-missing": (checked, DEPLOYMENT, DEPLOYMENT.replace("name: web\n", "tty: true\n")),
    "field-type": (checked, DEPLOYMENT, DEPLOYMENT.replace("replicas: 1", "replicas: one")),
    "field-value": (checked, CRD + "---" + QUEUE, CRD + "---" + QUEUE.replace("size: 3", "size: 0")),
    "kind-unknown": (checked, CRD + "---" + QUEUE, QUEUE),
    "object-duplicate": (checked, DEPLOYMENT, DEPLOYMENT + "---" + DEPLOYMENT),
    "name-invalid": (checked, DEPLOYMENT, DEPLOYMENT.replace("{name: web,", "{name: Web,")),
    "label-invalid": (checked, DEPLOYMENT, DEPLOYMENT.replace("{app: web}", "{app: -web}")),
    "image-tag": (checked, DEPLOYMENT, DEPLOYMENT.replace("web:v1.0.0", "web")),
}


def test_every_rule_has_a_case() -> None:
    assert list(CASES) == list(RULES)


@pytest.mark.parametrize("rule", CASES)
def test_rule_passes(rule: str) -> None:
    run, passing, _ = CASES[rule]
    assert run(passing) == []


@pytest.mark.parametrize("rule", CASES)
def test_rule_catches(rule: str) -> None:
    run, _, failing = CASES[rule]
    assert {each.rule for each in run(failing)} == {rule}


def test_only_a_kind_without_schema_is_a_warning() -> None:
    assert [rule.id for rule in RULES.values() if rule.severity is Severity.WARNING] == ["kind-unknown"]
    assert [each.severity for each in checked(QUEUE)] == [Severity.WARNING]


def test_every_family_is_introduced() -> None:
    assert {rule.family for rule in RULES.values()} == set(ABOUT)


def test_the_page_is_current() -> None:
    page = Path(__file__).parents[3] / "docs" / "rules.md"
    assert page.read_text() == document(), "run: python -m kitgen.check > docs/rules.md"
