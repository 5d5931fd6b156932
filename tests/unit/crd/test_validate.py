from __future__ import annotations

import copy

from hypothesis import given
from hypothesis import strategies as st
from small_crd import STRING, crd, crd_of, obj, version, widget
from some import rows

from kitgen.app.crd_validate import validate_objects
from kitgen.crd.definition import group_by_kind
from kitgen.findings import Origin, Severity, format_pointer
from kitgen.kit.foreign_objects import Foreign, objects_in

INT = {"type": "integer"}
KEEPS = {"x-kubernetes-preserve-unknown-fields": True}
EMBEDDED = {"x-kubernetes-embedded-resource": True}
INT_OR_STRING = {"x-kubernetes-int-or-string": True}
SET = {"type": "array", "items": STRING, "x-kubernetes-list-type": "set"}
MAP = {
    "type": "array",
    "items": obj({"port": INT, "protocol": {**STRING, "default": "TCP"}}, required=["port"]),
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["port", "protocol"],
}


def check(body, *crds):
    return validate_objects(group_by_kind(crds), Foreign(objects=tuple(objects_in(body, Origin("f.yaml")))))


def faults(schema, value):
    """Return rule and pointer of everything that is wrong with a spec."""
    done = check(widget(value), crd_of(schema))
    assert done.objects == 1
    return [(finding.rule.id, format_pointer(finding.origin.path)) for finding in done.findings]


def field(schema, value):
    return faults(obj({"f": schema}), {"f": value})


F = "/spec/f"
GOOD = [
    (STRING, "a"),
    (INT, 1),
    (INT, 1.0),
    ({"type": "number"}, 1),
    ({"type": "boolean"}, True),
    ({**STRING, "nullable": True}, None),
    (STRING, None),
    (INT_OR_STRING, None),
    ({**STRING, "default": "a"}, None),
    ({**STRING, "default": None}, None),
    ({**STRING, "nullable": True, "default": "a"}, None),
    (obj(additionalProperties=INT, maxProperties=0), {"a": None}),
    (obj(additionalProperties={**INT, "default": 1}, minProperties=1), {"a": None}),
    ({"type": "array", "items": {**STRING, "default": "a"}}, [None]),
    ({"type": "array", "items": {**STRING, "nullable": True}}, [None]),
    ({"type": "array", "items": KEEPS}, [None]),
    (KEEPS, {"a": None}),
    (obj({"a": STRING}, required=["a"], anyOf=[{"required": ["a"]}]), {"a": "x"}),
    (INT_OR_STRING, 1.0),
    (INT, 1e3),
    (INT, -(2**63)),
    ({"type": "number"}, 2**64),
    ({**STRING, "enum": []}, "a"),
    (INT_OR_STRING, 1),
    (INT_OR_STRING, "10%"),
    ({**INT_OR_STRING, "anyOf": [INT, STRING], "pattern": "^[0-9]+m$"}, 5),
    (KEEPS, {"any": [1, {"thing": None}]}),
    ({**obj({"a": STRING}), **KEEPS}, {"a": "x", "b": 1}),
    (obj(additionalProperties=INT), {"any.key": 1}),
    (obj(additionalProperties=True), {"any": 1}),
    ({"type": "array", "items": obj({"a": INT}), **KEEPS}, [{"a": 1, "b": {"c": 2}}]),
    ({**obj(), **EMBEDDED, **KEEPS}, {"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": {"a": "b"}}}),
    (SET, ["a", "b"]),
    (MAP, [{"port": 1}, {"port": 1, "protocol": "UDP"}]),
    ({**STRING, "pattern": "^(?i)true$"}, "TRUE"),
    ({**STRING, "pattern": "b"}, "abc"),
    ({**STRING, "maxLength": 2}, "é€"),
    ({**INT, "minimum": 1, "maximum": 1}, 1),
    ({"type": "number", "minimum": 0.5}, 0),
    ({"type": "number", "minimum": 0.5}, 0.5),
    ({"type": "number", "multipleOf": 0.1}, 0.3),
    ({**INT, "format": "int32"}, 2**31 - 1),
    ({**STRING, "format": "unheard-of"}, "x"),
    (obj({"a": {**INT, "default": 3}}, required=["a"]), {}),
    (obj({"a": obj({"b": {**INT, "default": 3}}, required=["b"], default={})}, required=["a"]), {}),
    (obj({"a": STRING, "b": STRING}, oneOf=[{"required": ["a"]}, {"required": ["b"]}]), {"a": ""}),
    (
        obj({"a": INT}, anyOf=[{"properties": {"a": {"minimum": 5}}}, {"properties": {"a": {"maximum": 1}}}]),
        {"a": 0},
    ),
    (obj({"a": INT}, **{"not": {"required": ["a"]}}), {}),
    ({**STRING, "allOf": [{"minLength": 1}, {"pattern": "^a"}]}, "ab"),
]
BAD = [
    (STRING, 1, [("field-type", F)]),
    (STRING, True, [("field-type", F)]),
    (INT, True, [("field-type", F)]),
    (INT, 1.5, [("field-type", F)]),
    ({"type": "number"}, "1", [("field-type", F)]),
    (obj(), [], [("field-type", F)]),
    ({"type": "array", "items": STRING}, "a", [("field-type", F)]),
    ({"type": "array", "items": STRING}, [None], [("field-type", f"{F}/0")]),
    ({"type": "array", "items": INT_OR_STRING}, [None], [("field-type", f"{F}/0")]),
    (obj({"a": STRING}, required=["a"]), {"a": None}, [("field-missing", f"{F}/a")]),
    (obj({"a": STRING}, anyOf=[{"required": ["a"]}]), {"a": None}, [("field-missing", F)]),
    (obj(additionalProperties=INT, minProperties=1), {"a": None}, [("field-value", F)]),
    (obj({"a": STRING}), {"b": None}, [("field-unknown", f"{F}/b")]),
    ({**STRING, "nullable": True, "enum": ["a"]}, None, [("field-value", F)]),
    ({**STRING, "nullable": True, "enum": ["a", None]}, None, [("field-value", F)]),
    ({**INT, "default": 3, "maximum": 2}, None, [("field-value", F)]),
    (INT_OR_STRING, 0.5, [("field-type", F)]),
    (INT_OR_STRING, 2**63, [("field-type", F)]),
    (INT, 2**63, [("field-type", F)]),
    (INT, -(2**63) - 1, [("field-type", F)]),
    (INT, 1e16, [("field-type", F)]),
    (INT, 10**400, [("field-type", F)]),
    ({"type": "number", "multipleOf": 2}, 10**400, [("field-value", F)]),
    (
        {"type": "array", "items": obj({"a": obj()}), **KEEPS},
        [{"a": {"b": 2}}],
        [("field-unknown", f"{F}/0/a/b")],
    ),
    (obj(additionalProperties=True), {"any": {"thing": 1}}, [("field-unknown", f"{F}/any/thing")]),
    (obj(additionalProperties=True, **KEEPS), {"any": {"thing": 1}}, [("field-unknown", f"{F}/any/thing")]),
    (obj(additionalProperties=True), {"any": [{"thing": 1}]}, [("field-unknown", f"{F}/any/0/thing")]),
    (obj({"a": STRING}), {"b": 1}, [("field-unknown", f"{F}/b")]),
    (obj(), {"b": 1}, [("field-unknown", f"{F}/b")]),
    ({**obj({"a": obj({"b": STRING})}), **KEEPS}, {"a": {"c": 1}}, [("field-unknown", f"{F}/a/c")]),
    (obj(additionalProperties=INT), {"a": "x"}, [("field-type", f"{F}/a")]),
    ({**obj(), **EMBEDDED, **KEEPS}, {"kind": "Pod"}, [("field-missing", F)]),
    (
        {**obj(), **EMBEDDED, **KEEPS},
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": {"a": 1}, "nam": "x"}},
        [("field-type", f"{F}/metadata/labels/a"), ("field-unknown", f"{F}/metadata/nam")],
    ),
    (
        {**obj(), **EMBEDDED},
        {"apiVersion": "v1", "kind": "Pod", "spec": {}},
        [("field-unknown", f"{F}/spec")],
    ),
    (SET, ["a", "b", "a"], [("field-value", f"{F}/2")]),
    (MAP, [{"port": 1}, {"port": 1, "protocol": "TCP"}], [("field-value", f"{F}/1")]),
    (MAP, [{"protocol": "UDP"}], [("field-missing", f"{F}/0")]),
    (
        {**MAP, "items": obj({"port": INT, "protocol": STRING})},
        [{"port": 1}],
        [("field-missing", f"{F}/0")],
    ),
    ({**STRING, "pattern": "^(?i)true$"}, "FALSE", [("field-value", F)]),
    ({**STRING, "pattern": "^a$"}, "a\n", [("field-value", F)]),
    ({**STRING, "pattern": "(?=a)"}, "a", [("pattern-unchecked", F)]),
    ({**STRING, "enum": ["Always"]}, "always", [("field-value", F)]),
    ({**INT, "enum": [1]}, 2, [("field-value", F)]),
    ({**STRING, "minLength": 1}, "", [("field-value", F)]),
    ({**STRING, "maxLength": 1}, "ab", [("field-value", F)]),
    ({**INT, "minimum": 1}, 0, [("field-value", F)]),
    ({**INT, "maximum": 1, "exclusiveMaximum": True}, 1, [("field-value", F)]),
    ({**INT, "minimum": 1, "exclusiveMinimum": True}, 1, [("field-value", F)]),
    ({"type": "number", "minimum": 0.5}, 0.0, [("field-value", F)]),
    ({"type": "number", "minimum": 1.5}, 0, [("field-value", F)]),
    ({"type": "number", "multipleOf": 0.1}, 0.25, [("field-value", F)]),
    ({**SET, "minItems": 1}, [], [("field-value", F)]),
    ({**SET, "maxItems": 1}, ["a", "b"], [("field-value", F)]),
    ({"type": "array", "items": STRING, "uniqueItems": True}, ["a", "a"], [("field-value", F)]),
    (obj(additionalProperties=INT, minProperties=1), {}, [("field-value", F)]),
    (obj(additionalProperties=INT, maxProperties=1), {"a": 1, "b": 2}, [("field-value", F)]),
    ({**STRING, "format": "date-time"}, "yesterday", [("field-value", F)]),
    ({**INT, "format": "int32"}, 2**31, [("number-overflow", F)]),
    (obj({"a": STRING}, required=["a"]), {}, [("field-missing", F)]),
    (obj({"a": {**INT, "default": 3, "maximum": 2}}), {}, [("field-value", f"{F}/a")]),
    (
        obj({"a": STRING, "b": STRING}, oneOf=[{"required": ["a"]}, {"required": ["b"]}]),
        {},
        [("field-missing", F)],
    ),
    (
        obj({"a": STRING, "b": STRING}, anyOf=[{"required": ["a", "b"]}, {"maxProperties": 0}]),
        {"a": ""},
        [("field-value", F)],
    ),
    (
        obj({"a": STRING, "b": STRING}, oneOf=[{"required": ["a"]}, {"required": ["b"]}]),
        {"a": "", "b": ""},
        [("field-value", F)],
    ),
    (obj({"a": INT}, anyOf=[{"properties": {"a": {"minimum": 5}}}]), {"a": 0}, [("field-value", F)]),
    (obj({"a": INT}, **{"not": {"required": ["a"]}}), {"a": 0}, [("field-value", F)]),
    ({**STRING, "allOf": [{"minLength": 3}]}, "ab", [("field-value", F)]),
    ({"type": "array", "items": INT, "allOf": [{"items": {"maximum": 1}}]}, [2], [("field-value", f"{F}/0")]),
]


@rows(("schema", "value"), GOOD)
def test_what_the_api_server_takes_passes(schema, value):
    assert field(schema, value) == []


@rows(("schema", "value", "want"), BAD)
def test_what_the_api_server_refuses_is_found(schema, value, want):
    assert sorted(field(schema, value)) == sorted(want)


def test_a_misspelt_field_far_down_is_named_with_the_right_one():
    containers = {"type": "array", "items": obj({"imagePullPolicy": STRING})}
    schema = obj({"template": obj({"spec": obj({"containers": containers})})})
    done = check(widget({"template": {"spec": {"containers": [{"imagePullPolcy": "x"}]}}}), crd_of(schema))
    (found,) = done.findings
    assert format_pointer(found.origin.path) == "/spec/template/spec/containers/0/imagePullPolcy"
    assert found.hint == "did you mean 'imagePullPolicy'?"
    assert found.subject == "Widget/one"


def test_a_value_of_a_field_that_sounds_secret_is_not_shown():
    schema = obj({"password": {**STRING, "pattern": "^a$"}, "plain": {**STRING, "pattern": "^a$"}})
    done = check(widget({"password": "hunter2", "plain": "other"}), crd_of(schema))
    messages = " ".join(finding.message for finding in done.findings)
    assert "hunter2" not in messages
    assert "other" in messages
    schema = obj({"token": {**INT, "maximum": 3}, "passwords": {"type": "array", "items": STRING}})
    done = check(widget({"token": 271828, "passwords": [314159]}), crd_of(schema))
    assert [finding.message for finding in done.findings] == [
        "found a number, expected at most 3",
        "found a number, expected a string",
    ]


METADATA = [
    ({}, "Namespaced", ["name-invalid"]),
    ({"name": "Upper"}, "Namespaced", ["name-invalid"]),
    ({"name": "a" * 254}, "Namespaced", ["name-invalid"]),
    ({"generateName": "a-"}, "Namespaced", []),
    ({"generateName": "_"}, "Namespaced", ["name-invalid"]),
    ({"name": "a.b-c"}, "Namespaced", []),
    ({"name": "a", "namespace": "b.c"}, "Namespaced", ["name-invalid"]),
    ({"name": "a", "namespace": "b"}, "Namespaced", []),
    ({"name": "a", "namespace": "b"}, "Cluster", ["namespace-dropped"]),
    ({"name": "a", "namespace": "b.c"}, "Cluster", ["namespace-dropped"]),
    ({"name": "a"}, "Cluster", []),
    ({"name": "a", "lables": {}}, "Namespaced", ["field-unknown"]),
    ({"name": 1}, "Namespaced", ["field-type"]),
    ({"name": "a", "labels": {"x/y": "z", "b": ""}}, "Namespaced", []),
    ({"name": "a", "labels": {"x y": "z"}}, "Namespaced", ["label-invalid"]),
    ({"name": "a", "labels": {"x": "-z"}}, "Namespaced", ["label-invalid"]),
    ({"name": "a", "labels": {"x": True}}, "Namespaced", ["field-type"]),
    ({"name": "a", "annotations": {"x": "any thing"}}, "Namespaced", []),
    ({"name": "a", "annotations": {"x": 1}}, "Namespaced", ["field-type"]),
    ({"name": "a", "annotations": {"/x": "1"}}, "Namespaced", ["label-invalid"]),
    ({"name": "a", "annotations": {"x": "y" * 262145}}, "Namespaced", ["field-value"]),
    ({"name": "a", "finalizers": ["a b"]}, "Namespaced", ["name-invalid"]),
    ({"name": "a", "finalizers": [1]}, "Namespaced", ["field-type"]),
    ({"name": "a", "finalizers": ["x.io/a"]}, "Namespaced", []),
    ({"name": "a", "creationTimestamp": None}, "Namespaced", []),
    ({"name": "a", "ownerReferences": [{"kind": "A"}]}, "Namespaced", ["field-missing"] * 3),
    ({"name": "a", "ownerReferences": ["x"]}, "Namespaced", ["field-type"]),
    (
        {
            "name": "a",
            "ownerReferences": [{"apiVersion": "v1", "kind": "A", "name": "b", "uid": "c", "x": 1}],
        },
        "Namespaced",
        ["field-unknown"],
    ),
    (
        {
            "name": "a",
            "ownerReferences": [{"apiVersion": "v1", "kind": "A", "name": "b", "uid": 1, "controller": "x"}],
        },
        "Namespaced",
        ["field-type"] * 2,
    ),
    (["not", "a", "mapping"], "Namespaced", ["field-type"]),
]


@rows(("meta", "scope", "want"), METADATA)
def test_metadata_is_checked_though_no_crd_declares_it(meta, scope, want):
    done = check(widget(metadata=meta), crd(version(), scope=scope))
    assert [finding.rule.id for finding in done.findings] == want


@rows(
    ("logic", "value", "words"),
    [
        ({"oneOf": [{"required": ["a"]}, {"required": ["b"]}]}, {}, 'found none of "a" or "b"'),
        ({"oneOf": [{"required": ["a"]}, {"required": ["b"]}]}, {"a": "", "b": ""}, 'only one of "a" or "b"'),
        ({"oneOf": [{}, {"maxProperties": 3}]}, {}, "a match of only one of 2 forms"),
        ({"anyOf": [{"minProperties": 3}]}, {}, "found a match of none of 1 forms"),
        ({"not": {"required": ["a", "b"]}}, {"a": "", "b": ""}, 'found "a" and "b", expected something else'),
        ({"not": {}}, {}, "found what it must not be"),
    ],
)
def test_alternatives_are_put_into_words(logic, value, words):
    done = check(widget(value), crd_of(obj({"a": STRING, "b": STRING}, **logic)))
    assert words in " ".join(finding.message for finding in done.findings)


def test_a_schema_may_limit_the_name():
    body = crd(version())
    root = body["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    root["properties"]["metadata"] = obj({"name": {**STRING, "maxLength": 2}})
    assert [finding.rule.id for finding in check(widget(), body).findings] == ["field-value"]


@rows(
    ("api", "rule"),
    [
        ("example.com/v1", None),
        ("example.com/v2", "crd-version"),
        ("example.com/v1alpha1", "crd-version"),
        ("example.com/v1beta1", "crd-version-deprecated"),
    ],
)
def test_the_version_must_be_served(api, rule):
    body = crd(
        version("v1"),
        version("v1beta1", storage=False, deprecated=True),
        version("v1alpha1", storage=False, served=False),
    )
    done = check(widget(apiVersion=api), body)
    assert [finding.rule.id for finding in done.findings] == ([rule] if rule else [])
    if rule == "crd-version-deprecated":
        assert done.findings[0].severity is Severity.WARNING


def test_fields_that_a_server_fills_in_are_no_error():
    schema = {
        **obj({"a": STRING, "b": STRING, "users": {"type": "array", "items": STRING}}),
        "required": ["a", "b"],
    }
    body = crd(version("v1", None))
    body["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = schema
    body["spec"] |= {"group": "security.openshift.io", "scope": "Cluster"}
    names = {"kind": "SecurityContextConstraints", "plural": "securitycontextconstraints"}
    some = {"apiVersion": "security.openshift.io/v1", "kind": names["kind"], "metadata": {"name": "x"}}
    (other,) = check({**some, "kind": "Widget"}, body).findings[:1]
    assert other.severity is Severity.ERROR
    body["spec"]["names"] = names
    (found,) = check(some, body).findings
    assert (found.rule.id, found.severity) == ("field-filled-in", Severity.NOTE)
    assert "found 2 required fields missing" in found.message
    (found,) = check({**some, "a": "x"}, body).findings
    assert "found 1 required field missing" in found.message
    (wrong,) = check({**some, "a": "x", "b": "y", "users": "me"}, body).findings
    assert wrong.severity is Severity.ERROR


def test_the_crd_that_serves_the_version_is_taken():
    newer, older = crd(version("v2", obj())), crd(version("v1", obj({"a": STRING})))
    assert check(widget({"a": "x"}), newer, older).findings == ()


def test_kinds_that_nobody_declares_are_named():
    config = {"apiVersion": "v1", "kind": "ConfigMap"}
    done = check({"apiVersion": "v1", "kind": "List", "items": [config, widget(), config]}, crd(version()))
    assert done.skipped == ("v1 ConfigMap", "v1 ConfigMap")
    assert done.objects == 1


def test_a_misspelt_kind_of_a_declared_group_is_an_error():
    (found,) = check(widget(kind="Wiget"), crd(version())).findings
    assert (found.rule.id, found.hint) == ("kind-misspelt", "did you mean 'Widget'?")


@rows(
    "document",
    ["text", 3, [], {}, {"kind": "Widget"}, {"apiVersion": 1, "kind": "Widget"}, {"apiVersion": "v1"}],
)
def test_what_is_no_object_is_a_finding(document):
    assert [finding.rule.id for finding in check(document, crd(version())).findings] == ["manifest-invalid"]


def test_nothing_is_nothing():
    done = check(None, crd(version()))
    assert (done.objects, done.findings) == (0, ())


def test_items_of_a_list_have_their_path():
    body = {"apiVersion": "example.com/v1", "kind": "WidgetList", "items": [widget(), widget({"b": 1}), 5]}
    done = check(body, crd_of(obj()))
    assert [format_pointer(finding.origin.path) for finding in done.findings] == [
        "/items/1/spec/b",
        "/items/2",
    ]


def test_lists_within_lists_do_not_end_in_a_traceback():
    body = widget({"b": 1})
    for _ in range(5000):
        body = {"apiVersion": "v1", "kind": "List", "items": [body]}
    assert [finding.rule.id for finding in check(body, crd_of(obj())).findings] == ["field-unknown"]


def test_a_status_is_dropped_where_it_is_a_subresource():
    def body(**more):
        made = crd(version(**more))
        root = made["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
        root["properties"]["status"] = obj({"n": INT}, required=["n"])
        return made

    empty, wrong = widget(status={}), widget(status={"m": 1})
    assert [f.rule.id for f in check(empty, body()).findings] == ["field-missing"]
    assert check(empty, body(subresources={"status": {}})).findings == ()
    assert [f.rule.id for f in check(wrong, body(subresources={"status": {}})).findings] == ["field-unknown"]


def test_the_object_is_not_changed():
    body = widget({})
    before = copy.deepcopy(body)
    check(body, crd_of(obj({"a": {**INT, "default": 1}})))
    assert body == before


@st.composite
def schema_and_value(draw, depth=3):
    """Draw a schema and a value that fits it."""
    kind = draw(
        st.sampled_from(
            ["string", "integer", "enum", "null", "either", "any"] + ["object", "array", "map"] * bool(depth)
        )
    )
    match kind:
        case "string":
            return {**STRING, "maxLength": 3}, draw(st.text(max_size=3))
        case "integer":
            return {**INT, "minimum": 0, "format": "int32"}, draw(st.integers(0, 2**31 - 1))
        case "enum":
            return {**STRING, "enum": ["a", "b"]}, draw(st.sampled_from(["a", "b"]))
        case "null":
            return {**STRING, "nullable": True}, draw(st.none() | st.text(max_size=2))
        case "either":
            return INT_OR_STRING, draw(st.integers(-(2**63), 2**63 - 1) | st.text(max_size=2))
        case "any":
            return KEEPS, draw(
                st.booleans() | st.dictionaries(st.text(max_size=2), st.integers(), max_size=2)
            )
        case "array":
            items, value = draw(schema_and_value(depth=depth - 1))
            return {"type": "array", "items": items}, [value] * draw(st.integers(0, 2))
        case "map":
            items, value = draw(schema_and_value(depth=depth - 1))
            keys = draw(st.lists(st.text(max_size=3), max_size=2))
            return obj(additionalProperties=items), dict.fromkeys(keys, value)
    names = draw(st.lists(st.sampled_from("abcd"), unique=True, max_size=3))
    parts = {name: draw(schema_and_value(depth=depth - 1)) for name in names}
    required = [name for name in names if draw(st.booleans())]
    value = {name: part[1] for name, part in parts.items() if name in required or draw(st.booleans())}
    return obj({name: part[0] for name, part in parts.items()}, required=required), value


@given(schema_and_value())
def test_an_object_made_from_a_schema_passes(pair):
    schema, value = pair
    assert field(schema, value) == []


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=3),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
        max_leaves=6,
    ),
    schema_and_value(),
)
def test_no_value_ends_in_a_traceback(value, pair):
    field(pair[0], value)
    check(value, crd_of(obj()))
