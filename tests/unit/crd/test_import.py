from __future__ import annotations

from collections.abc import Callable

import pytest
from declared import back, crd, plain, root
from hypothesis import given
from hypothesis import strategies as st
from some import few, rows
from strategies import SCHEMAS, changed, copy

from kitgen.crd.declaration import Expansion
from kitgen.crd.importer import declaration_fields, importer
from kitgen.crd.importer.check import check_crd
from kitgen.crd.importer.importer import import_crds
from kitgen.crd.types import types_of
from kitgen.findings import Origin
from kitgen.findings.errors import FindingsError
from kitgen.kube.schema_interning import freeze_value
from kitgen.text.yaml import JsonObject, read_yaml

SLOW = few()


def pod(minor: int) -> JsonObject:
    return copy(types_of(minor).get_schema("core/v1.PodTemplateSpec"))


def returns(*bodies: JsonObject, keep: bool = False) -> list[str]:
    """Import CRDs, expand them again, compare, and return the texts."""
    made = import_crds(bodies, keep=keep, prefer=30, only=30)
    texts = [file.text for file in made.files]
    wanted = sorted(bodies, key=lambda body: body["metadata"]["name"])
    got = back(texts, made.minor)
    assert [plain(body, drop=not keep) for body in got] == [plain(body, drop=not keep) for body in wanted]
    assert not any(file.plainer for file in made.files)
    return texts


@SLOW
@given(data=st.data(), keep=st.booleans())
def test_any_structural_crd_comes_back_exactly(data: st.DataObject, keep: bool) -> None:
    first = data.draw(SCHEMAS)
    second = data.draw(st.one_of(SCHEMAS, changed(first)))
    third = data.draw(st.one_of(SCHEMAS, changed(second)))
    bodies = [crd(root(first), root(second)), crd(root(third), kind="Other")]
    if any(fault for body in bodies for fault in check_crd(body, Origin("x"))):
        return
    returns(*bodies, keep=keep)


@rows("minor", [25, 28, 30, 31, 34])
def test_the_minor_is_found(minor: int) -> None:
    made = import_crds([crd(root(pod(minor)))])
    assert made.minor == minor
    assert "spec: {$type: core/v1.PodTemplateSpec}" in made.files[0].text


def test_the_declared_minor_wins_among_equals() -> None:
    body = crd(root(copy(types_of(30).get_schema("core/v1.Toleration"))))
    assert import_crds([body]).minor == 25
    assert import_crds([body], prefer=29).minor == 29
    assert import_crds([crd(root(pod(30)))], prefer=29).minor == 30


def test_a_near_match_names_its_exceptions() -> None:
    schema = pod(30)
    containers = schema["properties"]["spec"]["properties"]["containers"]
    containers["minItems"] = 1
    del schema["properties"]["spec"]["properties"]["hostUsers"]
    (text,) = returns(crd(root(schema)))
    assert "$remove: [spec.hostUsers]" in text
    assert "spec.containers#minItems: 1" in text
    assert text.count("\n") < 20


def test_what_a_generator_does_everywhere_is_said_once() -> None:
    schema = {"type": "object", "properties": {name: pod(31) for name in ("head", "worker", "submitter")}}
    for template in schema["properties"].values():
        _drop_embedded_metadata(template)
    made = import_crds([crd(root(schema))])
    assert made.minor == 31
    assert 'types:\n  meta/v1.ObjectMeta: {$remove: ["#properties"]}' in made.files[0].text
    assert made.files[0].text.count("$type: core/v1.PodTemplateSpec}") == 3


def _drop_embedded_metadata(schema: JsonObject) -> None:
    for name, below in schema.get("properties", {}).items():
        if name == "metadata" and "finalizers" in below.get("properties", {}):
            schema["properties"][name] = {"type": "object"}
        else:
            _drop_embedded_metadata(below)
    for keyword in ("items", "additionalProperties"):
        if isinstance(schema.get(keyword), dict):
            _drop_embedded_metadata(schema[keyword])


def old_pod() -> JsonObject:
    """Return a pod template as a generator of its own writes it, from an older Kubernetes."""

    def older(schema: JsonObject) -> JsonObject:
        schema = {key: value for key, value in schema.items() if key != "x-kubernetes-map-type"}
        if schema.pop("x-kubernetes-int-or-string", False):
            return {"type": "string", **({} if "pattern" in schema else {"format": "int-or-string"})}
        for keyword in ("items", "additionalProperties"):
            if keyword in schema:
                schema[keyword] = older(schema[keyword])
        if "properties" in schema:
            fields = {name: older(below) for name, below in schema["properties"].items()}
            schema["properties"] = {name: below for name, below in fields.items() if name != "hostUsers"}
        return schema

    template = older(pod(30))
    claim = template["properties"]["spec"]["properties"]["volumes"]["items"]["properties"]["ephemeral"]
    metadata = claim["properties"]["volumeClaimTemplate"]["properties"]["metadata"]
    metadata["properties"] |= {"clusterName": {"type": "string"}, "selfLink": {"type": "string"}}
    return template


def test_a_generator_with_habits_of_its_own_stays_short() -> None:
    worker, scheduler, job = old_pod(), old_pod(), old_pod()
    worker["properties"]["replicas"] = {"type": "integer", "default": 1}
    scheduler["required"] = ["spec"]
    job["properties"]["spec"]["properties"]["restartPolicy"]["default"] = "Never"
    templates = {"worker": worker, "scheduler": scheduler, "job": job}
    (text,) = returns(crd(root({"type": "object", "properties": templates})))
    assert text.count("\n") < 70
    types = read_yaml(text)["types"]
    assert types["resource.Quantity"] == {
        "type": "string",
        "$remove": ["#anyOf", "#pattern", "#x-kubernetes-int-or-string"],
    }
    # The claim's metadata is not as metadata is elsewhere, so the type that holds it says so.
    assert types["core/v1.PersistentVolumeClaimTemplate"]["$add"] == {
        "metadata.clusterName": {"type": "string"},
        "metadata.selfLink": {"type": "string"},
    }
    # What one field adds to its type is no habit.
    assert "core/v1.PodTemplateSpec" not in types
    fields = read_yaml(text)["versions"]["v1"]["schema"]["properties"]["spec"]["properties"]
    assert fields == {
        "worker": {
            "$type": "core/v1.PodTemplateSpec",
            "properties": {"replicas": {"type": "integer", "default": 1}},
        },
        "scheduler": {"$type": "core/v1.PodTemplateSpec", "required": ["spec"]},
        "job": {"$type": "core/v1.PodTemplateSpec", "$add": {"spec.restartPolicy#default": "Never"}},
    }


def test_many_exceptions_are_listed_in_one_declaration() -> None:
    small = {"type": "object", "properties": {"container": old_pod()["properties"]["spec"]}}
    large = {"type": "object", "properties": {"a": old_pod(), "b": old_pod()}}
    small_text, large_text = returns(crd(root(small), kind="Small"), crd(root(large), kind="Thing"))
    assert read_yaml(small_text)["types"] == "things"
    assert len(read_yaml(large_text)["types"]) > 6


def test_few_exceptions_stand_in_every_declaration() -> None:
    schema = {"type": "object", "properties": {name: pod(31) for name in ("head", "worker", "submitter")}}
    for template in schema["properties"].values():
        _drop_embedded_metadata(template)
    made = import_crds([crd(root(schema)), crd(root(schema), kind="Other")], only=31)
    types = [read_yaml(file.text).get("types") for file in made.files]
    assert {"meta/v1.ObjectMeta": {"$remove": ["#properties"]}} in types
    assert not any(isinstance(each, str) for each in types)


def test_fields_may_be_called_as_the_words_of_a_declaration() -> None:
    words = ("$type", "$use", "$set", "properties", "items", "type", "default", "$ref", "description")
    inner: JsonObject = {word: {"type": "object", "properties": {word: {"type": "string"}}} for word in words}
    long = {"type": "object", "properties": {f"f{index}": {"type": "string"} for index in range(20)}}
    loose = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    inner["loose"] = {**loose, "default": {"$use": "a/b", "$type": "c"}}
    schema = {"type": "object", "properties": {**inner, "long": long}}
    texts = returns(crd(root(schema)), crd(root(long), kind="Other"))
    assert any("$use: " in text for text in texts)


def test_a_plainer_crd_may_make_others_plainer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three CRDs use one another's parts; when the first is written out, the others follow one by one."""
    fields = {f"f{index}": {"type": "string", "pattern": "x" * 60} for index in range(12)}
    bodies = [crd(root({"type": "object", "properties": fields}), kind=kind) for kind in ("A", "B", "C")]
    rounds = iter([[0], [0], [1], [1], [0], [2], [2], [1], [2], []])
    monkeypatch.setattr(importer, "_find_mismatches", lambda *_: next(rounds))
    assert all(file.is_literal for file in import_crds(bodies).files)


def test_versions_and_kinds_share_what_they_have_in_common() -> None:
    names = [f"field{index}" for index in range(15)]
    big = {"type": "object", "properties": {name: {"type": "string"} for name in names}}
    less = {"type": "object", "properties": {name: {"type": "string"} for name in names[1:]}}
    other = {"type": "object", "properties": {"thing": big}}
    thing, use = returns(crd(root(big), root(less)), crd(root(other), kind="User"))
    assert "schema: {$use: things/v1, $remove: [spec.field0]}" in thing
    assert "thing: {$use: things/v1/spec}" in use


def test_descriptions_are_counted_or_kept() -> None:
    schema = {
        "type": "object",
        "description": "one",
        "properties": {"a": {"type": "string", "description": "two"}},
    }
    made = import_crds([crd(root(schema))])
    assert made.descriptions == 2
    assert "description" not in made.files[0].text
    kept = import_crds([crd(root(schema))], keep=True)
    assert kept.descriptions == 0
    assert "{description: two, type: string}" in kept.files[0].text


def test_everything_above_the_schema_is_kept() -> None:
    body = crd(
        root({"type": "object"}), conversion={"strategy": "None"}, preserveUnknownFields=False, odd={"a": 1}
    )
    body["metadata"] |= {
        "annotations": {"controller-gen.kubebuilder.io/version": "v1", "mine": "yes"},
        "labels": {"a": "b"},
        "creationTimestamp": None,
    }
    body["status"] = {"storedVersions": ["v1"]}
    spec = body["spec"]
    spec["names"] = {"kind": "Thing", "plural": "things", "shortNames": ["t"], "categories": ["all"]}
    spec["versions"][0] |= {
        "deprecated": True,
        "deprecationWarning": "use v2: now",
        "subresources": {"scale": {"specReplicasPath": ".spec.n", "statusReplicasPath": ".status.n"}},
        "additionalPrinterColumns": [{"name": "Lost", "type": "string", "jsonPath": ".spec.lost"}],
        "later": True,
    }
    made = import_crds([body])
    (got,) = back([made.files[0].text], made.minor)
    assert got["metadata"] == {
        "name": "things.example.dev",
        "annotations": {"mine": "yes"},
        "labels": {"a": "b"},
    }
    assert got["spec"] == spec
    assert "dead: true" in made.files[0].text


def test_null_is_the_same_as_nothing() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string", "enum": None, "nullable": True, "default": None}},
    }
    body = crd(root(schema))
    body["spec"]["names"]["shortNames"] = None
    body["spec"]["versions"][0] |= {"subresources": None, "additionalPrinterColumns": None}
    del body["spec"]["versions"][0]["served"]
    made = import_crds([body])
    (got,) = back([made.files[0].text], made.minor)
    version = got["spec"]["versions"][0]
    assert version.keys() == {"name", "served", "storage", "schema"}
    assert version["served"] is False
    field = version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["a"]
    assert field == {"type": "string", "nullable": True, "default": None}


def test_two_groups_may_have_the_same_plural() -> None:
    one = crd(root({"type": "object", "properties": {f"f{i}": {"type": "string"} for i in range(20)}}))
    two = copy(one)
    two["metadata"]["name"], two["spec"]["group"] = "things.other.dev", "other.dev"
    made = import_crds([one, two])
    assert [file.name for file in made.files] == ["things.example.dev", "things.other.dev"]
    assert "$use: things.example.dev/v1" in made.files[1].text
    assert [body["metadata"]["name"] for body in back([file.text for file in made.files], made.minor)] == [
        "things.example.dev",
        "things.other.dev",
    ]


def test_an_object_without_the_usual_fields_stays_so() -> None:
    (text,) = returns(crd({"type": "object", "x-kubernetes-preserve-unknown-fields": True}))
    assert "envelope: false" in text


def test_imports_do_not_depend_on_the_order_of_the_input() -> None:
    bodies = [crd(root(pod(28)), kind=kind) for kind in ("Alpha", "Beta")]
    assert import_crds(bodies) == import_crds(bodies[::-1])


@rows(
    ("change", "rule"),
    [
        (lambda body: body["metadata"].update(name="wrong"), "crd-name"),
        (lambda body: body["spec"]["names"].update(plural="../things"), "crd-name"),
        (lambda body: body["spec"].update(group="a/b"), "crd-name"),
        (lambda body: body["spec"]["versions"][1].update(name="v" * 64), "crd-name"),
        (lambda body: body["spec"]["versions"][0].update(storage=False), "crd-storage"),
        (lambda body: body["spec"]["versions"][1].update(name="v1"), "crd-twice"),
        (lambda body: body["spec"]["versions"][0].update(schema={}), "crd-not-structural"),
        (lambda body: _spec(body).pop("type"), "crd-not-structural"),
        (lambda body: _spec(body).update(default=[]), "crd-default"),
        (lambda body: _spec(body).update(patern="x"), "crd-shape"),
        (lambda body: _spec(body).update(title=5), "crd-shape"),
        (lambda body: body["metadata"].update(annotations={"a": 1}), "crd-shape"),
        (lambda body: body["spec"].update(conversion="None"), "crd-shape"),
        (lambda body: body["spec"]["names"].update(shortNames="x"), "crd-shape"),
        (lambda body: body["spec"]["versions"][1].update(subresources={"scale": "x"}), "crd-shape"),
        (
            lambda body: body["spec"]["versions"][0].update(additionalPrinterColumns=[{"name": "a"}]),
            "crd-shape",
        ),
        (
            lambda body: body["spec"]["versions"][0].update(selectableFields=[{"jsonPath": ".spec.no"}]),
            "crd-column",
        ),
    ],
)
def test_a_crd_that_a_cluster_refuses_is_refused(change: object, rule: str) -> None:
    body = crd(root({"type": "object"}), root({"type": "object"}))
    assert check_crd(body, Origin("crd.yaml")) == []
    assert callable(change)
    change(body)
    assert rule in {fault.rule.id for fault in check_crd(body, Origin("crd.yaml"))}


def test_what_no_declaration_can_say_is_found_where_the_crd_says_it() -> None:
    body = crd(root({"type": "object"}), root({"type": "object", "title": 5}))
    body["metadata"]["labels"] = {"a": 1}
    body["spec"]["names"]["shortNames"] = [1]
    body["spec"]["versions"][1]["additionalPrinterColumns"] = [
        {"name": "a", "type": "text", "jsonPath": ".metadata.name"}
    ]
    version = "/spec/versions/1"
    assert sorted(str(fault.origin) for fault in check_crd(body, Origin("crd.yaml"))) == [
        "crd.yaml /metadata/labels/a",
        "crd.yaml /spec/names/shortNames/0",
        f"crd.yaml {version}/additionalPrinterColumns/0/type",
        f"crd.yaml {version}/schema/openAPIV3Schema/properties/spec/title",
    ]


@rows("depth", [10, 60, 94])
def test_a_deep_schema_comes_back(depth: int) -> None:
    schema: JsonObject = {"type": "string", "pattern": "x" * 300, "description": "word " * 60}
    for _ in range(depth):
        schema = {"type": "object", "properties": {"a": schema}}
    (text,) = returns(crd(root(schema)), keep=True)
    assert text.count("type: object") == depth + 1
    returns(crd(root(schema)))


def _spec(body: JsonObject) -> JsonObject:
    schema: JsonObject = body["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    return schema


def test_a_declaration_that_does_not_come_back_is_never_written(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(files: object, *, minor: int, home: object) -> Expansion:
        return Expansion(bodies=(crd(root({"type": "object", "nullable": True})),), findings=())

    monkeypatch.setattr(importer, "expand_crds", broken)
    with pytest.raises(FindingsError) as error:
        import_crds([crd(root({"type": "object"}))])
    assert [finding.rule.id for finding in error.value.findings] == ["crd-import"]


def test_a_short_form_that_does_not_come_back_gives_way_to_a_plainer_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    schema = pod(30)
    schema["properties"]["spec"]["properties"]["containers"]["minItems"] = 1
    monkeypatch.setattr(importer, "_find_mismatches", _only_without("$add"))
    (file,) = import_crds([crd(root(schema))]).files
    assert "$type: core/v1.Container" in file.text
    assert not file.is_literal
    monkeypatch.setattr(importer, "_find_mismatches", _only_without("$type"))
    (file,) = import_crds([crd(root(schema))]).files
    assert file.is_literal
    assert "$type" not in file.text


def _only_without(mark: str) -> Callable[..., list[int]]:
    def wrong(texts: list[str], *_: object) -> list[int]:
        return [index for index, text in enumerate(texts) if mark in text.partition("\n")[2]]

    return wrong


@rows(
    ("name", "field"),
    [
        ("networking/v1.IngressSpec", "spec"),
        ("networking/v1.IngressRule", "items"),
        ("networking/v1.IngressTLS", "tls"),
        ("networking/v1.NetworkPolicyPeer", "from"),
        ("networking/v1.NetworkPolicyPort", "ports"),
        ("apps/v1.DeploymentStrategy", "strategy"),
        ("batch/v1.PodFailurePolicy", "retries"),
        ("autoscaling/v2.MetricSpec", "scale"),
        ("rbac/v1.PolicyRule", "grants"),
        ("policy/v1.PodDisruptionBudgetSpec", "budget"),
    ],
)
def test_types_of_other_groups_are_named(name: str, field: str) -> None:
    schema = types_of(30).get_schema(name)
    (text,) = returns(crd(root({"type": "object", "properties": {field: schema}})))
    assert f"$type: {name}" in text


def test_a_small_schema_is_not_taken_for_a_type_of_an_odd_group() -> None:
    for field in ("spec", "status", "size"):
        schema = {"type": "object", "properties": {"replicas": {"type": "integer", "format": "int32"}}}
        (text,) = returns(crd(root({"type": "object", "properties": {field: schema}})))
        assert "$type" not in text


def test_a_minor_is_kept_if_no_other_makes_shorter_declarations() -> None:
    same = crd(root(types_of(29).get_schema("core/v1.Toleration")))
    for minor in (27, 29, 31):
        assert import_crds([same], prefer=minor).minor == minor
    newer = crd(root(pod(32)))
    assert import_crds([newer], prefer=28).minor == 32


def test_columns_of_other_versions_are_told_apart_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = [{"name": "A", "type": "string", "jsonPath": ".spec.a", "priority": 1}]
    version = {"name": "v9", "served": True, "storage": False, "additionalPrinterColumns": columns}
    schema = {"properties": {"spec": {"properties": {"a": {"type": "string"}}}}}
    version["schema"] = {"openAPIV3Schema": schema}
    others: JsonObject = {
        f"v{number}": {"columns": [{**columns[0], "name": f"B{number}"}]} for number in range(5)
    }
    looked: list[object] = []
    monkeypatch.setattr(
        declaration_fields, "freeze_value", lambda value: [*map(looked.append, [value]), freeze_value(value)]
    )
    assert declaration_fields.build_version(version, others)["columns"] == columns
    assert looked == []
    others["v5"] = {"columns": [{**columns[0], "priority": True}]}  # equal to Python alone
    others["v6"] = {"columns": columns}
    assert declaration_fields.build_version(version, others)["columns"] == "v6"
