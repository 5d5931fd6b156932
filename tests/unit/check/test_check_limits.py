"""Sizes are those that Go and the API server count."""

from __future__ import annotations

import pytest
from checking import manifest

from kitgen.check.context import CheckContext
from kitgen.check.engine import run_checks
from kitgen.kube.object_size import LAST_APPLIED, MAX_ANNOTATIONS, measure_json_size
from kitgen.text.yaml import Json, JsonObject


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": [True, None, 1.5]}, '{"a":[true,null,1.5],"b":1}'),
        ("<a> & b", r'"\u003ca\u003e \u0026 b"'),
        ("ä €", '"ä €"'),
        ('"\\\n\t', r'"\"\\\n\t"'),
        ("\x01\x7f", '"\\u0001\x7f"'),
        ("\u2028\u2029", r'"\u2028\u2029"'),
        (10**30, "1" + "0" * 30),
        ("\ud800", '"?"'),
    ],
)
def test_the_size_is_that_of_what_go_writes(value: Json, text: str) -> None:
    assert measure_json_size(value) == len(text.encode())


def sized(size: int, annotations: JsonObject | None = None) -> JsonObject:
    """Make a ConfigMap that has so many bytes as JSON."""
    meta = {"name": "a", "namespace": "b", **({"annotations": annotations} if annotations else {})}
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": {"a": ""}}
    return {**body, "data": {"a": "x" * (size - measure_json_size(body))}}


def rules(body: JsonObject) -> list[str]:
    found = run_checks(CheckContext(targets={"": [manifest(body)]}, minors=(32,)))
    return [each.rule.id for each in found if each.rule.id.startswith("size-")]


def test_kubectl_adds_a_key_annotations_and_a_line_break() -> None:
    room = MAX_ANNOTATIONS - len(LAST_APPLIED) - 1
    bare = len('"annotations":{},')
    assert rules(sized(room - bare)) == []
    assert rules(sized(room - bare + 1)) == ["size-apply"]
    assert rules(sized(room - 4, {"ab": "cd"})) == []
    assert rules(sized(room - 3, {"ab": "cd"})) == ["size-apply"]


def test_what_was_applied_before_does_not_count() -> None:
    assert rules(sized(MAX_ANNOTATIONS, {LAST_APPLIED: "x" * 100_000})) == []


@pytest.mark.parametrize("options", ["ServerSideApply=true", "Prune=false, Replace=true"])
def test_who_applies_on_the_server_has_room(options: str) -> None:
    noted = {"argocd.argoproj.io/sync-options": options}
    assert rules(sized(500_000, noted)) == []
    assert rules(sized(500_000, {"argocd.argoproj.io/sync-options": options.replace("true", "false")}))
