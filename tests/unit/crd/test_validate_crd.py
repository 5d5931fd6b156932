from __future__ import annotations

import copy

from hypothesis import given
from hypothesis import strategies as st
from small_crd import STRING, crd_of, obj
from some import rows

from kitgen.crd.definition import check_crd_shape, is_crd
from kitgen.findings import Origin, format_pointer

BODY = crd_of(obj({"a": {"type": "array", "items": STRING, "anyOf": [{"minItems": 1}]}}))
VERSION = ("spec", "versions", 0)
SCHEMA = (*VERSION, "schema", "openAPIV3Schema")
FIELD = (*SCHEMA, "properties", "spec", "properties", "a")


def broken(path, value):
    body = copy.deepcopy(BODY)
    part = body
    for step in path[:-1]:
        part = part[step]
    part[path[-1]] = value
    return body


def places(body):
    return [format_pointer(finding.origin.path) for finding in check_crd_shape(body, Origin("f"))]


def test_a_crd_has_no_faults():
    assert places(BODY) == []


@rows(
    ("path", "value", "at"),
    [
        (("apiVersion",), "apiextensions.k8s.io/v1beta1", ("apiVersion",)),
        (("metadata",), None, ("metadata",)),
        (("metadata", "name"), 1, ("metadata", "name")),
        (("spec",), [], ("spec",)),
        (("spec", "group"), None, ("spec", "group")),
        (("spec", "conversion"), "x", ("spec", "conversion")),
        (("spec", "names", "shortNames"), 1, ("spec", "names", "shortNames")),
        (("metadata", "labels"), [], ("metadata", "labels")),
        (("status",), "x", ("status",)),
        (("spec", "names"), "x", ("spec", "names")),
        (("spec", "names", "kind"), 1, ("spec", "names", "kind")),
        (("spec", "versions"), [], ("spec", "versions")),
        (VERSION, "v1", VERSION),
        ((*VERSION, "name"), None, (*VERSION, "name")),
        ((*VERSION, "schema"), [], (*VERSION, "schema")),
        ((*VERSION, "subresources"), 1, (*VERSION, "subresources")),
        ((*VERSION, "additionalPrinterColumns"), ["a"], (*VERSION, "additionalPrinterColumns", 0)),
        (SCHEMA, "x", SCHEMA),
        (FIELD, [], FIELD),
        ((*FIELD, "items"), [], (*FIELD, "items")),
        ((*FIELD, "anyOf"), {}, (*FIELD, "anyOf")),
        ((*FIELD, "anyOf", 0), 1, (*FIELD, "anyOf", 0)),
        ((*FIELD, "minItems"), "1", (*FIELD, "minItems")),
        ((*FIELD, "required"), "a", (*FIELD, "required")),
        ((*FIELD, "required"), [["a"]], (*FIELD, "required", 0)),
        ((*FIELD, "x-kubernetes-list-map-keys"), [{}], (*FIELD, "x-kubernetes-list-map-keys", 0)),
        ((*FIELD, "x-kubernetes-validations"), ["a"], (*FIELD, "x-kubernetes-validations", 0)),
    ],
)
def test_a_wrong_type_is_found_where_it_is(path, value, at):
    assert places(broken(path, value)) == [format_pointer(at)]


def test_only_crds_are_crds():
    assert is_crd(BODY)
    assert not is_crd({"apiVersion": "v1", "kind": "CustomResourceDefinition"})
    assert not is_crd([])


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=3),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["a", "properties", "items", "type"]), inner, max_size=3)
        ),
        max_leaves=6,
    ),
    st.sampled_from([("spec",), VERSION, SCHEMA, FIELD]),
)
def test_no_input_ends_in_a_traceback(value, path):
    """What has no faults is good enough for the outline and the comparison."""
    from kitgen.compare.crds.compare import compare_crds
    from kitgen.crd.outline import render_outline

    body = broken(path, value)
    if not places(body):
        render_outline(body)
        compare_crds([body], [BODY])
        compare_crds([BODY], [body])
