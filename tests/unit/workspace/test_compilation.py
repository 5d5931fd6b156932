"""One component of a target needs no schemas of the CRDs beside it, unless an object is held to them."""

from __future__ import annotations

from pathlib import Path

import kits
import pytest

from kitgen.app.build import build_objects
from kitgen.findings.errors import FindingsError
from kitgen.workspace.checks import check_shipped_releases
from kitgen.workspace.kit import open_kit

WORD = """
group: words.example.com
names: {kind: Word}
scope: Namespaced
versions:
  v1: {storage: true, schema: {type: object, properties: {spec: SPEC}}}
"""
OBJECT = """
objects:
- {apiVersion: words.example.com/v1, kind: Word, metadata: {name: one}, spec: {text: 1}}
"""
ROLE = """
objects:
- apiVersion: rbac.authorization.k8s.io/v1
  kind: ClusterRole
  metadata: {name: readers}
  rules:
  - {apiGroups: [words.example.com], resources: [words, words/status, wards], verbs: [get]}
"""


def make_kit(folder: Path, spec: str, more: str = "") -> Path:
    """Return a kit with a component beside hello that has a CRD alone, and more in that of hello."""
    component = (kits.CASES / "kit/components/hello/v1.0.0/component.yaml").read_text()
    files = {
        "components/words/v0.1.0/component.yaml": "component: words\nversion: v0.1.0\nkubernetes: '1.29'\n",
        "components/words/v0.1.0/crds/words.yaml": WORD.replace("SPEC", spec),
        "components/hello/v1.0.0/component.yaml": component + more,
        "releases/v1.0.0.yaml": "release: v1.0.0\ncomponents: {hello: v1.0.0, words: v0.1.0}\n",
    }
    return kits.write(kits.make_kit(folder), files)


def test_a_broken_crd_of_another_component_is_found_by_check_alone(tmp_path: Path) -> None:
    root = make_kit(tmp_path, "{$type: core/v1.Nothing}")
    assert build_objects(root, "target:olm", "hello").objects
    opened = open_kit(root)
    found = check_shipped_releases(opened, [opened.target("olm")], None, ()).findings
    assert "crd-type-unknown" in [each.rule.id for each in found]


def test_an_object_is_held_to_the_crd_of_another_component(tmp_path: Path) -> None:
    root = make_kit(tmp_path, "{type: object, properties: {text: {type: string}}}", OBJECT)
    with pytest.raises(FindingsError) as raised:
        build_objects(root, "target:olm", "hello")
    assert [each.rule.id for each in raised.value.findings] == ["field-type"]


def test_resources_of_crds_without_schemas_are_known(tmp_path: Path) -> None:
    made = build_objects(make_kit(tmp_path, "{$type: core/v1.Nothing}", ROLE), "target:olm", "hello")
    (unknown,) = made.findings
    assert unknown.rule.id == "role-resource-unknown"
    assert '"words.example.com/words/status" and "words.example.com/wards"' in unknown.message
