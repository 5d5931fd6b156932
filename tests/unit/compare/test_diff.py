from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_crd import STRING, crd, crd_of, obj, version
from strategies import SMALL

from kitgen.compare.change import About, Risk, load_change_rules
from kitgen.compare.crds.compare import compare_crds
from kitgen.text.yaml import SharedMapping

INT = {"type": "integer"}
LIST = {"type": "array", "items": obj({"name": STRING, "port": INT})}
MAP_LIST = {**LIST, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}
KEEPS = {"x-kubernetes-preserve-unknown-fields": True}


def spec(old, new):
    return crd_of(old), crd_of(new)


def field(old, new, **more):
    return spec(obj({"f": old}, **more), obj({"f": new}, **more))


def cel(*rules):
    return {"type": "string", "x-kubernetes-validations": list(rules)}


def named(**names):
    return crd(version(), names={"kind": "Widget", "plural": "widgets", **names})


def v(**more):
    return crd(version(**more))


def two(**more):
    return crd(version("v1"), version("v1alpha1", storage=False), **more)


def stored_twice():
    return {**two(), "status": {"storedVersions": ["v1alpha1", "v1"]}}


def column(**more):
    return {"name": "A", "type": "string", "jsonPath": ".a", **more}


SCALE = {"scale": {"specReplicasPath": ".spec.n", "statusReplicasPath": ".status.n"}}
OTHER_SCALE = {"scale": {"specReplicasPath": ".spec.m", "statusReplicasPath": ".status.n"}}
COLUMNS = [column(), column(name="B")]
HOOK = {
    "strategy": "Webhook",
    "webhook": {"clientConfig": {"url": "https://a"}, "conversionReviewVersions": ["v1"]},
}
OTHER_HOOK = {**HOOK, "webhook": {**HOOK["webhook"], "clientConfig": {"url": "https://b"}}}

B, R, S = Risk.BREAKING, Risk.BEHAVIOUR, Risk.COSMETIC
CASES = [
    ("crd-removed", B, (crd(version()), None)),
    ("crd-added", S, (None, crd(version()))),
    ("crd-moved", B, (crd(version()), crd(version(), group="other.com"))),
    ("scope-changed", B, (crd(version()), crd(version(), scope="Cluster"))),
    ("name-changed", B, (named(), named(kind="Gadget", listKind="WidgetList", singular="widget"))),
    ("short-name-removed", R, (named(shortNames=["w"]), named())),
    ("short-name-added", S, (named(), named(shortNames=["w"]))),
    ("category-removed", R, (named(categories=["all"]), named())),
    ("category-added", S, (named(), named(categories=["all"]))),
    ("conversion-changed", B, (two(), two(conversion=HOOK))),
    ("conversion-changed", R, (v(), crd(version(), conversion=HOOK))),
    ("conversion-changed", B, (two(conversion=HOOK), two())),
    ("conversion-changed", R, (two(conversion=HOOK), two(conversion=OTHER_HOOK))),
    ("unknown-fields-dropped", B, (crd(version(), preserveUnknownFields=True), crd(version()))),
    ("unknown-fields-kept", S, (crd(version()), crd(version(), preserveUnknownFields=True))),
    ("unknown-fields-dropped", B, field({**obj(), **KEEPS}, obj())),
    ("unknown-fields-kept", S, field(obj(), {**obj(), **KEEPS})),
    ("version-removed", B, (two(), crd(version("v1")))),
    ("version-removed", R, (crd(version(), version("v2", storage=False, served=False)), crd(version()))),
    ("version-unserved", B, (v(), v(served=False))),
    ("version-served", S, (v(served=False), v())),
    ("version-added", S, (crd(version("v1")), two())),
    ("version-deprecated", S, (v(), v(deprecated=True))),
    ("version-undeprecated", S, (v(deprecated=True), v())),
    ("stored-version-removed", B, (stored_twice(), crd(version("v1")))),
    ("storage-moved", R, (two(), crd(version("v1", storage=False), version("v1alpha1")))),
    ("status-subresource-removed", B, (v(subresources={"status": {}}), v())),
    ("status-subresource-added", R, (v(), v(subresources={"status": {}}))),
    ("scale-subresource-removed", B, (v(subresources=SCALE), v())),
    ("scale-subresource-changed", R, (v(subresources=SCALE), v(subresources=OTHER_SCALE))),
    ("scale-subresource-added", S, (v(), v(subresources=SCALE))),
    ("column-removed", R, (v(additionalPrinterColumns=COLUMNS), v(additionalPrinterColumns=COLUMNS[:1]))),
    (
        "column-changed",
        R,
        (v(additionalPrinterColumns=[column()]), v(additionalPrinterColumns=[column(priority=1)])),
    ),
    ("column-added", S, (v(), v(additionalPrinterColumns=[column()]))),
    (
        "columns-reordered",
        S,
        (v(additionalPrinterColumns=COLUMNS), v(additionalPrinterColumns=COLUMNS[::-1])),
    ),
    ("selectable-field-removed", B, (v(selectableFields=[{"jsonPath": ".a"}]), v())),
    ("selectable-field-added", S, (v(), v(selectableFields=[{"jsonPath": ".a"}]))),
    ("field-removed", B, spec(obj({"f": STRING, "g": STRING}), obj({"g": STRING}))),
    ("field-removed", R, spec(obj({"f": STRING}, **KEEPS), obj(**KEEPS))),
    ("field-added", S, spec(obj({"g": STRING}), obj({"f": STRING, "g": STRING}))),
    ("field-added", R, spec(obj(**KEEPS), obj({"f": STRING}, **KEEPS))),
    ("field-added", S, spec(obj(), obj({"f": {**STRING, "default": "a"}}, required=["f"]))),
    ("required-field-added", B, spec(obj(), obj({"f": STRING}, required=["f"]))),
    ("field-required", B, spec(obj({"f": STRING}), obj({"f": STRING}, required=["f"]))),
    ("field-required", B, spec(obj(**KEEPS), obj(required=["f"], **KEEPS))),
    ("field-optional", S, spec(obj({"f": STRING}, required=["f"]), obj({"f": STRING}))),
    ("type-changed", B, field(STRING, INT)),
    ("type-changed", B, field(obj(), obj(additionalProperties=STRING))),
    ("type-changed", B, field(KEEPS, STRING)),
    ("type-widened", R, field(INT, {"type": "number"})),
    ("type-widened", R, field(STRING, {"x-kubernetes-int-or-string": True})),
    ("format-added", B, field(STRING, {**STRING, "format": "date-time"})),
    ("format-added", B, field(STRING, {**STRING, "format": "credit-card"})),
    ("format-added", S, field(STRING, {**STRING, "format": "colour"})),
    ("format-changed", B, field({**STRING, "format": "ipv4"}, {**STRING, "format": "ipv6"})),
    ("format-changed", R, field({**INT, "format": "int32"}, {**INT, "format": "int64"})),
    ("format-removed", S, field({**STRING, "format": "ipv4"}, STRING)),
    ("enum-added", B, field(STRING, {**STRING, "enum": ["a"]})),
    ("enum-value-removed", B, field({**STRING, "enum": ["a", "b"]}, {**STRING, "enum": ["a"]})),
    ("enum-value-added", S, field({**STRING, "enum": ["a"]}, {**STRING, "enum": ["a", "b"]})),
    ("enum-removed", S, field({**STRING, "enum": ["a"]}, STRING)),
    ("pattern-added", B, field(STRING, {**STRING, "pattern": "a"})),
    ("pattern-changed", B, field({**STRING, "pattern": "a"}, {**STRING, "pattern": "b"})),
    ("pattern-removed", S, field({**STRING, "pattern": "a"}, STRING)),
    ("bound-tightened", B, field({**INT, "minimum": 1}, {**INT, "minimum": 2})),
    ("bound-tightened", B, field({**INT, "minimum": 1}, {**INT, "minimum": 1, "exclusiveMinimum": True})),
    ("bound-tightened", B, field({**STRING, "maxLength": 5}, {**STRING, "maxLength": 4})),
    ("bound-tightened", B, field(INT, {**INT, "maximum": 0})),
    ("bound-tightened", B, field({**INT, "multipleOf": 2}, {**INT, "multipleOf": 4})),
    ("bound-loosened", S, field({**INT, "multipleOf": 4}, {**INT, "multipleOf": 2})),
    ("bound-loosened", S, field({**INT, "minimum": 2}, {**INT, "minimum": 1})),
    ("bound-loosened", S, field({**LIST, "maxItems": 2}, {**LIST, "maxItems": 3})),
    ("bound-loosened", S, field({**INT, "maximum": 0}, INT)),
    ("alternatives-tightened", B, spec(obj(), obj(oneOf=[{"required": ["a"]}]))),
    ("alternatives-tightened", B, spec(obj(anyOf=[{"required": ["a"]}]), obj(anyOf=[{"required": ["b"]}]))),
    ("alternatives-loosened", S, spec(obj(**{"not": {"required": ["a"]}}), obj())),
    (
        "alternatives-loosened",
        S,
        spec(obj(anyOf=[{"required": ["a"]}]), obj(anyOf=[{"required": ["b"]}, {"required": ["a"]}])),
    ),
    ("default-added", R, field(STRING, {**STRING, "default": "a"})),
    (
        "default-changed",
        R,
        field({"type": "boolean", "default": True}, {"type": "boolean", "default": False}),
    ),
    ("default-removed", R, field({**STRING, "default": "a"}, STRING)),
    ("default-removed", B, field({**STRING, "default": "a"}, STRING, required=["f"])),
    ("nullable-dropped", B, field({**STRING, "nullable": True}, STRING)),
    ("nullable-added", S, field(STRING, {**STRING, "nullable": True})),
    ("embedded-resource-added", B, field(obj(), obj(**{"x-kubernetes-embedded-resource": True}))),
    ("embedded-resource-removed", B, field(obj(**{"x-kubernetes-embedded-resource": True}), obj())),
    ("list-type-changed", B, field(LIST, MAP_LIST)),
    ("list-type-changed", R, field(MAP_LIST, LIST)),
    (
        "list-map-keys-changed",
        B,
        field(MAP_LIST, {**MAP_LIST, "x-kubernetes-list-map-keys": ["name", "port"]}),
    ),
    ("map-type-changed", R, field(obj(), obj(**{"x-kubernetes-map-type": "atomic"}))),
    ("cel-rule-added", B, field(cel(), cel({"rule": "a"}))),
    ("cel-rule-removed", S, field(cel({"rule": "a"}), cel())),
    ("cel-rule-changed", B, field(cel({"rule": "a", "message": "m"}), cel({"rule": "b", "message": "m"}))),
    ("cel-rule-changed", B, field(cel({"rule": "a"}), cel({"rule": "a", "optionalOldSelf": True}))),
    ("cel-message-changed", S, field(cel({"rule": "a"}), cel({"rule": "a", "message": "m"}))),
    ("keyword-changed", R, field(STRING, {**STRING, "x-other": 1})),
]
SAME = [
    field(STRING, {**STRING, "description": "words", "title": "t", "example": "e"}),
    field(STRING, {**STRING, "nullable": False}),
    field(LIST, {**LIST, "x-kubernetes-list-type": "atomic"}),
    field(obj(), obj(**{"x-kubernetes-map-type": "granular"})),
    field({**STRING, "enum": ["a", "b"]}, {**STRING, "enum": ["b", "a"]}),
    field(STRING, {**STRING, "minLength": 0}),
    spec(
        obj({"a": STRING, "b": STRING}, required=["a", "b"]),
        obj({"b": STRING, "a": STRING}, required=["b", "a"]),
    ),
    (named(), named(singular="widget", listKind="WidgetList")),
    (v(), v(additionalPrinterColumns=[], subresources={})),
    (
        two(conversion=HOOK),
        two(
            conversion=HOOK
            | {"webhook": {**HOOK["webhook"], "clientConfig": {"url": "https://a", "caBundle": "QQ=="}}}
        ),
    ),
    field({"x-kubernetes-int-or-string": True}, {"x-kubernetes-int-or-string": True, "anyOf": [INT, STRING]}),
]

RULES = {name: rule for name, rule in load_change_rules().items() if rule.about is About.CRD}
"""Those about CRDs; the others are tested with what they rank."""


def bodies(one):
    return [] if one is None else [one]


@pytest.mark.parametrize(("rule", "risk", "pair"), CASES, ids=[f"{case[0]}-{case[1]}" for case in CASES])
def test_a_change_is_told_with_its_risk(rule, risk, pair):
    changes = compare_crds(bodies(pair[0]), bodies(pair[1]))
    if rule == "stored-version-removed":  # the version was served too
        changes = tuple(change for change in changes if change.rule.id != "version-removed")
    (found,) = changes
    assert (found.rule.id, found.risk) == (rule, risk)
    assert found.message and found.reason and found.felt_by


def test_every_rule_has_a_case():
    assert {case[0] for case in CASES} | {"crd-moved-declared"} == RULES.keys()


@pytest.mark.parametrize("pair", SAME)
def test_what_means_the_same_is_no_change(pair):
    assert compare_crds([pair[0]], [pair[1]]) == ()


def test_a_served_stored_version_that_goes_is_two_changes():
    old = crd(version("v1beta1"), version("v1", storage=False))
    rules = {change.rule.id for change in compare_crds([old], [crd(version("v1"))])}
    assert rules == {"version-removed", "stored-version-removed", "storage-moved"}


def test_moving_storage_tells_what_stored_objects_lose():
    old = crd(version("v1beta1", obj({"a": STRING})))
    new = crd(version("v1", obj({"b": STRING})), version("v1beta1", obj({"a": STRING}), storage=False))
    lost = [change for change in compare_crds([old], [new]) if change.risk is Risk.BREAKING]
    assert [(change.rule.id, change.versions, change.path) for change in lost] == [
        ("field-removed", ("v1beta1 to v1",), ".spec.a")
    ]


def test_a_moved_group_is_compared_further():
    old, new = crd_of(obj({"a": STRING})), crd_of(obj(), group="other.com")
    assert [change.rule.id for change in compare_crds([old], [new])] == ["crd-moved", "field-removed"]


def test_changes_come_worst_first_then_by_place():
    old = crd_of(obj({"a": STRING, "b": STRING, "z": STRING}))
    new = crd_of(obj({"a": {**STRING, "default": "x"}, "c": STRING, "b": STRING, "zz": STRING}))
    found = [(str(change.risk), change.path) for change in compare_crds([old], [new])]
    assert found == [
        ("breaking", ".spec.z"),
        ("behaviour", ".spec.a"),
        ("cosmetic", ".spec.c"),
        ("cosmetic", ".spec.zz"),
    ]


def test_a_renamed_field_is_hinted_at():
    (gone,) = (
        c for c in compare_crds(*[[b] for b in spec(obj({"replica": INT}), obj({"replicas": INT}))]) if c.hint
    )
    assert gone.hint == "is it now called 'replicas'?"


def hints(old, new):
    return [
        c.hint for c in compare_crds([crd_of(obj(old))], [crd_of(obj(new))]) if c.rule.id == "field-removed"
    ]


PLUG = obj({"name": STRING, "port": INT, "host": STRING})


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"queueName": STRING}, {"localQueueName": STRING}),
        ({"nodename": STRING}, {"nodeName": STRING}),
        ({"node_name": STRING}, {"nodeName": STRING}),
        ({"plugs": {"type": "array", "items": PLUG}}, {"plugList": {"type": "array", "items": PLUG}}),
        ({"mainPlug": PLUG}, {"mainPlugs": obj({"name": STRING, "port": INT, "url": STRING})}),
        ({"modes": {**STRING, "enum": ["a", "b"]}}, {"mode": {**STRING, "enum": ["b", "c"]}}),
    ],
)
def test_a_field_of_like_name_and_shape_is_hinted_at(old, new):
    assert hints(old, new) == [f"is it now called {next(iter(new))!r}?"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"admissionChecks": {"type": "array", "items": STRING}}, {"admissionScope": obj({"mode": STRING})}),
        ({"admissionChecks": STRING}, {"admissionScope": STRING}),
        ({"replica": INT}, {"replicas": STRING}),
        ({"replica": INT}, {"replicas": {"x-kubernetes-int-or-string": True}}),
        ({"minReplicas": INT}, {"maxReplicas": INT}),
        ({"ingressPort": INT}, {"egressPort": INT}),
        ({"plugs": {"type": "array", "items": PLUG}}, {"plug": PLUG}),
        ({"plugs": {"type": "array", "items": PLUG}}, {"plug": {"type": "array", "items": STRING}}),
        ({"plugs": PLUG}, {"plug": obj({"user": STRING, "port": INT, "password": STRING})}),
        ({"modes": {**STRING, "enum": ["a"]}}, {"mode": {**STRING, "enum": ["b"]}}),
        ({"labels": obj(additionalProperties=INT)}, {"label": obj(additionalProperties=STRING)}),
    ],
)
def test_a_field_of_another_shape_or_meaning_is_not(old, new):
    assert hints(old, new) == [""]


def test_a_new_name_is_the_name_of_one_field_only():
    assert hints({"replica": INT, "replicaz": INT}, {"replicas": INT}) in (
        ["is it now called 'replicas'?", ""],
        ["", "is it now called 'replicas'?"],
    )


def test_with_very_many_new_names_none_is_guessed():
    old, new = ({f"field{side}{n}": STRING for n in range(400)} for side in ("Old", "New"))
    assert set(hints(old, new)) == {""}


WARNED = {"deprecated": True, "deprecationWarning": "use v2, it is faster"}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ({}, WARNED, "now deprecated: use v2, it is faster"),
        ({}, {"deprecated": True}, "now deprecated: example.com/v1 Widget is deprecated"),
        (WARNED, {}, "no longer deprecated, was: use v2, it is faster"),
        (
            WARNED,
            {**WARNED, "deprecationWarning": "use v3"},
            "the warning was: use v2, it is faster, now: use v3",
        ),
    ],
)
def test_a_deprecation_is_told_with_its_warning(old, new, message):
    (change,) = compare_crds([v(**old)], [v(**new)])
    assert change.message == message


def test_the_servers_own_warning_names_the_version_to_use():
    def body(**more):
        others = [version(name, storage=False) for name in ("v1", "v2beta1", "v2alpha1")]
        return crd(version("v1beta1", **more), *others)

    (change,) = compare_crds([body()], [body(deprecated=True)])
    assert change.message.endswith("example.com/v1beta1 Widget is deprecated; use example.com/v1 Widget")


def test_a_new_version_that_is_deprecated_says_so():
    (change,) = compare_crds([v()], [crd(version(), version("v1alpha1", storage=False, **WARNED))])
    assert change.message == "v1alpha1 is new, and deprecated: use v2, it is faster"


def test_a_change_in_two_versions_is_told_once():
    def both(schema):
        return crd(version("v1", schema), version("v1alpha1", schema, storage=False))

    (change,) = compare_crds([both(obj({"a": STRING, "b": STRING}))], [both(obj({"b": STRING}))])
    assert change.versions == ("v1", "v1alpha1")
    assert change.id == "field-removed:widgets.example.com:v1+v1alpha1:.spec.a"


@pytest.mark.parametrize("name", ["core/v1.Container", ""])
def test_a_change_of_a_type_in_many_places_is_told_once(name):
    def body(fields):
        kind = SharedMapping(obj(fields), name) if name else obj(fields)
        return crd_of(obj({"head": obj({"c": kind}), "workers": {"type": "array", "items": kind}, "m": kind}))

    (change,) = compare_crds([body({"x": STRING, "y": STRING})], [body({"y": STRING})])
    assert change.place_count == 3
    assert [place.path for place in change.places] == [".spec.head.c.x", ".spec.m.x", ".spec.workers[].x"]
    if name:
        assert change.id == "field-removed:core/v1.Container:.x"
    else:
        assert change.id == "field-removed:widgets.example.com:v1:.spec.head.c.x+2"


def test_different_changes_in_equal_places_stay_apart():
    old = obj({"a": obj({"x": STRING}), "b": obj({"x": STRING})})
    new = obj({"a": obj({"x": INT}), "b": obj({"x": {**STRING, "maxLength": 1}})})
    assert len(compare_crds([crd_of(old)], [crd_of(new)])) == 2


OPEN = {"x-kubernetes-preserve-unknown-fields": True}


@pytest.mark.parametrize(
    ("name", "old", "new", "felt_by"),
    [
        ("status", {"a": STRING, "b": STRING}, {"b": STRING}, "the operator that writes it"),
        ("status", {"b": STRING}, {"a": STRING, "b": STRING}, "the operator that writes it"),
        ("statusText", {"a": STRING, "b": STRING}, {"b": STRING}, "users who set it"),
        ("spec", {"status": STRING, "b": STRING}, {"b": STRING}, "users who set it"),
    ],
)
def test_only_fields_of_the_status_are_felt_by_the_operator(name, old, new, felt_by):
    def body(fields):
        made = crd_of(obj())
        schema = made["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
        schema["properties"][name] = obj(fields) | OPEN
        return made

    (change,) = compare_crds([body(old)], [body(new)])
    assert change.felt_by.startswith(felt_by)


@given(SMALL)
def test_nothing_changes_between_equals(schema):
    assert compare_crds([crd_of(schema)], [crd_of(copy.deepcopy(schema))]) == ()


@given(SMALL, SMALL)
def test_two_schemas_are_either_equal_or_differ_both_ways(old, new):
    there = compare_crds([crd_of(old)], [crd_of(new)])
    back = compare_crds([crd_of(new)], [crd_of(old)])
    assert bool(there) == bool(back) == (old != new)
    assert len({change.id for change in there}) == len(there)


@given(st.lists(SMALL, min_size=1, max_size=4), st.randoms())
def test_the_order_of_the_crds_does_not_show(specs, random):
    old = [crd_of(schema, group=f"g{i}.com") for i, schema in enumerate(specs)]
    new = [crd_of(STRING, group=f"g{i}.com") for i in range(len(specs))]
    shuffled = random.sample(old, len(old))
    assert compare_crds(old, new) == compare_crds(shuffled, new[::-1])


def test_the_documentation_names_every_rule_as_it_is():
    from pathlib import Path

    text = (Path(__file__).parents[3] / "docs" / "crd-diff.md").read_text(encoding="utf-8")
    rows = [f"| `{name}` | {rule.risk} | {rule.reason} | {rule.felt_by} |" for name, rule in RULES.items()]
    assert [row for row in rows if row not in text] == []


def text(**more):
    return {**STRING, **more}


PATTERNS = [
    # what was, what is now; the rule, the risk, and how the reason starts
    (text(pattern="^http(s)?://"), text(pattern="^https?://"), "pattern-changed", S, "whatever passed"),
    (text(pattern="^(a|b)$"), text(pattern="^(a|b|c)$"), "pattern-changed", S, "whatever passed"),
    (
        text(pattern="^(a|b|c)$"),
        text(pattern="^(a|b)$"),
        "pattern-changed",
        B,
        'values that passed are refused, such as "c"',
    ),
    (text(pattern=r"\ba"), text(pattern=r"\bab?"), "pattern-changed", B, "not proved harmless: "),
    (text(enum=["a", "b"]), text(enum=["a", "b"], pattern="^[a-z]$"), "pattern-added", S, "whatever passed"),
    (
        text(enum=["a", "B"]),
        text(enum=["a", "B"], pattern="^[a-z]$"),
        "pattern-added",
        B,
        "values that passed",
    ),
    (text(), text(pattern="^a$"), "pattern-added", B, "values that do not match are refused"),
    (text(pattern="^(a|b)$"), text(pattern="^(a|b)$", enum=["a", "b", "c"]), "enum-added", S, "whatever"),
    (text(pattern="^[ab]"), text(pattern="^[ab]", enum=["a", "b"]), "enum-added", B, "values that passed"),
    (
        text(pattern="^(a|b)$", nullable=True),
        text(pattern="^(a|b)$", nullable=True, enum=["a", "b"]),
        "enum-added",
        B,
        "not proved harmless: ",
    ),
    (text(pattern="^a+$"), text(pattern="^a+$", minLength=1), "bound-tightened", S, "whatever passed"),
    (text(pattern="^a+$"), text(pattern="^a+$", minLength=2), "bound-tightened", B, "values that passed"),
    (text(pattern="^a{1,5}$"), text(pattern="^a{1,5}$", maxLength=63), "bound-tightened", S, "whatever"),
    (
        text(pattern="^a*$", maxLength=3),
        text(pattern="^a{0,4}$", maxLength=3),
        "pattern-changed",
        S,
        "whatever passed",
    ),
]


@pytest.mark.parametrize(("old", "new", "rule", "risk", "reason"), PATTERNS)
def test_patterns_are_compared_by_what_they_match(old, new, rule, risk, reason):
    (change,) = compare_crds(*([each] for each in field(old, new)))
    assert (change.rule.id, change.risk) == (rule, risk)
    assert change.reason.startswith(reason)


@pytest.mark.parametrize(
    "change",
    [
        field(
            {"type": "array", "items": STRING},
            {"type": "array", "items": STRING, "x-kubernetes-list-type": {"a": "b"}},
        ),
        field({"type": "object"}, {"type": "object", "x-kubernetes-map-type": {"a": "b"}}),
    ],
)
def test_what_is_no_text_where_one_belongs_is_told_as_json_writes_it(change):
    messages = [each.message for each in compare_crds(*([each] for each in change))]
    assert any('{"a": "b"}' in each for each in messages), messages
