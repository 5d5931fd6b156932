"""Fields that somebody else owns on a cluster: Argo CD neither counts nor changes what is in them.

Each comes with the one who owns it. Fields that the specs do not say, and nobody puts something into, are
not among them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kitgen.kube.identity import RBAC, ObjectId
from kitgen.kube.manifest import Manifest
from kitgen.render.kustomize.field_paths import find_values
from kitgen.text.values import map_at, value_at
from kitgen.text.yaml import JsonObject

QUEUE = "kueue.x-k8s.io/queue-name"
INJECTED = {
    "service.beta.openshift.io/inject-cabundle": "OpenShift's service CA",
    "cert-manager.io/inject-ca-from": "cert-manager",
    "cert-manager.io/inject-ca-from-secret": "cert-manager",
    "cert-manager.io/inject-apiserver-ca": "cert-manager",
}
"""Annotations that have somebody put an authority in; without one, the operator does it itself."""
CALLERS = {
    "admissionregistration.k8s.io": ("webhooks/clientConfig", ".webhooks[]?.clientConfig.caBundle"),
    "apiextensions.k8s.io": (
        "spec/conversion/webhook/clientConfig",
        ".spec.conversion.webhook.clientConfig.caBundle",
    ),
}
"""Group → where its objects say whom an API server calls, and the authority of that one's certificate."""
SUSPENDED = {("batch", "Job"), ("ray.io", "RayCluster"), ("ray.io", "RayJob")} | {
    ("workload.codeflare.dev", "AppWrapper")
}
EMPTY = ("", "Cg==")
"""What stands for an authority that is still to come."""


class IgnoredField(NamedTuple):
    """A field of an object, and who else writes it."""

    identity: ObjectId
    field: str
    why: str

    @property
    def entry(self) -> JsonObject:
        """Return it as an Application says it; a version would make Argo CD overlook it."""
        group = {"group": self.identity.group} if self.identity.group else {}
        of = {**group, "kind": self.identity.kind, "name": self.identity.name}
        return {**of, "jqPathExpressions": [self.field]}


def find_ignored_fields(objects: Sequence[Manifest]) -> Iterator[IgnoredField]:
    """Yield the fields of some objects that others own."""
    scaled = {target for each in objects for target in _find_scale_targets(each)}
    for each in objects:
        yield from (IgnoredField(each.id, field, why) for field, why in _find_object_fields(each, scaled))


def _find_object_fields(manifest: Manifest, scaled: set[tuple[str, str, str]]) -> Iterator[tuple[str, str]]:
    body, identity = manifest.body, manifest.id
    if identity.group in CALLERS:
        way, field = CALLERS[identity.group]
        called = [value for _, value in find_values(body, way) if isinstance(value, dict)]
        if any("service" in each and each.get("caBundle", "") in EMPTY for each in called):
            yield field, f"{_find_injector(body)} puts in the authority of the certificate"
    if (
        (identity.group, identity.kind) == (RBAC, "ClusterRole")
        and "aggregationRule" in body
        and "rules" in body
    ):
        yield ".rules", "Kubernetes fills in the rules of the roles that it aggregates"
    if (identity.kind, identity.namespace, identity.name) in scaled:
        yield ".spec.replicas", "an autoscaler sets the number of replicas"
    if identity.kind == "RayCluster" and value_at(body, "spec", "enableInTreeAutoscaling") is True:
        yield ".spec.workerGroupSpecs[]?.replicas", "Ray's autoscaler sets the number of workers"
    if (identity.group, identity.kind) in SUSPENDED and QUEUE in map_at(body, "metadata", "labels"):
        yield ".spec.suspend", "Kueue starts and suspends what is in a queue"


def _find_injector(body: JsonObject) -> str:
    given = map_at(body, "metadata", "annotations")
    # What kustomize was to fill in, and nobody did, asks nobody for anything.
    asked = (who for key, who in INJECTED.items() if key in given and "$(" not in str(given[key]))
    return next(asked, "the operator")


def _find_scale_targets(manifest: Manifest) -> Iterator[tuple[str, str, str]]:
    """Yield what an autoscaler scales: kind, namespace and name."""
    if manifest.id.kind in ("HorizontalPodAutoscaler", "ScaledObject"):
        found = value_at(manifest.body, "spec", "scaleTargetRef")
        if isinstance(found, dict):
            yield str(found.get("kind", "Deployment")), manifest.id.namespace, str(found.get("name"))
