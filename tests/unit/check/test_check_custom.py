"""Kinds that Kubernetes does not define: from CRDs, and from the schemas that kitgen ships."""

from __future__ import annotations

import jsonschema
import pytest
from checking import CRD, QUEUE, bodies, checked, told

from kitgen import schemafiles
from kitgen.check.catalog import Kind
from kitgen.check.custom import shipped

GOOD = {
    "SecurityContextConstraints": """
        apiVersion: security.openshift.io/v1
        kind: SecurityContextConstraints
        metadata: {name: run-as-user}
        allowPrivilegeEscalation: false
        runAsUser: {type: MustRunAs, uid: 1000}
        seLinuxContext: {type: MustRunAs}
        requiredDropCapabilities: [ALL]
        priority: null
        users: ['system:serviceaccount:apps:web']
        volumes: [configMap, secret]
        """,
    "PodMonitor": """
        apiVersion: monitoring.coreos.com/v1
        kind: PodMonitor
        metadata: {name: web}
        spec:
          selector: {matchLabels: {app: web}}
          podMetricsEndpoints:
          - {port: metrics, interval: 1m30s, scheme: https, tlsConfig: {insecureSkipVerify: true}}
        """,
    "ServiceMonitor": """
        apiVersion: monitoring.coreos.com/v1
        kind: ServiceMonitor
        metadata: {name: web}
        spec:
          selector: {matchExpressions: [{key: app, operator: Exists}]}
          endpoints: [{targetPort: 8080, bearerTokenFile: /token, relabelings: [{action: drop, regex: a}]}]
        """,
    "PrometheusRule": """
        apiVersion: monitoring.coreos.com/v1
        kind: PrometheusRule
        metadata: {name: web}
        spec:
          groups:
          - name: web
            rules:
            - {alert: Down, expr: up == 0, for: 5m, labels: {severity: critical}}
            - {record: one, expr: 1}
        """,
    "DataScienceCluster": """
        apiVersion: datasciencecluster.opendatahub.io/v1
        kind: DataScienceCluster
        metadata: {name: default-dsc}
        spec:
          components:
            codeflare: {managementState: Managed}
            ray: {managementState: Managed}
            kueue: {managementState: Removed}
        """,
}

BAD = [
    ("SecurityContextConstraints", "runAsUser:", "runAsUsr:", "did you mean 'runAsUser'?"),
    ("SecurityContextConstraints", "MustRunAs, uid", "MustRun, uid", "did you mean 'MustRunAs'?"),
    ("PodMonitor", "port: metrics", "port: 8080", "quote it"),
    ("PodMonitor", "1m30s", "90 seconds", "a duration such as 30s, 5m or 1h30m"),
    ("ServiceMonitor", "bearerTokenFile", "bearerTokenFil", "did you mean 'bearerTokenFile'?"),
    ("ServiceMonitor", "selector", "select", 'found no field "selector"'),
    ("PrometheusRule", "alert: Down, ", "", 'found none of "alert" or "record", expected one of them'),
    ("PrometheusRule", "record: one", "record: one, alert: Two", 'only one of "alert" or "record"'),
    ("DataScienceCluster", "kueue:", "queue:", "did you mean 'kueue'?"),
    ("DataScienceCluster", "Removed", "Unmanaged", 'expected one of "Managed" or "Removed"'),
]


@pytest.mark.parametrize("kind", GOOD)
def test_a_shipped_kind_accepts_what_is_right(kind: str) -> None:
    assert checked(GOOD[kind]) == []


@pytest.mark.parametrize(("kind", "old", "new", "words"), BAD)
def test_a_shipped_kind_explains_what_is_wrong(kind: str, old: str, new: str, words: str) -> None:
    assert old in GOOD[kind]
    assert words in " ".join(told(checked(GOOD[kind].replace(old, new, 1))))


def test_every_shipped_kind_is_tried() -> None:
    names = [name.rpartition("/")[2] for name in schemafiles.names() if name.startswith("kinds/")]
    assert sorted(names) == sorted(f"{kind.lower()}_v1" for kind in GOOD)


@pytest.mark.parametrize("name", [name for name in schemafiles.names() if name.startswith("kinds/")])
def test_a_shipped_schema_is_itself_right(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(schemafiles.schema(name))


@pytest.mark.parametrize(("kind", "old", "new", "_"), [(kind, "", "", "") for kind in GOOD] + BAD)
def test_a_second_validator_says_the_same(kind: str, old: str, new: str, _: str) -> None:
    (body,) = bodies(GOOD[kind].replace(old, new, 1))
    group, _slash, version = body["apiVersion"].partition("/")
    shape = shipped(Kind(group, version, kind))
    assert shape is not None
    assert shape.accepts(body) is jsonschema.Draft202012Validator(shape.schema).is_valid(body)


def test_a_stranger_cannot_name_a_file_outside_the_schemas() -> None:
    assert shipped(Kind("../../x", "v1", "../../../pyproject")) is None
    assert shipped(Kind("security.openshift.io", "v2", "SecurityContextConstraints")) is None


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
    assert finding.message == "found the version v1beta1, expected one that its CRD serves: v1"


def test_a_crd_whose_schema_is_none_leaves_its_kind_unchecked() -> None:
    broken = CRD.replace("'^(?i)[a-z]*$'", "'(['")
    assert {each.rule for each in checked(broken + "---" + QUEUE)} == {"kind-unknown"}
