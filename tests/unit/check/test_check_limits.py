"""Sizes are those that Go and the API server count."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path

import pytest
from checking import checked, manifest
from running import run

from kitgen.check import Context, check
from kitgen.check.limits import LAST_APPLIED, MAX_ANNOTATIONS, compact_size
from kitgen.yamlio import Json, JsonObject


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
    assert compact_size(value) == len(text.encode())


def sized(size: int, annotations: JsonObject | None = None) -> JsonObject:
    """Make a ConfigMap that has so many bytes as JSON."""
    meta = {"name": "a", "namespace": "b", **({"annotations": annotations} if annotations else {})}
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": {"a": ""}}
    return {**body, "data": {"a": "x" * (size - compact_size(body))}}


def rules(body: JsonObject) -> list[str]:
    found = check(Context(targets={"": [manifest(body)]}, minors=(32,)))
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


def secret(data: JsonObject, **more: JsonObject) -> JsonObject:
    noted = {"argocd.argoproj.io/sync-options": "ServerSideApply=true"}
    meta = {"name": "a", "namespace": "b", "annotations": noted}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": meta, "data": data, **more}


def test_encoded_values_count_as_what_they_stand_for() -> None:
    full = b64encode(b"x" * 2**20).decode()
    assert rules(secret({"a": full})) == []
    assert rules(secret({"a": full, "b": "eA=="})) == ["size-data"]
    assert rules(secret({"a": full}, stringData={"a": "x"})) == []
    assert rules(secret({"a": full}, stringData={"b": "x"})) == ["size-data"]


def test_no_value_of_a_secret_is_told() -> None:
    found = check(Context(targets={"": [manifest(secret({"a": "c2VjcmV0" * 200_000}))]}, minors=(32,)))
    assert [each.rule.id for each in found] == ["size-data"]
    assert "c2VjcmV0" not in str(found)


def test_the_api_server_reads_three_mebibytes_of_its_own_kinds() -> None:
    role = """
    apiVersion: rbac.authorization.k8s.io/v1
    kind: ClusterRole
    metadata: {name: all, annotations: {argocd.argoproj.io/sync-options: ServerSideApply=true}}
    rules: [{apiGroups: [""], resources: [pods], verbs: [get], resourceNames: [NAMES]}]
    """
    names = [f"pod-{number:0240}" for number in range(13_000)]
    assert checked(role.replace("NAMES", ", ".join(names[:8_000]))) == []
    assert [each.rule.id for each in checked(role.replace("NAMES", ", ".join(names)))] == ["size-stored"]


@pytest.mark.parametrize(
    "odd", [{"metadata": []}, {"metadata": {"annotations": ["x"]}}, {"data": [1]}, {"data": {"a": 3}}]
)
def test_values_of_any_shape_are_looked_at(odd: JsonObject) -> None:
    large = {**sized(600_000), "more": "x" * 2**20, **odd}
    assert "size-apply" in rules(large)


def test_argo_cd_reads_ten_megabytes_of_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = "apiVersion: v1\nkind: Namespace\nmetadata: {name: NAME}\n" + "# \n" * 1_000_000
    for name in ("a", "b"):
        Path(f"manifests-{name}.yaml").write_text(text.replace("NAME", name))
    assert "size-directory" not in run("check", "-o", "lines", ".").err
    for name in ("c", "d"):
        Path(f"manifests-{name}.yaml").write_text(text.replace("NAME", name))
    told = run("check", "-o", "lines", ".")
    assert told.code == 0
    assert (
        ".:1: warning: size-directory: found 4 files of manifests of 12,000,204 bytes" in told.err + told.out
    )
