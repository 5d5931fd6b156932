"""Kinds that Kubernetes does not define: from CRDs."""

from __future__ import annotations

import pytest
from checking import CRD, QUEUE, RANGE, bodies, checked, told

from kitgen.check import views
from kitgen.check.context import CheckContext
from kitgen.check.engine import run_checks
from kitgen.crd.definition import group_by_kind
from kitgen.crd.validate.objects import check_object
from kitgen.findings import Origin, Severity, deduplicate_findings
from kitgen.kit.foreign_objects import parse_foreign_objects
from kitgen.text.yaml import JsonObject


def test_metadata_is_checked_whatever_the_kind() -> None:
    assert told(checked(QUEUE.replace("namespace: apps", "labls: {}"))) == [
        "field-unknown Queue/main /metadata/labls: "
        "found the unknown field \"labls\" (did you mean 'labels'?)",
        "kind-unknown Queue/main /kind: there is no schema for example.com/v1 Queue, "
        "so its fields are not checked (declare its CRD in the kit)",
    ]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("size: 3", "siz: 3", 'found no field "size"'),
        ("size: 3", "size: 0", "found 0, expected more than 0"),
        ("port: http", "port: true", "found true, expected a string or a whole number"),
        ("port: http", "note: '9'", 'found "9", expected text that matches'),
        ("port: http", "port: 80, note: null", 'expected only one of "port" or "note"'),
        ("{x: z}", "{x: y}", "found true, expected a string"),
        ("kind: Pod", "kind: Pod, sepc: {}", "did you mean 'spec'?"),
        ("size: 3", "size: 3, mode: fast", "did you mean 'Fast'?"),
    ],
)
def test_a_custom_resource_is_held_to_its_crd(old: str, new: str, words: str) -> None:
    found = checked(QUEUE.replace(old, new), crds=tuple(bodies(CRD)))
    assert words in " ".join(told(found))


def test_the_crd_of_the_target_wins_over_the_one_of_the_kit() -> None:
    other = tuple(bodies(CRD.replace("size:", "length:").replace("[size]", "[length]")))
    assert checked(CRD + "---" + QUEUE, crds=other) == []
    assert checked(QUEUE, crds=other) != []


def test_a_version_that_is_not_served_is_named() -> None:
    (finding,) = checked(QUEUE.replace("/v1", "/v1beta1"), crds=tuple(bodies(CRD)))
    assert finding.message == 'found the version "v1beta1", expected one that its CRD serves: v1'


def test_a_version_that_only_another_release_serves_is_not_served() -> None:
    other = tuple(bodies(CRD.replace("served: false", "served: true")))
    old = QUEUE.replace("/v1", "/v1beta1")
    assert [each.rule.id for each in checked(CRD + "---" + old, crds=other)] == ["crd-version"]


@pytest.mark.parametrize(
    "broken",
    [
        CRD.replace("required: [size]", "required: size"),
        CRD.replace("required: [size]", "required: [[size]]"),
        CRD.replace("nullable: true, pattern", "properties: [1], pattern"),
        CRD.replace("oneOf:", "items: []\n            oneOf:"),
        CRD.replace("name: v1\n", "name: [v1]\n"),
        CRD.replace("apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1"),
    ],
)
def test_a_broken_crd_leaves_its_kind_unchecked(broken: str) -> None:
    assert broken != CRD
    found = [each for each in checked(broken + "---" + QUEUE) if each.subject.startswith("Queue/")]
    assert [(each.rule.id, each.message) for each in found] == [
        ("kind-unknown", "the CRD of example.com/v1 Queue is broken, so its fields are not checked")
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("spec:\n  group", "spec: []\nmore:\n  group"),
        ("group: example.com", "groups: example.com"),
        ("names: {kind: Queue, plural: queues}", "names: 3"),
        ("versions:", "versiones:"),
    ],
)
def test_no_crd_ends_in_a_traceback(old: str, new: str) -> None:
    assert old in CRD
    assert checked(CRD.replace(old, new) + "---" + QUEUE) is not None


def test_a_kind_that_looks_misspelt_is_an_error() -> None:
    assert told(checked(QUEUE.replace("kind: Queue", "kind: Qeue"), crds=tuple(bodies(CRD)))) == [
        'kind-misspelt Qeue/main /kind: found the kind "Qeue", which example.com does not declare '
        "(did you mean 'Queue'?)"
    ]


TYPED = CRD.replace(
    "mode: {type: string",
    "ports: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [nr, over], items: "
    "{type: object, required: [nr], properties: {nr: {type: integer}, over: {type: string, default: TCP}}}}\n"
    "              mode: {type: string",
)
WRONG = [
    ("size: 3", "siz: 3", ["field-missing /spec", "field-unknown /spec/siz"]),
    ("size: 3", "size: 0", ["field-value /spec/size"]),
    ("size: 3", "size: null", ["field-missing /spec/size"]),
    ("size: 3", "size: 3, ports: [null]", ["field-type /spec/ports/0"]),
    ("kind: Pod", "kind: a b", ["name-invalid /spec/pod/kind"]),
    ("namespace: apps", "labels: {X.io/a: c}", ["label-invalid /metadata/labels/X.io~1a"]),
    ("size: 3", "size: 3, note: x", ["field-value /spec"]),
    ("port: http, ", "", ["field-missing /spec"]),
    ("size: 3", "size: 3, ports: [{nr: 1}, {nr: 1, over: TCP}]", ["field-value /spec/ports/1"]),
    ("size: 3", "size: 3, ports: [{over: UDP}]", ["field-missing /spec/ports/0"]),
    ("apiVersion: v1, kind: Pod", "kind: Pod", ["field-missing /spec/pod"]),
    ("kind: Pod", "kind: Pod, metadata: {labels: {a: -b}}", ["label-invalid /spec/pod/metadata/labels/a"]),
    ("name: main", "name: Main", ["name-invalid /metadata/name"]),
    ("name: main, ", "", ["name-invalid /metadata"]),
    ("name: main", "generateName: _", ["name-invalid /metadata/generateName"]),
    ("namespace: apps", "namespace: a.b", ["name-invalid /metadata/namespace"]),
    ("namespace: apps", "labels: {a b: c}", ["label-invalid /metadata/labels/a b"]),
    ("namespace: apps", "labels: {a: 1}", ["field-type /metadata/labels/a"]),
    ("namespace: apps", "labls: {}", ["field-unknown /metadata/labls"]),
    ("example.com/v1", "example.com/v2", ["crd-version /apiVersion"]),
    ("kind: Queue", "kind: Queues", ["kind-misspelt /kind"]),
    ("example.com/v1", "exmple.com/v1", ["kind-misspelt /apiVersion"]),
]


@pytest.mark.parametrize(("old", "new", "want"), WRONG)
def test_check_and_crd_validate_say_the_same(old: str, new: str, want: list[str]) -> None:
    text = QUEUE.replace(old, new, 1)
    assert text != QUEUE
    crds = tuple(bodies(TYPED))
    objects = [each.manifest for each in parse_foreign_objects({"x.yaml": text}).objects]
    found = run_checks(CheckContext(targets={"": objects}, minors=RANGE, crds=crds))
    assert [f"{each.rule} {each.origin.place}" for each in found] == want
    (body,) = bodies(text)
    others = deduplicate_findings(list(check_object(body, Origin("x.yaml"), group_by_kind(crds)).findings))
    assert [(each.rule.id, each.origin, each.message, each.hint, each.severity) for each in others] == [
        (each.rule.id, each.origin, each.message, each.hint, each.severity) for each in found
    ]


def test_a_cluster_scoped_kind_has_no_namespace() -> None:
    (finding,) = checked(QUEUE, crds=tuple(bodies(CRD.replace("scope: Namespaced", "scope: Cluster"))))
    assert (finding.rule.id, finding.hint) == ("namespace-dropped", "remove it")
    assert finding.severity is Severity.WARNING


def test_a_default_stands_in_for_what_is_required() -> None:
    crds = tuple(bodies(CRD.replace("{type: integer, minimum: 0", "{type: integer, default: 1, minimum: 0")))
    assert checked(QUEUE.replace("size: 3, ", ""), crds=crds) == []


def test_the_shape_of_a_crd_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[JsonObject] = []
    monkeypatch.setattr(views, "check_crd_shape", lambda body, _: looked.append(body) or ())
    crds = CRD + "---" + CRD.replace("Queue", "Line").replace("queues", "lines")
    assert checked(crds + "---" + QUEUE + "---" + QUEUE.replace("main", "other")) == []
    assert [body["spec"]["names"]["kind"] for body in looked] == ["Queue", "Line"]
