"""Objects of Kubernetes' own kinds over a range of minors."""

from __future__ import annotations

import pytest
from checking import CRD, DEPLOYMENT, bodies, checked, manifest, told

from kitgen.check.context import CheckContext
from kitgen.check.engine import run_checks
from kitgen.text.yaml import SharedMapping


def test_a_misspelt_field_gets_the_right_name() -> None:
    assert told(checked(DEPLOYMENT.replace("replicas:", "replica:"))) == [
        "field-unknown Deployment/web /spec/replica: "
        "found the unknown field \"replica\" (did you mean 'replicas'?)"
    ]


def test_a_field_that_older_minors_lack_is_one_finding_with_the_minors() -> None:
    beside = "initContainers: [{name: beside, image: 'beside:v1', restartPolicy: Always}]"
    newer = DEPLOYMENT.replace("containers:", f"{beside}\n      containers:")
    assert told(checked(newer, minors=(26, 27, 28, 29))) == [
        "field-unknown Deployment/web /spec/template/spec/initContainers/0/restartPolicy: "
        'the field "restartPolicy" is not in Kubernetes 1.26 to 1.27 (Kubernetes 1.28 to 1.29 has it)'
    ]
    assert checked(newer, minors=(28, 29, 30)) == []


def test_a_field_that_newer_minors_lack_is_found_too() -> None:
    policy = """
        apiVersion: networking.k8s.io/v1
        kind: NetworkPolicy
        metadata: {name: web}
        status: {}
        """
    assert checked(policy, minors=(27,)) == []
    assert told(checked(policy, minors=(27, 28, 29))) == [
        "field-unknown NetworkPolicy/web /status: "
        'the field "status" is not in Kubernetes 1.28 to 1.29 (Kubernetes 1.27 has it)'
    ]


def test_a_wrong_type_says_found_and_expected_once_for_all_minors() -> None:
    assert told(checked(DEPLOYMENT.replace("replicas: 1", "replicas: one"))) == [
        'field-type Deployment/web /spec/replicas: found "one", expected a whole number'
    ]


def test_quantities_and_ports_take_both_types() -> None:
    service = """
        apiVersion: v1
        kind: Service
        metadata: {name: web}
        spec: {ports: [{name: a, port: 80, targetPort: http}, {name: b, port: 81, targetPort: 8081}]}
        """
    assert checked(service) == []
    assert told(checked(service.replace("8081", "[1]"))) == [
        "field-type Service/web /spec/ports/1/targetPort: found a list, expected a string or a whole number"
    ]


def test_a_secret_is_never_shown() -> None:
    secret = """
        apiVersion: v1
        kind: Secret
        metadata: {name: key}
        stringData: {pin: 12345}
        data: hunter2
        """
    text = "\n".join(told(checked(secret)))
    assert "found a string, expected a mapping" in text
    assert "found a number, expected a string" in text
    assert "12345" not in text
    assert "hunter2" not in text


@pytest.mark.parametrize(
    "value", ["hunter2!", "YWJ", "YWJjZ", "YW Jj", "YWJj====", "YWJj\u00e9", "Y=Jj", "_-8="]
)
def test_data_of_a_secret_is_base64(value: str) -> None:
    secret = f'{{apiVersion: v1, kind: Secret, metadata: {{name: key}}, data: {{pin: "{value}"}}}}'
    assert told(checked(secret)) == [
        "field-value Secret/key /data/pin: found a string, expected base64"
        " (encode it; a Secret takes plain text in stringData)"
    ]
    map_ = f'{{apiVersion: v1, kind: ConfigMap, metadata: {{name: key}}, binaryData: {{pin: "{value}"}}}}'
    assert len(checked(map_)) == 1
    assert checked(secret.replace(" data:", " stringData:")) == []


@pytest.mark.parametrize("value", ["", "YWJj", "YWI=", "YQ==", "YW\\nJj\\r\\n", "+/+/"])
def test_data_of_a_secret_that_is_base64(value: str) -> None:
    secret = f'{{apiVersion: v1, kind: Secret, metadata: {{name: key}}, data: {{pin: "{value}"}}}}'
    assert checked(secret) == []


def test_a_long_value_is_cut() -> None:
    (finding,) = checked(DEPLOYMENT.replace("replicas: 1", f"replicas: {'x' * 500}"))
    assert len(finding.message) < 120


def test_an_api_that_is_gone_names_its_successor() -> None:
    budget = "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: web}\n"
    assert told(checked(budget, minors=tuple(range(25, 38)))) == [
        "kubernetes-api PodDisruptionBudget/web /apiVersion: "
        "policy/v1beta1 PodDisruptionBudget is not served by Kubernetes 1.25 to 1.37 (use policy/v1)"
    ]


def test_an_api_that_some_minors_lack_names_them_and_is_checked_in_the_others() -> None:
    scaler = """
        apiVersion: autoscaling/v2beta2
        kind: HorizontalPodAutoscaler
        metadata: {name: web}
        spec: {maxReplicas: many, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}
        """
    assert told(checked(scaler, minors=(25, 26, 27))) == [
        'field-type HorizontalPodAutoscaler/web /spec/maxReplicas: found "many", expected a whole number',
        "kubernetes-api HorizontalPodAutoscaler/web /apiVersion: autoscaling/v2beta2 HorizontalPodAutoscaler "
        "is not served by Kubernetes 1.26 to 1.27 (use autoscaling/v2)",
    ]


def test_an_api_that_came_later_names_who_serves_it() -> None:
    policy = (
        "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: a}\n"
        "spec: {matchConstraints: {resourceRules: [{operations: ['*'], apiGroups: [''], apiVersions: [v1], "
        "resources: [pods]}]}, validations: [{expression: 'true'}]}\n"
    )
    (told_,) = told(checked(policy, minors=(29, 30, 31)))
    assert "is not served by Kubernetes 1.29 (use admissionregistration.k8s.io/v1beta1)" in told_


def test_a_group_without_a_dot_can_only_be_misspelt() -> None:
    (finding,) = checked(DEPLOYMENT.replace("apps/v1", "app/v1"))
    assert (finding.rule.id, finding.hint) == ("kubernetes-api", "use apps/v1")


def test_a_misspelt_kind_gets_the_right_name() -> None:
    (finding,) = checked(DEPLOYMENT.replace("kind: Deployment", "kind: Deploymnet"))
    assert (finding.rule.id, finding.hint) == ("kubernetes-api", "did you mean 'Deployment'?")


def test_shared_types_in_a_crd_are_taken_on_trust_and_the_rest_is_not() -> None:
    (body,) = bodies(CRD)
    schema = body["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    schema["properties"]["status"] = SharedMapping({"type": "object", "properties": {"a": 7}}, "core/v1.Pod")
    assert run_checks(CheckContext(targets={"olm": [manifest(body)]}, minors=(30,))) == []
    schema["properties"]["spec"]["maximun"] = 3
    schema["properties"]["spec"]["type"] = 7
    found = run_checks(CheckContext(targets={"a": [manifest(body)], "b": [manifest(body)]}, minors=(30,)))
    assert [each.rule.id for each in found] == ["field-type", "field-unknown"]
