"""A tree that families have no words for comes in all the same, as it is."""

from __future__ import annotations

from pathlib import Path

import kits
import pytest
from running import run

from kitgen.text.yaml import JsonObject, dump_yaml_documents, read_yaml_documents

SECOND = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "second"}}
THERE = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "there", "namespace": "second"}}
BOUND = {
    "apiVersion": "rbac.authorization.k8s.io/v1",
    "kind": "RoleBinding",
    "metadata": {"name": "reads", "namespace": "kube-system"},
    "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"},
    "subjects": [{"kind": "ServiceAccount", "name": "hello-controller-manager"}],
}


@pytest.mark.parametrize("more", [[SECOND, THERE], [BOUND]], ids=["two-namespaces", "a-subject-nowhere"])
def test_what_cannot_be_said_shorter_is_said_as_it_is(
    more: list[JsonObject], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(kits.make_kit(tmp_path / "kit"))
    built = read_yaml_documents(run("build", "olm", "hello").out)
    Path("real.yaml").write_text(dump_yaml_documents([*built, *more]), encoding="utf-8")
    made = run("import", "real.yaml", "--as", "other@v1.0.0")
    assert "no differences" in made.out, made.err
    assert run("compare", "component:other@v1.0.0", "real.yaml").code == 0


def test_a_tree_that_families_can_say_is_said_by_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(kits.make_kit(tmp_path / "kit"))
    Path("real.yaml").write_text(run("build", "olm", "hello").out, encoding="utf-8")
    assert run("import", "real.yaml", "--as", "other@v1.0.0").code == 0
    assert "deployment:" in Path("components/other/v1.0.0/component.yaml").read_text(encoding="utf-8")
