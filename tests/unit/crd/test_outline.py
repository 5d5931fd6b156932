from __future__ import annotations

import copy

from hypothesis import given
from hypothesis import strategies as st
from small_crd import STRING, crd, crd_of, obj, version
from some import rows
from strategies import SMALL

from kitgen.crd.definition import version_rank
from kitgen.crd.outline import render_outline
from kitgen.crd.outline_fields import QUANTITY, render_field_lines
from kitgen.text.yaml import SharedMapping


def fields(spec):
    lines = render_outline(crd_of(spec)).splitlines()
    return [line.removeprefix("  ") for line in lines[lines.index("schema v1") + 1 :]]


@rows(
    ("schema", "line"),
    [
        ({"type": "string"}, ".spec string"),
        ({"type": "string", "nullable": True, "default": "a"}, '.spec string nullable default="a"'),
        ({"type": "string", "enum": ["a", "b"]}, '.spec string enum="a"|"b"'),
        ({"type": "string", "pattern": "^a$", "maxLength": 3}, '.spec string max-length=3 pattern="^a$"'),
        ({"type": "integer", "format": "int32", "minimum": 0}, ".spec integer format=int32 min=0"),
        ({"type": "boolean", "default": False}, ".spec boolean default=false"),
        ({"type": "array", "items": STRING, "x-kubernetes-list-type": "set"}, ".spec []string list=set"),
        ({"type": "object", "additionalProperties": STRING}, ".spec map[string]string"),
        ({"type": "object", "additionalProperties": True}, ".spec map[string]any"),
        ({"type": "object", "x-kubernetes-map-type": "atomic"}, ".spec object map=atomic"),
        ({"x-kubernetes-preserve-unknown-fields": True}, ".spec any keeps-unknown-fields"),
        ({"type": "object", "x-kubernetes-embedded-resource": True}, ".spec object embedded-resource"),
        (
            {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]},
            ".spec int-or-string",
        ),
        ({"x-kubernetes-int-or-string": True, "pattern": QUANTITY}, ".spec quantity"),
        ({"type": "object", "oneOf": [{"required": ["a"]}]}, '.spec object oneOf=[{"required":["a"]}]'),
        ({"type": "object", "required": ["a"]}, ".spec object requires=a"),
    ],
)
def test_a_field_is_one_line(schema, line):
    assert fields(schema) == [line]


def test_fields_below_have_their_path():
    spec = obj(
        {
            "b.c": STRING,
            "list": {
                "type": "array",
                "items": obj({"name": STRING}, required=["name"]),
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["name"],
            },
            "map": {"type": "object", "additionalProperties": {"type": "string", "minLength": 1}},
        },
        required=["map"],
    )
    assert fields(spec) == [
        ".spec object",
        '.spec["b.c"] string',
        ".spec.list []object list=map keys=name",
        ".spec.list[].name string required",
        ".spec.map map[string]string required",
        ".spec.map{} string min-length=1",
    ]


def test_cel_rules_are_counted_and_shown():
    spec = obj(**{"x-kubernetes-validations": [{"rule": "self.a > 1"}]})
    assert fields(spec) == [".spec object cel=1", '.spec rule {"rule":"self.a > 1"}']


def test_a_kubernetes_type_is_folded_and_its_content_shows_in_a_digest():
    def text(field):
        return render_outline(
            crd_of(obj({"template": SharedMapping(obj({"a": field}), "core/v1.PodTemplateSpec")}))
        )

    before, after = text(STRING), text({"type": "integer"})
    assert "  .spec.template core/v1.PodTemplateSpec\n" in before
    assert ".spec.template.a" not in before
    changed = [
        pair for pair in zip(before.splitlines(), after.splitlines(), strict=True) if pair[0] != pair[1]
    ]
    assert len(changed) == 1
    assert changed[0][0].startswith("  core/v1.PodTemplateSpec ")


def test_the_header_says_names_versions_and_what_surrounds_them():
    extras = {
        "subresources": {
            "status": {},
            "scale": {"specReplicasPath": ".spec.n", "statusReplicasPath": ".status.n"},
        },
        "additionalPrinterColumns": [{"name": "Age", "type": "date", "jsonPath": ".a", "priority": 1}],
        "selectableFields": [{"jsonPath": ".spec.a"}],
    }
    body = crd(
        version("v1alpha1", STRING, storage=False, deprecated=True, deprecationWarning="use v1", **extras),
        version("v1", STRING, **extras),
        names={"kind": "Widget", "plural": "widgets", "shortNames": ["w", "wg"]},
        conversion={
            "strategy": "Webhook",
            "webhook": {
                "clientConfig": {"url": "https://x", "caBundle": "QQ=="},
                "conversionReviewVersions": ["v1"],
            },
        },
    )
    assert render_outline(body).splitlines() == [
        "crd widgets.example.com",
        "  group example.com",
        "  kind Widget",
        "  plural widgets",
        "  short-names w, wg",
        "  scope Namespaced",
        '  conversion Webhook {"url":"https://x"} reviews=v1',
        "  version v1: served, storage",
        '  version v1alpha1: served, deprecated "use v1"',
        "  subresource status of v1, v1alpha1",
        "  subresource scale specReplicasPath=.spec.n statusReplicasPath=.status.n of v1, v1alpha1",
        '  column "Age" date .a priority=1 of v1, v1alpha1',
        "  selectable .spec.a of v1, v1alpha1",
        "schema v1, v1alpha1",
        "  .spec string",
    ]


def test_a_version_that_differs_little_shows_only_the_difference():
    many = {f"f{i}": STRING for i in range(6)}
    body = crd(version("v1", obj({**many, "new": STRING})), version("v1beta1", obj(many), storage=False))
    lines = render_outline(body).splitlines()
    assert lines[-2:] == ["schema v1beta1: as v1, but", "  - .spec.new string"]


def test_a_version_that_differs_much_is_shown_in_full():
    body = crd(version("v1", obj({"a": STRING})), version("v1beta1", {"type": "integer"}, storage=False))
    assert render_outline(body).splitlines()[-2:] == ["schema v1beta1", "  .spec integer"]


def test_versions_are_in_the_order_of_the_api_server():
    names = ["v1alpha1", "foo", "v1", "v2", "v1beta2", "v1beta10", "v10"]
    assert sorted(names, key=version_rank) == ["v10", "v2", "v1", "v1beta10", "v1beta2", "v1alpha1", "foo"]


def shuffled(schema):
    """Return an equal schema whose keys are in another order."""
    if isinstance(schema, dict):
        return {key: shuffled(schema[key]) for key in reversed(schema)}
    return [shuffled(item) for item in schema] if isinstance(schema, list) else schema


@given(SMALL, st.text(max_size=5))
def test_order_and_prose_do_not_show(schema, prose):
    described = copy.deepcopy(schema)
    described["description"] = prose
    assert render_outline(crd_of(schema)) == render_outline(crd_of(shuffled(described)))


@given(SMALL)
def test_a_line_never_breaks(schema):
    lines = list(render_field_lines(schema, ".spec"))
    assert all("\n" not in line for line in lines)
    assert len({line.split(" ")[0] for line in lines}) == len(lines)


@given(st.text(max_size=8), st.text(max_size=8))
def test_strange_names_and_values_stay_on_their_line(name, default):
    text = render_outline(crd_of(obj({name: {**STRING, "default": default, "format": default}})))
    assert all(line.isprintable() for line in text.split("\n"))
    assert len(text.splitlines()) == len(render_outline(crd_of(obj({"a": STRING}))).splitlines())
