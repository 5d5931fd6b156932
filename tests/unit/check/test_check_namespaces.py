"""The namespace of a target in texts of its component: as a literal, and by an expression or a parameter."""

from __future__ import annotations

import json
import time
from pathlib import Path

import kits
import pytest
from checking import checked
from running import run

COMPONENT = "components/hello/v1.0.0/component.yaml"
ARGS = "      command: [/manager]\n"
OBJECT = """objects:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {a.yaml: "a: b\\nnamespace: %s"}}
"""
CONFIG_MAP = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: opendatahub}, data: {a: TEXT}}"


@pytest.mark.parametrize(
    ("args", "more", "want"),
    [
        ("      args: [--namespace=hello-system]\n", "", {"args/0 (olm)"}),
        ('      args: ["--namespace={{ namespace }}", --ns=hello-system]\n', "", {"args/1 (olm)"}),
        ("      env: {HELLO_NAMESPACE: opendatahub}\n", "", {"env/0/value"}),
        ('      env: {HELLO_NAMESPACE: "{{ namespace }}"}\n', "", set()),
        ("", OBJECT % "hello-system", {"data/a.yaml (olm)"}),
        ("", OBJECT % "{{ namespace }}", set()),
        ("", '        hello-namespace: {value: "{{ namespace }}"}\n', set()),
    ],
)
def test_a_namespace_that_would_stay_is_found(tmp_path: Path, args: str, more: str, want: set[str]) -> None:
    root = kits.make_kit(tmp_path)
    text = (root / COMPONENT).read_text()
    (root / COMPONENT).write_text(text.replace(ARGS, ARGS + args) + more)
    lines = run("check", "-o", "lines", "--root", root).out.splitlines()
    found = [line.rpartition(" [")[2] for line in lines if "namespace-hard-coded" in line]
    assert len(found) == len(want)
    assert all(any(place in each for each in found) for place in want)


@pytest.mark.parametrize(
    "text",
    [
        "namespace: a," * 7000,
        "namespace:" + " " * 90_000,
        "namespace" * 10_000,
        "namespace:\n - opendatahu" * 4000,
    ],
)
def test_a_long_text_takes_no_long_time(text: str) -> None:
    begun = time.process_time()
    checked(CONFIG_MAP.replace("TEXT", json.dumps(f"{text}\nxopendatahub")))
    assert time.process_time() - begun < 5
