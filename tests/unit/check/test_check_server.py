"""What an API server asks, in tables: amounts, numbers, times, sizes, names, and values of any shape."""

from __future__ import annotations

import pytest
from checking import checked
from some import first

from kitgen.check.context import CheckContext
from kitgen.check.engine import run_checks
from kitgen.check.server.metadata import is_quantity
from kitgen.check.server.walk import check_object
from kitgen.findings import Cause, Origin
from kitgen.findings.origin import CauseKind
from kitgen.kube.definitions import list_kinds, list_minors, list_supported_minors
from kitgen.kube.identity import is_namespaced
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.text.yaml import Json, JsonObject

AMOUNTS = [
    "0",
    "1",
    "+1",
    "-1",
    "1.",
    ".5",
    "1.5Gi",
    "100m",
    "1e3",
    "1E",
    "1E+3",
    "2Ki",
    "k",
    " 1 ",
    "+",
    "1n",
]
NONE = ["", "x", "1 Gi", "1i", "1K", "1ki", "1e", "1..2", "+-1", "0x1", "1e3.4", "Gib", "1\n2", "é"]
SHAPES: list[Json] = [
    None,
    "",
    "x",
    0,
    -1,
    1.5,
    True,
    [],
    [None],
    ["x"],
    [[]],
    {},
    {"": None},
    {"x": [{}]},
    2**70,
]


def servers(body: JsonObject) -> list[str]:
    return [each for each in told(body) if not each.startswith("size-")]


def told(body: JsonObject, minor: int = list_supported_minors()[-1]) -> list[str]:
    origin = FieldSource(path=(), cause=Cause(CauseKind.MANIFEST), origin=Origin("x"), verbatim=True)
    manifest = Manifest(body=body, sources=(origin,))
    return [each.rule.id for each in run_checks(CheckContext(targets={"": [manifest]}, minors=(minor,)))]


def config_map(**fields: Json) -> JsonObject:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, **fields}


@pytest.mark.parametrize("text", AMOUNTS)
def test_amounts(text: str) -> None:
    assert is_quantity(text)


@pytest.mark.parametrize("text", NONE)
def test_no_amounts(text: str) -> None:
    assert not is_quantity(text)


def test_amounts_are_read_in_a_status_and_nothing_else_is() -> None:
    claim = """
        apiVersion: v1
        kind: PersistentVolumeClaim
        metadata: {name: a}
        spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
        status: {accessModes: [Odd], conditions: [{type: Odd}], capacity: {storage: 1Gi}}
        """
    assert checked(claim) == []
    (finding,) = checked(claim.replace("1Gi", "1GB"))
    assert finding.message == 'found "1GB", expected an amount such as 500m, 2 or 1.5Gi'


@pytest.mark.parametrize(("size", "rules"), [(1024 * 1024, []), (1024 * 1024 + 1, ["server-limit"])])
def test_a_config_map_holds_a_mebibyte(size: int, rules: list[str]) -> None:
    assert servers(config_map(data={"a": "é" * (size // 2), "b": "x" * (size % 2)})) == rules
    encoded = "eHh4" * (size // 3) + {0: "", 1: "eA==", 2: "eHg="}[size % 3]
    assert servers(config_map(binaryData={"a": encoded})) == rules


def test_annotations_and_owners_of_all_kinds_have_bounds() -> None:
    meta: JsonObject = {"name": "a", "annotations": {"a": "x" * 256 * 1024}}
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "a", "uid": "1", "controller": True}
    assert servers(config_map(metadata=meta)) == ["field-value"]
    assert told(config_map(metadata={"name": "a", "ownerReferences": [owner]})) == []
    assert told(config_map(metadata={"name": "a", "ownerReferences": [owner, owner]})) == ["field-value"]
    wrong = {**owner, "apiVersion": "a/b/c", "uid": ""}
    assert told(config_map(metadata={"name": "a", "ownerReferences": [wrong]})) == [
        "field-missing",
        "field-value",
    ]


def test_a_secret_is_not_shown() -> None:
    secret = """
        apiVersion: v1
        kind: Secret
        metadata: {name: a}
        type: kubernetes.io/dockerconfigjson
        stringData: {.dockerconfigjson: hunter2, "a/b": hunter3}
        """
    found = checked(secret)
    assert len(found) == 2
    assert "hunter" not in str(found)


def test_a_namespace_of_what_has_none_is_dropped() -> None:
    node = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass"}
    assert told({**node, "metadata": {"name": "a", "namespace": "B_"}}) == ["namespace-dropped"]
    assert not is_namespaced("admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding")


def test_values_of_any_shape_are_looked_at() -> None:
    """Every field of every kind, and every field in a spec, with values that it should not have."""
    from kitgen.check.server.objects import RULES
    from kitgen.check.server.rule_tables import compile_rules
    from kitgen.crd.types import short_name
    from kitgen.kube.definitions import definition_texts, get_definition

    newest, validators = list_minors()[-1], compile_rules(RULES)
    for name in definition_texts(newest):
        validator = validators.get(short_name(name))
        if validator is None:
            continue
        fields = list(get_definition(name, newest).get("properties", {}))
        for shape in SHAPES:
            list(validator(dict.fromkeys(fields, shape)))
            for field in fields:
                list(validator({field: shape}))
                list(check_object({field: [shape, {field: shape}]}, name, newest, validators))


@pytest.mark.parametrize("shape", first(SHAPES, 4), ids=repr)
def test_objects_of_any_shape_are_looked_at(shape: Json) -> None:
    for kind in list_kinds(list_minors()[-1]):
        body = {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": shape, "spec": shape}
        told({**body, "rules": shape, "webhooks": shape, "data": shape, "subjects": shape}, list_minors()[-1])
