"""What a real API server says of an object, where it is not what one would guess."""

from __future__ import annotations

import copy

from hypothesis import given
from hypothesis import strategies as st
from small_crd import STRING, crd, crd_of, obj, version, widget
from some import rows

from kitgen.crd.definition import group_by_kind
from kitgen.crd.validate.objects import check_object
from kitgen.findings import Origin, Severity, format_pointer

INT = {"type": "integer"}
POD = {
    **obj({"kind": STRING, "apiVersion": STRING, "metadata": {"type": "object"}}),
    "x-kubernetes-embedded-resource": True,
    "x-kubernetes-preserve-unknown-fields": True,
}


def findings(body, made):
    return check_object(body, Origin("f.yaml"), group_by_kind([made])).findings


def told(body, made):
    return [f"{each.rule} {format_pointer(each.origin.path)}" for each in findings(body, made)]


def embedded(value, schema=POD):
    return told(widget({"pod": value}), crd_of(obj({"pod": schema})))


EMBEDDED = [
    ({"apiVersion": "v1", "kind": "Pod"}, []),
    ({"apiVersion": "apps/v1", "kind": "RayCluster", "metadata": None, "any": 1}, []),
    ({"apiVersion": "apps/", "kind": "a-b"}, []),
    ({"apiVersion": "a/b/c", "kind": "Pod"}, ["field-value /spec/pod/apiVersion"]),
    ({"apiVersion": "v1", "kind": "*"}, ["name-invalid /spec/pod/kind"]),
    ({"apiVersion": "v1", "kind": "1a"}, ["name-invalid /spec/pod/kind"]),
    ({"apiVersion": "v1", "kind": "a-"}, ["name-invalid /spec/pod/kind"]),
    ({"apiVersion": "v1", "kind": "a" * 64}, ["name-invalid /spec/pod/kind"]),
    ({"apiVersion": "v1", "kind": ""}, ["field-missing /spec/pod"]),
    ({"apiVersion": None, "kind": "Pod"}, ["field-missing /spec/pod"]),
    ({"apiVersion": 1, "kind": "Pod"}, ["field-type /spec/pod/apiVersion"]),
    ({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "Any Name", "generateName": "_"}}, []),
    (
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a/b"}},
        ["name-invalid /spec/pod/metadata/name"],
    ),
    (
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "a.b"}},
        ["name-invalid /spec/pod/metadata/namespace"],
    ),
    (
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"generation": -1}},
        ["field-value /spec/pod/metadata/generation"],
    ),
]


@rows(("value", "want"), EMBEDDED)
def test_an_object_within_an_object(value, want):
    assert embedded(value) == want


def test_defaults_count_before_an_embedded_object_is_looked_at():
    schema = {**POD, "properties": {"apiVersion": {**STRING, "default": "v1"}, "kind": STRING}}
    assert embedded({"kind": "Pod"}, schema) == []


OWNER = {"apiVersion": "apps/v1", "kind": "A", "name": "b", "uid": "c"}
METADATA = [
    ({"labels": {"a.io/B": "c"}}, []),
    ({"labels": {"A.io/b": "c"}}, ["label-invalid /metadata/labels/A.io~1b"]),
    ({"labels": {"a/b/c": "c"}}, ["label-invalid /metadata/labels/a~1b~1c"]),
    ({"labels": {"/b": "c"}}, ["label-invalid /metadata/labels/~1b"]),
    ({"labels": {"a": None}}, []),
    ({"labels": None, "annotations": None, "finalizers": None, "ownerReferences": None}, []),
    ({"annotations": {"A.io/b": "c"}}, []),
    ({"annotations": {"a": None}}, []),
    ({"annotations": {"a": "x" * (256 * 1024 - 1)}}, []),
    ({"annotations": {"a": "x" * 256 * 1024}}, ["field-value /metadata/annotations"]),
    ({"annotations": {"a": "é" * 128 * 1024}}, ["field-value /metadata/annotations"]),
    ({"finalizers": ["A.io/b"]}, ["name-invalid /metadata/finalizers/0"]),
    ({"finalizers": ["orphan"]}, []),
    ({"finalizers": ["orphan", "foregroundDeletion"]}, ["field-value /metadata/finalizers"]),
    ({"finalizers": [None]}, ["field-type /metadata/finalizers/0"]),
    ({"ownerReferences": [OWNER]}, []),
    ({"ownerReferences": [{**OWNER, "controller": None}]}, []),
    ({"ownerReferences": [{**OWNER, "uid": ""}]}, ["field-missing /metadata/ownerReferences/0"]),
    ({"ownerReferences": [None]}, ["field-missing /metadata/ownerReferences/0"] * 4),
    (
        {"ownerReferences": [{**OWNER, "apiVersion": "apps/"}]},
        ["field-value /metadata/ownerReferences/0/apiVersion"],
    ),
    (
        {"ownerReferences": [{**OWNER, "apiVersion": "v1", "kind": "Event"}]},
        ["field-value /metadata/ownerReferences/0"],
    ),
    ({"ownerReferences": [{**OWNER, "controller": True}, OWNER]}, []),
    (
        {"ownerReferences": [{**OWNER, "controller": True}] * 2},
        ["field-value /metadata/ownerReferences/1"],
    ),
    ({"creationTimestamp": "2024-01-31T12:00:00Z"}, []),
    ({"creationTimestamp": "yesterday"}, ["field-value /metadata/creationTimestamp"]),
    ({"deletionTimestamp": 1}, ["field-type /metadata/deletionTimestamp"]),
    ({"generation": 1.0}, []),
    ({"generation": -1}, []),
    ({"generation": 1.5}, ["field-type /metadata/generation"]),
    ({"managedFields": [{"manager": "a", "time": None, "fieldsV1": {}}, None]}, []),
    ({"managedFields": [{"manger": "a"}]}, ["field-unknown /metadata/managedFields/0/manger"]),
    ({"managedFields": [1]}, ["field-type /metadata/managedFields/0"]),
    ({"Name": "a"}, ["field-unknown /metadata/Name"]),
    ({"name": "a" * 253}, []),
    ({"name": "a.-b"}, ["name-invalid /metadata/name"]),
    ({"name": None, "generateName": "a-"}, []),
    ({"name": "", "generateName": "a" * 70}, []),
    ({"name": "", "generateName": "a."}, ["name-invalid /metadata/generateName"]),
    ({"name": "", "generateName": "a.-"}, ["name-invalid /metadata/generateName"]),
    ({"name": "b", "generateName": "a.-"}, []),
    ({"name": "b", "generateName": "A"}, ["name-invalid /metadata/generateName"]),
    ({"name": "", "generateName": "a" * 254}, ["name-invalid /metadata/generateName"]),
    ({"name": None}, ["name-invalid /metadata"]),
]


@rows(("meta", "want"), METADATA)
def test_metadata(meta, want):
    assert told(widget(metadata={"name": "one", **meta}), crd(version())) == want


def test_metadata_that_is_null_has_no_name():
    assert told(widget(metadata=None), crd(version())) == ["name-invalid /metadata"]


def test_a_namespace_of_a_cluster_scoped_object_is_only_a_warning():
    body = widget(metadata={"name": "one", "namespace": "two"})
    (found,) = findings(body, crd(version(), scope="Cluster"))
    assert (found.rule.id, found.severity, found.hint) == ("namespace-dropped", Severity.WARNING, "remove it")
    assert "the API server drops" in found.message


def hint(schema, value):
    (found,) = findings(widget({"f": value}), crd_of(obj({"f": schema})))
    assert (found.severity is Severity.ERROR) == (found.rule.id != "number-overflow")
    return found.hint


@rows(
    ("schema", "value"),
    [
        ({**INT, "format": "int32"}, 2**31),
        ({**INT, "format": "uint32"}, -1),
        ({**STRING, "format": "date-time"}, []),
        (
            {
                "type": "array",
                "items": obj({"a": STRING}),
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["a"],
            },
            [{}],
        ),
    ],
)
def test_who_is_stricter_than_the_server_says_why(schema, value):
    assert "the API server takes" in hint(schema, value)


@rows(
    ("schema", "value"),
    [
        ({"type": "number", "format": "int32"}, 2**31),
        ({**INT, "format": "date"}, 3),
        ({**STRING, "format": "int32"}, "x"),
        ({**obj(), "format": "date"}, {}),
    ],
)
def test_a_format_of_another_type_says_nothing(schema, value):
    assert told(widget({"f": value}), crd_of(obj({"f": schema}))) == []


@rows(
    ("schema", "value", "words"),
    [
        (obj({"a": STRING}, required=["a"]), {"a": None}, "drops null before it looks for the field"),
        ({"type": "array", "items": STRING}, [None], "drops a null of a field, not of a list"),
        ({**STRING, "nullable": True, "enum": ["a"]}, None, "takes null for none of the choices"),
    ],
)
def test_a_null_that_is_refused_is_explained(schema, value, words):
    assert words in hint(schema, value)


def test_a_list_that_is_no_string_is_explained_only_where_the_server_lets_it_pass():
    assert hint(STRING, []) == ""
    assert hint({**STRING, "format": "unheard-of"}, []) == ""


def with_status(status, **more):
    made = crd(version(**more))
    root = made["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    root["properties"]["status"] = status
    root["required"] = ["status"]
    return made


def test_a_status_is_dropped_with_its_default():
    made = with_status(obj(default={}))
    assert told(widget(), made) == []
    made = with_status(obj(default={}), subresources={"status": {}})
    assert told(widget(), made) == ["field-missing "]


def scaled(spec, **more):
    paths = {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"}
    size = obj({"size": {"x-kubernetes-preserve-unknown-fields": True}, "text": INT})
    made = crd(version(spec=size, subresources={"scale": {**paths, "labelSelectorPath": ".spec.text"}}))
    made["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"] = size
    return told(widget(spec, **more), made)


@rows(
    ("spec", "want"),
    [
        ({}, []),
        ({"size": 2**31 - 1}, []),
        ({"size": 2**31}, ["field-value /spec/size"]),
        ({"size": -1}, ["field-value /spec/size"]),
        ({"size": "1"}, ["field-type /spec/size"]),
        ({"size": None}, []),
        ({"text": 1}, ["field-type /spec/text"]),
    ],
)
def test_the_number_that_is_scaled_has_bounds(spec, want):
    assert scaled(spec) == want


def test_the_number_that_a_status_tells_has_bounds_too():
    assert scaled({}, status={"size": -1}) == ["field-value /status/size"]


PLAIN = obj(
    {
        "a": STRING,
        "b": obj(
            {"c": INT, "d": {"type": "array", "items": obj({"e": STRING}, required=["e"])}}, required=["c"]
        ),
        "m": obj(additionalProperties=INT, maxProperties=2),
    },
    minProperties=1,
)
LEAF = st.none() | st.integers(0, 3) | st.sampled_from(["x", ""])
VALUE = st.fixed_dictionaries(
    {},
    optional={
        "a": LEAF,
        "b": st.none()
        | st.fixed_dictionaries(
            {},
            optional={
                "c": LEAF,
                "d": st.none() | st.lists(st.fixed_dictionaries({}, optional={"e": LEAF}), max_size=2),
            },
        ),
        "m": st.none() | st.dictionaries(st.sampled_from("xyz"), LEAF),
    },
)


def without_nulls(value):
    if isinstance(value, dict):
        return {key: without_nulls(item) for key, item in value.items() if item is not None}
    return [without_nulls(item) for item in value] if isinstance(value, list) else value


@given(VALUE)
def test_nulls_of_plain_fields_never_change_the_verdict(value):
    made, before = crd_of(PLAIN), copy.deepcopy(value)
    rules = sorted(found.split()[0] for found in told(widget(value), made))
    assert rules == sorted(found.split()[0] for found in told(widget(without_nulls(value)), made))
    assert value == before
