"""Names in a component that lead nowhere, and settings for versions that the kit does not have."""

from __future__ import annotations

from pathlib import Path

import kits
import pytest
from running import run

COMPONENT = "components/hello/v1.0.0/component.yaml"
TARGET = "targets/olm.yaml"
PATCH = "{name: a, why: Load, object: Deployment/hello-manager, merge: {spec: {replicas: 2}}, versions: '%s'}"


def told(root: Path, file: str, more: str, old: str = "", new: str = "") -> str:
    text = (kits.make_kit(root) / file).read_text()
    assert old in text
    checked = run("check", "-o", "lines", "--root", kits.write(root, {file: text.replace(old, new) + more}))
    out = "".join(
        line for line in checked.out.splitlines(keepends=True) if " warning: webhook-ca: " not in line
    )
    assert checked.code == bool(out)
    return out


@pytest.mark.parametrize(
    ("role", "want"),
    [
        ("manager-role", ""),
        ("manger-role", "no cluster role 'hello-manger-role' (hint: did you mean 'manager"),
    ],
)
def test_a_binding_is_to_a_role_of_the_component(role: str, want: str, tmp_path: Path) -> None:
    out = told(tmp_path, COMPONENT, f"\nbindings: {{users: {{role: {role}, groups: [users]}}}}\n")
    assert want in out and bool(want) == bool(out)


def test_without_a_prefix_every_cluster_may_have_the_role(tmp_path: Path) -> None:
    more = "\nbindings: {users: {role: view, groups: [users]}}\n"
    assert told(tmp_path, COMPONENT, more, "prefix: hello-\n", "") == ""


@pytest.mark.parametrize(
    ("ports", "want"),
    [
        ("{metrics: 80}", ""),
        ("{webhook-server: 443}", ""),
        ("[{port: 80, targetPort: elsewhere}]", 'found the port "elsewhere", which '),
        ("{metrcs: 80}", "found no port 'metrcs' of a container"),
    ],
)
def test_a_port_of_a_service_leads_to_one_of_a_container(ports: str, want: str, tmp_path: Path) -> None:
    more = "\nwebhooks: {caBundle: LS0tLS1CRUdJTg==, kinds: [example.com/v1/Greeting]}\n"
    out = told(
        tmp_path, COMPONENT, more, "    ports: {metrics: 8080}\n\nroles", f"    ports: {ports}\n\nroles"
    )
    assert want in out and bool(want) == bool(out)


def test_a_feature_changes_something(tmp_path: Path) -> None:
    out = told(tmp_path, COMPONENT, "\n  nothing: {about: Only a word}\n")
    assert "/features/nothing: setting-unused: found the feature 'nothing', which changes nothing" in out


@pytest.mark.parametrize(
    ("content", "want"),
    [
        ('{versions: {">=1.0.0": {replicas: 2}}}', ""),
        ('{versions: {">=2.0.0": {replicas: 2}}}', "found settings for '>=2.0.0', where the kit has v1.0.0"),
        (f"{{patches: [{PATCH % '<2.0.0'}]}}", ""),
        (f"{{patches: [{PATCH % '>=2.0.0'}]}}", "found a patch for '>=2.0.0', where the kit has v1.0.0"),
    ],
)
def test_settings_are_for_versions_of_the_kit(content: str, want: str, tmp_path: Path) -> None:
    root = kits.make_kit(tmp_path)
    kits.write(root, {TARGET: f"target: olm\nrelease: v1.0.0\ncomponents:\n  hello: {content}\n"})
    out = run("check", "-o", "lines", "--root", root).out
    assert want in out and bool(want) == bool(out)
