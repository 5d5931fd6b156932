"""Whatever a spec says, the answer is a result or findings, never a traceback."""

from __future__ import annotations

import json
from pathlib import Path

import kits
from hypothesis import given
from hypothesis import strategies as st
from running import run
from some import few

from kitgen.text.yaml import Json, JsonObject

SLOW = few()
KEYS = st.sampled_from(
    [
        *(
            "metadata",
            "spec",
            "template",
            "containers",
            "labels",
            "name",
            "namespace",
            "selector",
            "subjects",
        ),
        *("webhooks", "rules", "data", "image", "ports", "apiVersion", "kind", "matchLabels", "0", "-", "~/"),
    ]
)
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 3),
    st.sampled_from(
        ["", "x", "{{ namespace }}", "{{ x", "$literal", "v1", "a/b", "ä", "Deployment", "Namespace"]
    ),
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=10,
)
MAPS = st.dictionaries(KEYS, VALUES, max_size=4)
KINDS = st.sampled_from(
    [
        *(
            "apps/v1 Deployment",
            "v1 Service",
            "v1 Secret",
            "v1 ConfigMap",
            "v1 Namespace",
            "v1 List",
            "x/v1 X",
        ),
        *("rbac.authorization.k8s.io/v1 ClusterRole", "rbac.authorization.k8s.io/v1 RoleBinding"),
        *("admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration", "batch/v1 CronJob"),
        *("apiextensions.k8s.io/v1 CustomResourceDefinition", "networking.k8s.io/v1 NetworkPolicy"),
    ]
)
PATHS = st.lists(KEYS, max_size=4).map(lambda steps: "".join(f"/{step}" for step in steps))
OPS = st.fixed_dictionaries(
    {"op": st.sampled_from(["add", "remove", "replace", "test"]), "path": PATHS, "value": VALUES}
)


def answers(root: Path, file: str, content: Json) -> None:
    """Check that commands answer, and that what cannot be rendered leaves no trace."""
    (root / file).write_text(json.dumps(content))
    checked = run("check", "-o", "lines", "--root", root)
    assert checked.code in (0, 1)
    rendered = run("render", "--root", root, "--out", root / "out", "--no-cache")
    assert rendered.code == checked.code, rendered.err


@SLOW
@given(merge=MAPS, ops=st.lists(OPS, min_size=1, max_size=3))
def test_any_patch(tmp_path: Path, merge: JsonObject, ops: list[JsonObject]) -> None:
    root = kits.make_kit(tmp_path)
    about = {"name": "any", "why": "a test", "object": "Deployment/hello-manager"}
    patches = [{**about, "merge": merge}, {**about, "object": "Service/hello-metrics", "ops": ops}]
    target = {"target": "olm", "release": "v1.0.0", "components": {"hello": {"patches": patches}}}
    answers(root, "targets/olm.yaml", target)


@SLOW
@given(kind=KINDS, body=MAPS, meta=MAPS)
def test_any_object(tmp_path: Path, kind: str, body: JsonObject, meta: JsonObject) -> None:
    root = kits.make_kit(tmp_path)
    for name in ("odh", "rhoai"):
        (root / "targets" / f"{name}.yaml").unlink(missing_ok=True)
    version, _, name = kind.partition(" ")
    whole = {**body, "apiVersion": version, "kind": name, "metadata": {**meta, "name": "any"}}
    labels = [{"pairs": {"a": "b"}, "selectors": True}]
    spec = {"component": "hello", "version": "v1.0.0", "labels": labels, "objects": [whole]}
    answers(root, "components/hello/v1.0.0/component.yaml", spec)


@SLOW
@given(config=MAPS, grace=VALUES, log=VALUES)
def test_any_configuration(tmp_path: Path, config: JsonObject, grace: Json, log: Json) -> None:
    root = kits.make_kit(tmp_path)
    values = {**config, "grace": grace, "log": log, "names": log}
    target = {"target": "olm", "release": "v1.0.0", "components": {"hello": {"config": values}}}
    answers(root, "targets/olm.yaml", target)


@SLOW
@given(spec=st.dictionaries(st.sampled_from(["target", "release", "components", "namespace"]), VALUES))
def test_any_target(tmp_path: Path, spec: JsonObject) -> None:
    answers(kits.make_kit(tmp_path), "targets/olm.yaml", spec)


@SLOW
@given(fields=st.dictionaries(st.sampled_from(["greeting", "grace"]), VALUES), values=MAPS)
def test_any_type_of_configuration(tmp_path: Path, fields: JsonObject, values: JsonObject) -> None:
    root = kits.make_kit(tmp_path)
    target = {"target": "olm", "release": "v1.0.0", "components": {"hello": {"config": values}}}
    (root / "targets/olm.yaml").write_text(json.dumps(target))
    kind = {"configMap": "config", "key": "config.yaml", "fields": fields}
    answers(root, "components/hello/v1.0.0/config.yaml", kind)
