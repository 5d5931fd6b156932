"""Argo CD is told what each object needs, and nothing more."""

from __future__ import annotations

from pathlib import Path

import kits
import pytest

from kitgen.argocd.annotations import CHECKSUM, STEP, SYNC_WAVE, WAVES, annotate_object, wave_of
from kitgen.argocd.ignored_fields import find_ignored_fields
from kitgen.argocd.layers import SyncedTarget, find_synced_target
from kitgen.findings import Origin
from kitgen.kube.identity import ObjectId
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.kube.object_size import MAX_ANNOTATIONS, SYNC_OPTIONS, needs_server_side_apply
from kitgen.render.plan import TargetPlan
from kitgen.text.yaml import JsonObject
from kitgen.workspace.kit import open_kit

ARGOCD = "--- targets/olm.yaml\n release: v1.0.0\n+argocd: {repository: https://example.com/kit.git%s}\n"
NAMESPACE = "--- targets/olm.yaml\n-    namespace: {name: hello-system, create: true}\n+    namespace: %s\n"
ORDER = [
    ("", "Namespace"),
    ("apiextensions.k8s.io", "CustomResourceDefinition"),
    ("rbac.authorization.k8s.io", "ClusterRole"),
    ("", "Service"),
    ("apps", "Deployment"),
    ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"),
    ("monitoring.coreos.com", "ServiceMonitor"),
    ("ray.io", "RayCluster"),
    ("kueue.x-k8s.io", "ResourceFlavor"),
    ("kueue.x-k8s.io", "ClusterQueue"),
    ("kueue.x-k8s.io", "LocalQueue"),
]


def manifest(api: str, kind: str, annotations: JsonObject | None = None, **more: object) -> Manifest:
    meta = {"name": "a", "namespace": "n", **({"annotations": annotations} if annotations else {})}
    body = {"apiVersion": api, "kind": kind, "metadata": meta, **more}
    return Manifest(body=body, sources=(FieldSource(path=(), cause="objects", origin=Origin("c.yaml")),))


def crd(size: int = 0, annotations: JsonObject | None = None) -> Manifest:
    spec = {"description": "x" * size}
    return manifest("apiextensions.k8s.io/v1", "CustomResourceDefinition", annotations, spec=spec)


def deployment(**container: object) -> Manifest:
    pod = {"containers": [{"name": "c", **container}]}
    return manifest("apps/v1", "Deployment", spec={"template": {"spec": pod}})


def synced(folder: Path, *edits: str, target: str = "olm") -> tuple[TargetPlan, SyncedTarget]:
    root = kits.make_kit(folder)
    for each in edits:
        kits.edit(root, each.removeprefix("--- "))
    opened = open_kit(root)
    plan = opened.plan(opened.target(target))
    synced = find_synced_target(plan)
    assert synced is not None
    return plan, synced


def options(of: Manifest, *, guard: bool = True) -> list[str]:
    said = annotate_object(of, {}, guard=guard).annotations.get(SYNC_OPTIONS, "")
    return said.split(",") if said else []


def test_what_is_needed_comes_before_what_needs_it() -> None:
    numbers = [WAVES[wave_of(ObjectId(group, kind, "", "a"))][0] for group, kind in ORDER]
    assert numbers == sorted(set(numbers))
    every = [number for number, _ in WAVES.values()]
    assert max(every) - min(every) < STEP


@pytest.mark.parametrize(
    ("group", "kind", "like"),
    [
        ("", "ServiceAccount", ("rbac.authorization.k8s.io", "Role")),
        ("security.openshift.io", "SecurityContextConstraints", ("rbac.authorization.k8s.io", "Role")),
        ("cert-manager.io", "Certificate", ("", "ConfigMap")),
        ("scheduling.k8s.io", "PriorityClass", ("", "ConfigMap")),
        ("operators.coreos.com", "Subscription", ("apps", "Deployment")),
        ("apiregistration.k8s.io", "APIService", ORDER[5]),
        ("example.com", "Namespace", ("example.com", "Greeting")),
    ],
)
def test_kinds_come_with_their_like(group: str, kind: str, like: tuple[str, str]) -> None:
    assert wave_of(ObjectId(group, kind, "", "a")) is wave_of(ObjectId(*like, "", "a"))


def test_what_an_object_says_already_stays() -> None:
    said = {SYNC_WAVE: "7", SYNC_OPTIONS: "Prune=false, Validate=false", "other": "x"}
    made = annotate_object(crd(annotations=said), {}, guard=True)
    assert made.annotations == {SYNC_OPTIONS: "Prune=false,Validate=false,Delete=confirm"}
    want = {**said, **made.annotations}
    assert made.annotated_manifest.body["metadata"]["annotations"] == want
    assert made.manifest.body["metadata"]["annotations"] == said


def test_a_guard_can_be_switched_off() -> None:
    assert options(crd()) == ["Prune=confirm", "Delete=confirm"]
    assert options(manifest("v1", "Namespace")) == ["Prune=confirm", "Delete=confirm"]
    assert options(crd(), guard=False) == []
    assert options(manifest("v1", "ConfigMap")) == []


def test_only_kinds_of_others_may_be_missing() -> None:
    assert options(manifest("ray.io/v1", "RayCluster")) == ["SkipDryRunOnMissingResource=true"]
    assert options(manifest("apps/v1", "Deployment")) == []


@pytest.mark.parametrize("distance", [-1000, *range(-350, -249, 4), 0])
def test_size_alone_asks_for_server_side_apply(distance: int) -> None:
    made = annotate_object(crd(MAX_ANNOTATIONS + distance), {}, guard=False)
    bare = made.annotated_manifest.body
    without = {**bare, "metadata": {**bare["metadata"], "annotations": {SYNC_WAVE: "-4"}}}
    assert ("ServerSideApply=true" in made.annotations.get(SYNC_OPTIONS, "")) == needs_server_side_apply(
        without
    )
    assert not needs_server_side_apply(bare)


@pytest.mark.parametrize(
    "container",
    [
        {"envFrom": [{"configMapRef": {"name": "words"}}]},
        {"env": [{"name": "A", "valueFrom": {"configMapKeyRef": {"name": "words", "key": "a"}}}]},
    ],
)
def test_configuration_that_changes_restarts_its_pods(container: JsonObject) -> None:
    def checksum(data: JsonObject, namespace: str = "n") -> str:
        found = {(namespace, "words"): {"data": data}, (namespace, "other"): {"data": {"b": "2"}}}
        return annotate_object(deployment(**container), found, guard=True).template.get(CHECKSUM, "")

    assert checksum({"a": "1", "b": "2"}) == checksum({"b": "2", "a": "1"}) != checksum({"a": "2", "b": "2"})
    assert checksum({"a": "1"}, namespace="elsewhere") == ""
    assert annotate_object(deployment(), {("n", "words"): {"data": {}}}, guard=True).template == {}


def webhooks(client: JsonObject, annotations: JsonObject | None = None) -> Manifest:
    api = "admissionregistration.k8s.io/v1"
    made = [{"name": "a.b.c", "clientConfig": client}]
    return manifest(api, "ValidatingWebhookConfiguration", annotations, webhooks=made)


SERVICE: JsonObject = {"service": {"name": "a", "namespace": "n"}}
PLACEHOLDER = {"cert-manager.io/inject-ca-from": "$(NAMESPACE)/$(NAME)"}
ROLE = {"aggregationRule": {"clusterRoleSelectors": []}}
QUEUED = {"name": "a", "namespace": "n", "labels": {"kueue.x-k8s.io/queue-name": "q"}}
SCALER = manifest(
    "autoscaling/v2", "HorizontalPodAutoscaler", spec={"scaleTargetRef": {"kind": "Deployment", "name": "a"}}
)


@pytest.mark.parametrize(
    ("objects", "want"),
    [
        ([webhooks(SERVICE)], "the operator"),
        ([webhooks(SERVICE, PLACEHOLDER)], "the operator"),
        ([webhooks(SERVICE, {"service.beta.openshift.io/inject-cabundle": "true"})], "OpenShift"),
        ([webhooks(SERVICE, {"cert-manager.io/inject-ca-from": "n/a"})], "cert-manager"),
        ([webhooks({**SERVICE, "caBundle": "c2VjcmV0"})], ""),
        ([webhooks({"url": "https://example.com"})], ""),
        ([manifest("rbac.authorization.k8s.io/v1", "ClusterRole", rules=[], **ROLE)], "Kubernetes"),
        ([manifest("rbac.authorization.k8s.io/v1", "ClusterRole", **ROLE)], ""),
        ([deployment(), SCALER], "autoscaler"),
        ([deployment()], ""),
        ([manifest("ray.io/v1", "RayCluster", spec={"enableInTreeAutoscaling": True})], "Ray's autoscaler"),
        ([manifest("ray.io/v1", "RayCluster", spec={})], ""),
        ([manifest("batch/v1", "Job", metadata=QUEUED)], "Kueue"),
        ([manifest("v1", "ConfigMap", metadata=QUEUED)], ""),
    ],
)
def test_only_what_somebody_else_owns_is_ignored(objects: list[Manifest], want: str) -> None:
    found = [*find_ignored_fields(objects)]
    assert bool(found) == bool(want)
    assert all(want in each.why for each in found)
    assert all("version" not in each.entry and each.entry["jqPathExpressions"] for each in found)


def test_a_conversion_webhook_gets_its_authority_on_the_cluster() -> None:
    spec = {"conversion": {"strategy": "Webhook", "webhook": {"clientConfig": SERVICE}}}
    made = manifest("apiextensions.k8s.io/v1", "CustomResourceDefinition", spec=spec)
    assert [each.field for each in find_ignored_fields([made])] == [
        ".spec.conversion.webhook.clientConfig.caBundle"
    ]


@pytest.mark.parametrize(("name", "added", "dropped"), [("openshift-a", False, True), ("team", False, False)])
def test_a_namespace_of_the_platform_is_not_owned(
    name: str, added: bool, dropped: bool, tmp_path: Path
) -> None:
    _, made = synced(tmp_path, ARGOCD % "", NAMESPACE % f"{{name: {name}, create: true}}")
    (layer,) = made.layers
    assert (layer.namespace is not None, bool(layer.dropped)) == (added, dropped)
    assert ("Namespace" in {each.id.kind for each in layer.objects}) is not dropped


@pytest.mark.parametrize(("name", "added"), [("team", True), ("kube-system", False), ("default", False)])
def test_a_namespace_that_nothing_makes_is_added(name: str, added: bool, tmp_path: Path) -> None:
    _, made = synced(tmp_path, ARGOCD % "", NAMESPACE % name)
    assert (made.layers[0].namespace is not None) is added


def test_a_project_permits_what_its_applications_bring_and_no_more(tmp_path: Path) -> None:
    plan, made = synced(tmp_path, ARGOCD % ", project: own, destination: {name: spoke}")
    project, *apps = made.applications
    spec = project.body["spec"]
    kinds = {(each.id.group, each.id.kind) for unit in plan.units for each in unit.final}
    allowed = [*spec["clusterResourceWhitelist"], *spec["namespaceResourceWhitelist"]]
    assert sorted((each["group"], each["kind"]) for each in allowed) == sorted(kinds)
    assert spec["sourceRepos"] == ["https://example.com/kit.git"]
    assert {"name": "spoke", "namespace": "hello-system"} in spec["destinations"]
    for each in apps:
        assert each.body["spec"]["destination"] in spec["destinations"]
        assert (project.id.name, each.body["spec"]["project"]) == ("own", "own")
        assert "syncPolicy" not in each.body["spec"]


def test_a_target_says_how_it_is_synced(tmp_path: Path) -> None:
    _, made = synced(tmp_path, ARGOCD % ", sync: {automated: {prune: true}}")
    policy = made.applications[1].body["spec"]["syncPolicy"]
    assert policy == {"automated": {"prune": True, "selfHeal": False}}


def test_a_target_without_it_has_nothing_of_it(tmp_path: Path) -> None:
    opened = open_kit(kits.make_kit(tmp_path))
    assert find_synced_target(opened.plan(opened.target("olm"))) is None


@pytest.mark.parametrize(
    "odd",
    [
        "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: a.b}}",
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, annotations: []}, spec: {template: 1}}",
        "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: a}, spec: []}",
        "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, "
        "metadata: {name: a}, webhooks: [{clientConfig: 1}, 2]}",
    ],
)
def test_objects_of_any_shape_are_left_to_the_checks(odd: str, tmp_path: Path) -> None:
    edit = f"--- components/hello/v1.0.0/component.yaml\n+objects:\n+- {odd}\n services:\n"
    _, made = synced(tmp_path, ARGOCD % "", edit)
    assert made.applications
