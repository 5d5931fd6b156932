"""kitgen diff answers whatever manifests hold, and however much of it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from running import run

from kitgen.text.yaml import JsonObject


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


SERVICE = "{apiVersion: v1, kind: Service, metadata: {name: a, namespace: b}, spec: {type: %s}}"
HOOK = """
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: a}
webhooks: [{name: %s, rules: [{apiGroups: [a], resources: [b], operations: [CREATE]}]}]
"""


@pytest.mark.parametrize("odd", ["[a, {b: c}]", "{a: [b]}"])
@pytest.mark.parametrize("text", [SERVICE, HOOK], ids=["service", "webhook"])
def test_a_word_that_is_a_list_or_a_mapping_is_a_change(text: str, odd: str) -> None:
    for number, one in enumerate((text % "NodePort", text % odd)):
        Path(f"{number}.yaml").write_text(one)
    for names in (("0.yaml", "1.yaml"), ("1.yaml", "0.yaml")):
        done = run("diff", *names, "--all")
        assert (done.code, done.err.count("error")) == (1, 0), done.err


def ports(name: str) -> JsonObject:
    listed = [{"name": f"{name}{number}", "port": number} for number in range(6_000)]
    return {"apiVersion": "v1", "kind": "Service", "spec": {"ports": listed}}


def containers(name: str) -> JsonObject:
    listed = [{"name": f"{name}{number}", "securityContext": {"privileged": True}} for number in range(1_500)]
    return {"apiVersion": "v1", "kind": "Pod", "spec": {"containers": listed}}


def rules(name: str) -> JsonObject:
    every = [
        {
            "apiGroups": [f"{name}{number}"],
            "resources": ["a"],
            "operations": ["CREATE"],
            "apiVersions": ["v1"],
        }
        for number in range(2_000)
    ]
    hook = {"name": "a.example.com", "rules": every}
    group = "admissionregistration.k8s.io/v1"
    return {"apiVersion": group, "kind": "ValidatingWebhookConfiguration", "webhooks": [hook]}


def fields(name: str) -> JsonObject:
    spec = {f"{name}{number}": number for number in range(6_000)}
    return {"apiVersion": "apps/v1", "kind": "StatefulSet", "spec": spec}


@pytest.mark.parametrize("many", [ports, containers, rules, fields], ids=lambda each: each.__name__)
def test_many_changes_of_an_object_are_told_in_time(many: Callable[[str], JsonObject]) -> None:
    for name in ("old", "new"):
        whole = {**many(name), "metadata": {"name": "a", "namespace": "b"}}
        Path(f"{name}.yaml").write_text(json.dumps(whole))
    before = time.process_time()
    assert run("diff", "old.yaml", "new.yaml").code == 1
    assert time.process_time() - before < 5
