"""Every rule has a text that passes and one that it catches."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from checking import CRD, DEPLOYMENT, QUEUE, bodies, checked
from some import rows

from kitgen.crd.definition import group_by_kind, is_crd
from kitgen.crd.importer import importer
from kitgen.crd.validate.objects import check_object
from kitgen.findings import Finding, Origin, Severity, rules_by_id
from kitgen.findings.errors import FindingsError
from kitgen.kit.foreign_objects import parse_foreign_objects
from kitgen.text.schema_check import Shape
from kitgen.text.yaml import YamlError, read_yaml

TESTS = Path(__file__).parents[2]
RULES = rules_by_id()
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
        read_yaml(text)
    except YamlError as error:
        return [each.to_finding(Origin("x")) for each in error.problems]
    return []


def shaped(text: str) -> list[Finding]:
    return [each.to_finding(Origin("x")) for each in SCHEMA.check(read_yaml(text))]


def read_foreign(text: str) -> list[Finding]:
    return [finding for each in parse_foreign_objects({"x.yaml": text}).objects for finding in each.findings]


LARGE = r"^\p{L}{400}"
"""A pattern that takes more space than one is given."""
NOTED = QUEUE.replace("port: http", "note: text")
CONSTRAINED = (
    (CRD + "---" + QUEUE.replace(", namespace: apps", ""))
    .replace("example.com", "security.openshift.io")
    .replace("Queue", "SecurityContextConstraints")
    .replace("queues", "securitycontextconstraints")
    .replace("Namespaced", "Cluster")
    .replace(
        "        properties:\n          apiVersion",
        "        required: [spec]\n        properties:\n          apiVersion",
    )
)
"""A kind of OpenShift's that its server fills in."""
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
    "manifest-invalid": (read_foreign, DEPLOYMENT, "kind: Deployment"),
    "kubernetes-api": (checked, DEPLOYMENT, DEPLOYMENT.replace("apps/v1", "apps/v1beta2")),
    "crd-version": (checked, CRD + "---" + QUEUE, CRD + "---" + QUEUE.replace("com/v1", "com/v1beta1")),
    "crd-version-deprecated": (
        checked,
        CRD + "---" + QUEUE,
        CRD.replace("served: true", "served: true\n    deprecated: true") + "---" + QUEUE,
    ),
    "field-filled-in": (checked, CONSTRAINED, CONSTRAINED.partition("spec: {size: 3")[0]),
    "pattern-unchecked": (checked, CRD + "---" + NOTED, CRD.replace("^(?i)", LARGE) + "---" + NOTED),
    "kind-misspelt": (checked, CRD + "---" + QUEUE, CRD + "---" + QUEUE.replace("Queue", "Queues")),
    "field-unknown": (checked, DEPLOYMENT, DEPLOYMENT.replace("replicas:", "replica:")),
    "field-missing": (checked, DEPLOYMENT, DEPLOYMENT.replace("name: web\n", "tty: true\n")),
    "field-type": (checked, DEPLOYMENT, DEPLOYMENT.replace("replicas: 1", "replicas: one")),
    "field-alternatives": (
        checked,
        DEPLOYMENT + "        env: [{name: A, value: a}]",
        DEPLOYMENT + "        env: [{name: A, value: a, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]",
    ),
    "field-value": (checked, CRD + "---" + QUEUE, CRD + "---" + QUEUE.replace("size: 3", "size: 0")),
    "kind-unknown": (checked, CRD + "---" + QUEUE, QUEUE),
    "object-duplicate": (checked, DEPLOYMENT, DEPLOYMENT + "---" + DEPLOYMENT),
    "name-invalid": (checked, DEPLOYMENT, DEPLOYMENT.replace("{name: web,", "{name: Web,")),
    "namespace-dropped": (
        checked,
        CRD.replace("scope: Namespaced", "scope: Cluster") + "---" + QUEUE.replace(", namespace: apps", ""),
        CRD.replace("scope: Namespaced", "scope: Cluster") + "---" + QUEUE,
    ),
    "label-invalid": (checked, DEPLOYMENT, DEPLOYMENT.replace("{app: web}", "{app: -web}")),
    "container-image": (checked, DEPLOYMENT, re.sub(r"image: \S+web:v1.0.0", "tty: true", DEPLOYMENT)),
    "image-tag": (checked, DEPLOYMENT, DEPLOYMENT.replace("web:v1.0.0", "web")),
}


def test_every_rule_has_a_case() -> None:
    """One here, a folder in tests/cases/check, bundle or invalid, or a test of the stage that has it."""
    folders = {path.name for kind in ("check", "bundle") for path in (TESTS / "cases" / kind).iterdir()}
    told = "".join(path.read_text() for path in TESTS.glob("cases/invalid/*/expect.txt"))
    stages = "".join(path.read_text() for path in TESTS.glob("**/test_*.py") if path != Path(__file__))
    stages += " ".join(path.name for path in TESTS.glob("cases/check/*"))
    assert set(CASES) <= set(RULES)
    untold = [
        rule for rule in RULES if rule not in {*CASES, *folders, "crd-import"} and f": {rule}: " not in told
    ]
    words = set(re.findall(r"[a-z0-9]+(?:-[a-z0-9]+)*", stages))
    assert [rule for rule in untold if rule not in words] == []


def test_an_import_that_does_not_come_back_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importer, "_find_mismatches", lambda *_: {0})
    with pytest.raises(FindingsError) as raised:
        importer.import_crds(bodies(CRD))
    assert [each.rule.id for each in raised.value.findings] == ["crd-import"]


@rows("rule", CASES)
def test_rule_passes(rule: str) -> None:
    run, passing, _ = CASES[rule]
    assert run(passing) == []


@rows("rule", CASES)
def test_rule_catches(rule: str) -> None:
    run, _, failing = CASES[rule]
    assert {each.rule.id for each in run(failing)} == {rule}


def test_a_kind_without_a_schema_is_a_warning() -> None:
    assert [each.severity for each in checked(QUEUE)] == [Severity.WARNING]


def test_a_warning_of_one_command_is_one_of_the_other() -> None:
    texts = [text for run, *pair in CASES.values() if run is checked for text in pair]
    documents = [(text, body) for text in texts for body in bodies(text)]
    found = [
        each
        for text, body in documents
        for each in check_object(body, Origin("x"), group_by_kind(filter(is_crd, bodies(text)))).findings
    ]
    assert {each.rule.id for each in found} >= {"crd-version", "crd-version-deprecated", "pattern-unchecked"}
    assert [each for each in found if each.severity is not RULES[each.rule.id].severity] == []
