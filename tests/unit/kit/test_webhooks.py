"""Kinds of webhooks: what the kit should have is wrong when it does not, and the kinds of others are odd."""

from __future__ import annotations

from pathlib import Path

import kits
import pytest
from running import run

from kitgen.workspace.compilation import compile_source
from kitgen.workspace.kit import open_kit
from kitgen.workspace.sources import parse_source

CRD = """
- apiVersion: apiextensions.k8s.io/v1
  kind: CustomResourceDefinition
  metadata: {name: mice.example.org}
  spec:
    group: example.org
    scope: Namespaced
    names: {kind: Mouse, plural: mice, singular: mouse, listKind: MouseList}
    versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
"""
COMPONENT = "components/hello/v1.0.0/component.yaml"


def with_webhook(root: Path, kind: str, permissions: str = "") -> Path:
    text = (kits.make_kit(root) / COMPONENT).read_text()
    more = f"\nwebhooks: {{kinds: [{kind}]}}\n\nobjects:{CRD}"
    role = f"\n  others: {{permissions: {{{permissions}}}}}" if permissions else ""
    return kits.write(root, {COMPONENT: text.replace("\nroles:", "\nroles:" + role) + more})


@pytest.mark.parametrize(
    ("kind", "permissions", "want"),
    [
        ("example.org/v1/Mouse", "", ""),
        ("example.org/v1/Mouze", "", "webhook-kind"),
        ("example.org/v2/Mouse", "", "webhook-kind"),
        # Another operator may declare it, as several do in kubeflow.org.
        ("example.org/v1/Elephant", "", "webhook-undeclared"),
        ("example.org/v1/Elephant", "example.org/elephants: get", ""),
    ],
)
def test_a_group_may_have_more_than_the_kit_declares(
    kind: str, permissions: str, want: str, tmp_path: Path
) -> None:
    checked = run("check", "-o", "lines", "--root", with_webhook(tmp_path, kind, permissions))
    assert (checked.code, want in checked.out) == (want == "webhook-kind", True), checked.out
    assert want or not {"webhook-kind", "webhook-undeclared"} & {*checked.out.replace(":", "").split()}


def test_a_whole_crd_says_its_plural(tmp_path: Path) -> None:
    opened = open_kit(with_webhook(tmp_path, "example.org/v1/Mouse"))
    hooks = next(
        m.body
        for m in compile_source(opened, parse_source("target:olm")).objects
        if m.id.kind.startswith("Mutating")
    )
    assert hooks["webhooks"][0]["rules"][0]["resources"] == ["mice"]
