"""What goes into a ClusterServiceVersion and what stays beside it: accounts, roles, bindings, webhooks."""

from __future__ import annotations

import pytest
from checking import manifests

from kitgen.findings import Origin, Problem
from kitgen.kit.model import BundleSettings, Settings
from kitgen.kube.manifest import Manifest
from kitgen.olm.csv_parts import CsvPart
from kitgen.olm.listing import build_required_crds
from kitgen.olm.permissions import OperatorPermissions, find_permissions
from kitgen.olm.webhooks import build_webhook_definitions
from kitgen.text.yaml import JsonObject

ACCOUNT = """
apiVersion: v1
kind: ServiceAccount
metadata: {name: boats, namespace: harbour}
"""
ROLE = """
---
apiVersion: rbac.authorization.k8s.io/v1
kind: KIND
metadata: {name: sail, namespace: harbour}
rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]
"""
BINDING = """
---
apiVersion: rbac.authorization.k8s.io/v1
kind: KIND
metadata: {name: NAME, namespace: PLACE}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ROLE, name: sail}
subjects: [SUBJECTS]
"""
MINE = "{kind: ServiceAccount, name: boats, namespace: harbour}"
THEIRS = "{kind: Group, apiGroup: rbac.authorization.k8s.io, name: crews}"


def role(kind: str = "ClusterRole") -> str:
    text = ROLE.replace("KIND", kind)
    return text if kind == "Role" else text.replace(", namespace: harbour", "")


def binding(
    subjects: str = MINE, *, kind: str = "ClusterRoleBinding", of: str = "ClusterRole", place: str = "harbour"
) -> str:
    text = BINDING.replace("KIND", kind).replace("ROLE", of).replace("SUBJECTS", subjects)
    name = {MINE: "mine", THEIRS: "theirs"}.get(subjects, "both")
    text = text.replace("NAME", name).replace("PLACE", place)
    return text if kind == "RoleBinding" else text.replace(f", namespace: {place}}}", "}", 1)


def granted(text: str) -> tuple[OperatorPermissions, list[str]]:
    """Return what an account gets, and which objects stay beside the ClusterServiceVersion."""
    objects = manifests(text)
    found = find_permissions(objects, {"boats"}, "harbour")
    return found, [str(each.id) for each in objects if id(each) not in found.taken]


def rules(pieces: list[CsvPart]) -> list[JsonObject]:
    return [each.value for each in pieces]


RULE = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}


def test_a_bound_role_is_the_clusters() -> None:
    found, left = granted(ACCOUNT + role() + binding())
    assert rules(found.cluster["boats"]) == [RULE]
    assert (found.own, left) == ({}, [])


def test_a_binding_in_the_namespace_is_for_the_namespace() -> None:
    for kind in ("Role", "ClusterRole"):
        found, left = granted(ACCOUNT + role(kind) + binding(kind="RoleBinding", of=kind))
        assert rules(found.own["boats"]) == [RULE]
        assert (found.cluster, left) == ({}, [])


def test_an_unbound_role_stays() -> None:
    found, left = granted(ACCOUNT + role())
    assert (found.cluster, found.own, left) == ({}, {}, ["ClusterRole/sail"])


def test_what_others_have_stays_theirs() -> None:
    found, left = granted(ACCOUNT + role() + binding(f"{MINE}, {THEIRS}"))
    assert rules(found.cluster["boats"]) == [RULE]
    assert left == ["ClusterRole/sail", "ClusterRoleBinding/both"]
    (trimmed,) = found.trimmed.values()
    assert [each["name"] for each in trimmed.body["subjects"]] == ["crews"]


def test_a_role_of_two_bindings_stays_for_the_other() -> None:
    _, left = granted(ACCOUNT + role() + binding() + binding(THEIRS))
    assert left == ["ClusterRole/sail", "ClusterRoleBinding/theirs"]


def test_a_binding_elsewhere_stays() -> None:
    found, left = granted(ACCOUNT + role() + binding(kind="RoleBinding", place="kube-system"))
    assert (found.cluster, found.own) == ({}, {})
    assert left == ["ClusterRole/sail", "RoleBinding/mine"]


def test_an_account_elsewhere_is_another_one() -> None:
    found, left = granted(
        ACCOUNT.replace("harbour", "sea") + role() + binding(MINE.replace("harbour", "sea"))
    )
    assert (found.cluster, len(left)) == ({}, 3)


SERVED = """
apiVersion: v1
kind: Service
metadata: {name: hooks, namespace: harbour}
spec: {selector: {app: boats}, ports: [{port: 443, targetPort: 9443}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: manager, namespace: harbour}
spec: {selector: {matchLabels: {app: boats}}, template: {metadata: {labels: {app: boats}}, spec: {}}}
"""
CONVERTED = """
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: NAME.example.com}
spec:
  group: example.com
  names: {plural: NAME, kind: Boat}
  versions: []
  conversion:
    strategy: Webhook
    webhook:
      conversionReviewVersions: [v1]
      clientConfig: {service: {name: hooks, namespace: harbour, path: /convert}}
"""


def made(text: str) -> list[JsonObject | str]:
    found: list[tuple[Manifest, CsvPart | Problem]] = [*build_webhook_definitions(manifests(text))]
    return [each.message if isinstance(each, Problem) else each.value for _, each in found]


def test_one_definition_converts_all_crds_of_a_server() -> None:
    names = [CONVERTED.replace("NAME", each) for each in ("ships", "boats")]
    assert made(SERVED + "".join(names)) == [
        {
            "type": "ConversionWebhook",
            "generateName": "cmanager.kb.io",
            "deploymentName": "manager",
            "containerPort": 443,
            "targetPort": 9443,
            "webhookPath": "/convert",
            "admissionReviewVersions": ["v1"],
            "sideEffects": "None",
            "conversionCRDs": ["boats.example.com", "ships.example.com"],
        }
    ]


def test_a_server_that_is_not_in_the_bundle() -> None:
    crd = CONVERTED.replace("NAME", "boats")
    assert made(SERVED + crd.replace("name: hooks", "name: others")) == [
        "found a webhook that leads to no Service of the bundle, which OLM cannot serve"
    ]
    assert made(SERVED.replace("selector: {app: boats}, ports", "selector: {app: ships}, ports") + crd) == [
        "found the Service hooks, which selects no Deployment of the bundle"
    ]


def test_a_role_that_is_bound_twice_is_granted_once() -> None:
    twice = binding() + binding(f"{MINE}, {THEIRS}")
    found, _ = granted(ACCOUNT + role() + twice)
    assert rules(found.cluster["boats"]) == [RULE]


def test_a_role_that_takes_in_others_stays_with_its_binding() -> None:
    taking_in = role().replace("rules: [", "aggregationRule: {clusterRoleSelectors: []}\nrules: [")
    found, left = granted(ACCOUNT + taking_in + binding())
    assert (found.cluster, left) == ({}, ["ClusterRole/sail", "ClusterRoleBinding/mine"])


def test_a_role_that_others_take_in_stays_too() -> None:
    labels = 'labels: {rbac.authorization.k8s.io/aggregate-to-view: "true"}'
    found, left = granted(ACCOUNT + role().replace("{name: sail", f"{{name: sail, {labels}") + binding())
    assert rules(found.cluster["boats"]) == [RULE]
    assert left == ["ClusterRole/sail"]


@pytest.mark.parametrize(
    ("wanted", "name"),
    [
        ("example.com/v1/Boat", "boats.example.com"),
        ("example.com/v2/Boat", ""),
        ("example.com/v1/Ship", ""),
        ("cert-manager.io/v1/Certificate", "certificates.cert-manager.io"),
        ("monitoring.coreos.com/v1/PodMonitor", "podmonitors.monitoring.coreos.com"),
    ],
)
def test_what_an_operator_requires(wanted: str, name: str) -> None:
    origin = Origin("targets/olm.yaml", ("bundle",))
    settings = BundleSettings(
        component="boats",
        package="boats",
        channels=("stable",),
        settings=Settings(origin=origin),
        requires=(wanted,),
        scorecard="",
        origin=origin,
    )
    text = CONVERTED.replace("NAME", "boats").replace("versions: []", "versions: [{name: v1, served: true}]")
    found, missing = build_required_crds(settings, manifests(text))
    assert [each.value["name"] for each in found] == ([name] if name else [])
    assert len(missing) == (0 if name else 1)
