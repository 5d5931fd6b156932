"""Where an import draws its lines: what is named, what is shared, and what is written out."""

from __future__ import annotations

import pytest
from declared import crd, root
from some import rows

from kitgen.crd.importer.encode import Encoder
from kitgen.crd.importer.importer import import_crds
from kitgen.crd.importer.type_catalog import COMMON_WORDS, TypeCatalog
from kitgen.crd.schema_edits import SchemaPart
from kitgen.crd.types import types_of
from kitgen.kube.schema_interning import Interner
from kitgen.text.yaml import JsonObject


@pytest.fixture(scope="module")
def catalog() -> TypeCatalog:
    return TypeCatalog(types_of(34), Interner())


def thing(count: int, prefix: str = "field") -> JsonObject:
    return {"type": "object", "properties": {f"{prefix}{n}": {"type": "string"} for n in range(count)}}


def holding(**fields: JsonObject) -> JsonObject:
    return crd(root({"type": "object", "properties": fields}))


@rows(("count", "shared"), [(7, False), (8, True), (9, True)])
def test_a_part_of_another_kind_is_used_if_it_is_large(count: int, shared: bool) -> None:
    user = crd(
        root({"type": "object", "properties": {"other": thing(count), "more": {"type": "integer"}}}),
        kind="User",
    )
    _, text = (file.text for file in import_crds([holding(part=thing(count)), user], only=30).files)
    assert ("$use: things/v1/spec.part" in text) == shared


@rows(("count", "shared"), [(3, False), (5, True)])
def test_a_part_of_its_own_kind_may_be_smaller(count: int, shared: bool) -> None:
    (file,) = import_crds([holding(one=thing(count), two=thing(count))], only=30).files
    assert ("$use" in file.text) == shared


@pytest.mark.parametrize(
    ("name", "field", "named"),
    [
        ("core/v1.Toleration", "anything", True),  # five fields
        ("core/v1.CinderVolumeSource", "anything", False),  # four
        ("core/v1.CinderVolumeSource", "cinder", True),
    ],
)
def test_a_type_with_few_fields_is_named_only_where_its_field_says_so(
    catalog: TypeCatalog, name: str, field: str, named: bool
) -> None:
    schema = catalog.schemas[name]
    assert (catalog.find_exact(catalog.interner.intern(schema), field) == name) == named
    assert (name in catalog.find_nearest(schema, field)) == named


def test_the_nearest_types_are_few_and_the_best_first(catalog: TypeCatalog) -> None:
    found = catalog.find_nearest(catalog.schemas["meta/v1.Condition"], "conditions")
    assert found[0] == "meta/v1.Condition"
    assert len(found) == 3


COMMON = {
    "condition": "admissionregistration/v1.MatchCondition",
    "config": "admissionregistration/v1.WebhookClientConfig",
    "data": "resource/v1.NetworkDeviceData",
    "kind": "admissionregistration/v1.ParamKind",
    "list": "admissionregistration/v1.MutatingWebhookConfigurationList",
    "ref": "rbac/v1.RoleRef",
    "reference": "admissionregistration/v1.ServiceReference",
    "resource": "apiextensions/v1.CustomResourceSubresourceScale",
    "rule": "authorization/v1.NonResourceRule",
    "source": "autoscaling/v2.ContainerResourceMetricSource",
    "spec": "authentication/v1.TokenRequestSpec",
    "template": "resource/v1.ResourceClaimTemplateSpec",
    "value": "autoscaling/v2.MetricValueStatus",
}


@pytest.mark.parametrize("word", COMMON)
def test_a_common_word_does_not_speak_for_an_odd_type(catalog: TypeCatalog, word: str) -> None:
    name = COMMON[word]
    schema = catalog.schemas[name]
    assert name in catalog.find_nearest(schema, name.rpartition(".")[2])
    assert name not in catalog.find_nearest(schema, word)


def test_every_common_word_is_tried() -> None:
    assert COMMON.keys() == COMMON_WORDS


def test_only_the_last_parts_that_are_alike_are_tried(catalog: TypeCatalog) -> None:
    encoder = Encoder(catalog)
    for number in range(9):
        schema = thing(20)
        schema["properties"][f"own{number}"] = {"type": "boolean"}
        part = SchemaPart(f"kind{number}", "v1").below("properties", "spec")
        encoder._register_part(schema, part, schema, minimum=0)
    tried = list(encoder._encode_near_parts(thing(20), SchemaPart("new", "v1").below("properties", "spec")))
    assert [each["$use"] for each in tried] == [f"kind{n}/v1/spec" for n in (8, 7, 6, 5)]
