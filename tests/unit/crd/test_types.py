from __future__ import annotations

import pytest
from some import rows

from kitgen.crd.types import TypeNameError, Types, types_of
from kitgen.kube import definitions
from kitgen.text.yaml import JsonObject, SharedMapping

REFERENCES = ("LocalObjectReference", "SecretKeySelector", "ConfigMapKeySelector", "ConfigMapEnvSource")


def fields(minor: int, name: str) -> JsonObject:
    found: JsonObject = types_of(minor).get_schema(name)["properties"]
    return found


@rows("minor", definitions.list_minors())
def test_nearly_every_type_of_every_minor_is_structural(minor: int) -> None:
    types = types_of(minor)
    sound = set()
    for name in types.list_names():
        try:
            if not types.find_fault(name):
                sound.add(name)
        except TypeNameError as error:
            assert error.problem.rule.id == "crd-recursive"
    assert len(sound) > 0.9 * len(types.list_names())
    assert {
        "core/v1.PodTemplateSpec",
        "core/v1.Service",
        "batch/v1.JobSpec",
        "apps/v1.StatefulSetSpec",
    } <= sound


def test_a_type_that_a_cluster_would_refuse_says_why() -> None:
    assert "neither required nor has a default" in types_of(30).find_fault("core/v1.PodStatus")
    assert "neither required nor has a default" in types_of(30).find_fault("core/v1.Pod")


def test_faults_are_found_whether_or_not_it_is_known_which_types_have_some(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = ("core/v1.PodStatus", "core/v1.Pod", "core/v1.PodSpec", "meta/v1.Condition")
    known = [types_of(30).find_fault(name) for name in names]
    monkeypatch.setattr(definitions, "find_unfit_types", lambda _: None)
    assert [Types(30).find_fault(name) for name in names] == known


def test_a_type_is_expanded_once_and_shared() -> None:
    types = types_of(28)
    template = types.get_schema("core/v1.PodTemplateSpec")
    assert isinstance(template, SharedMapping)
    assert template["properties"]["spec"] is types.get_schema("core/v1.PodSpec")
    assert types.get_schema("core/v1.PodSpec")["properties"]["containers"]["items"] is types.get_schema(
        "core/v1.Container"
    )


def test_short_names_tell_all_types_apart() -> None:
    for minor in definitions.list_minors():
        assert len(types_of(minor).list_names()) == len(definitions.definition_texts(minor))


def test_embedded_metadata_has_what_people_set() -> None:
    names = ["annotations", "finalizers", "labels", "name", "namespace"]
    for minor in definitions.list_minors():
        metadata = fields(minor, "meta/v1.ObjectMeta")
        assert list(metadata) == names
        assert metadata["finalizers"] == {"type": "array", "items": {"type": "string"}}


def test_quantities_and_ports_take_numbers_and_strings() -> None:
    quantity = types_of(28).get_schema("resource.Quantity")
    assert quantity["anyOf"] == [{"type": "integer"}, {"type": "string"}]
    assert quantity["x-kubernetes-int-or-string"] is True
    assert quantity["pattern"].startswith(r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|")
    assert "pattern" not in types_of(28).get_schema("intstr.IntOrString")


def test_references_to_configuration_are_replaced_as_a_whole() -> None:
    types = types_of(28)
    assert types.get_schema("core/v1.ConfigMapVolumeSource")["x-kubernetes-map-type"] == "atomic"
    assert "x-kubernetes-map-type" not in types.get_schema("core/v1.SecretVolumeSource")


@rows("name", REFERENCES)
def test_the_name_of_a_reference_has_a_default_since_1_30(name: str) -> None:
    assert "default" not in fields(29, f"core/v1.{name}")["name"]
    assert fields(30, f"core/v1.{name}")["name"] == {"type": "string", "default": ""}


def test_what_later_minors_add() -> None:
    assert "required" not in types_of(29).get_schema("core/v1.HostAlias")
    assert types_of(30).get_schema("core/v1.HostAlias")["required"] == ["ip"]
    assert "default" not in fields(30, "core/v1.ISCSIVolumeSource")["iscsiInterface"]
    assert fields(31, "core/v1.ISCSIVolumeSource")["iscsiInterface"]["default"] == "default"
    assert fields(34, "core/v1.FileKeySelector")["optional"] == {"type": "boolean", "default": False}


def test_a_port_is_tcp_unless_it_says_otherwise() -> None:
    for name in ("core/v1.ContainerPort", "core/v1.ServicePort"):
        for minor in definitions.list_minors():
            assert fields(minor, name)["protocol"] == {"type": "string", "default": "TCP"}


@rows("name", ["core/v1.PortStatus", "networking/v1.NetworkPolicyPort"])
def test_the_protocol_of_other_ports_has_a_default_until_1_31(name: str) -> None:
    for minor in definitions.list_minors():
        assert ("default" in fields(minor, name)["protocol"]) == (minor <= 31)


def test_conditions_are_validated() -> None:
    condition = fields(28, "meta/v1.Condition")
    assert condition["status"]["enum"] == ["True", "False", "Unknown"]
    assert condition["type"]["maxLength"] == 316


def test_whole_objects_may_be_of_any_kind() -> None:
    assert fields(28, "core/v1.Service")["kind"] == {"type": "string"}


def test_descriptions_are_those_of_the_place() -> None:
    types = types_of(28, descriptions=True)
    pod = types.get_schema("core/v1.PodSpec")["properties"]
    assert pod["containers"]["items"]["description"] != pod["securityContext"]["description"]
    lifecycle = types.get_schema("core/v1.Lifecycle")["properties"]
    assert lifecycle["postStart"]["description"] != lifecycle["preStop"]["description"]
    assert lifecycle["postStart"]["properties"] == lifecycle["preStop"]["properties"]
