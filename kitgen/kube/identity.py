"""The identity of an object in a cluster: group, kind, namespace and name."""

from __future__ import annotations

from msgspec import Struct

from kitgen.findings import get_rule
from kitgen.kube.foreign_kinds import is_cluster_scoped
from kitgen.text.secrets import redact_value
from kitgen.text.values import map_at
from kitgen.text.yaml import Json, JsonObject

OBJECT_DUPLICATE = get_rule("object-duplicate")

RBAC = "rbac.authorization.k8s.io"
CLUSTER_SCOPED = {
    "": ("ComponentStatus", "Namespace", "Node", "PersistentVolume"),
    "admissionregistration.k8s.io": (
        *("MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding", "MutatingWebhookConfiguration"),
        *("ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "ValidatingWebhookConfiguration"),
    ),
    "apiextensions.k8s.io": ("CustomResourceDefinition",),
    "apiregistration.k8s.io": ("APIService",),
    "authentication.k8s.io": ("SelfSubjectReview", "TokenReview"),
    "authorization.k8s.io": ("SelfSubjectAccessReview", "SelfSubjectRulesReview", "SubjectAccessReview"),
    "certificates.k8s.io": ("CertificateSigningRequest", "ClusterTrustBundle"),
    "flowcontrol.apiserver.k8s.io": ("FlowSchema", "PriorityLevelConfiguration"),
    "internal.apiserver.k8s.io": ("StorageVersion",),
    "networking.k8s.io": ("ClusterCIDR", "IPAddress", "IngressClass", "ServiceCIDR"),
    "node.k8s.io": ("RuntimeClass",),
    RBAC: ("ClusterRole", "ClusterRoleBinding"),
    "resource.k8s.io": ("DeviceClass", "DeviceTaintRule", "ResourceClass", "ResourceSlice"),
    "scheduling.k8s.io": ("PriorityClass",),
    "storage.k8s.io": ("CSIDriver", "CSINode", "StorageClass", "VolumeAttachment", "VolumeAttributesClass"),
    "storagemigration.k8s.io": ("StorageVersionMigration",),
}
"""Group → kinds of Kubernetes itself whose objects live in no namespace."""


def split_api_version(api_version: str) -> tuple[str, str]:
    """Return group and version; the core group is empty."""
    group, _, version = api_version.rpartition("/")
    return group, version


def split_kind(text: str) -> tuple[str, str, str]:
    """Return group, version and kind of `group/version/Kind`; the core group is core or left out."""
    api_version, _, kind = text.rpartition("/")
    group, version = split_api_version(api_version)
    return "" if group == "core" else group, version, kind


def is_namespaced(group: str, kind: str) -> bool:
    """Return whether objects of this kind live in a namespace; a kind not known here does."""
    return kind not in CLUSTER_SCOPED.get(group, ()) and not is_cluster_scoped(group, kind)


class ObjectId(Struct, frozen=True, order=True):
    """Group, kind, namespace and name: what a cluster keeps apart."""

    group: str
    kind: str
    namespace: str
    name: str

    @staticmethod
    def of(body: JsonObject) -> ObjectId:
        """Return the identity of a body; what it lacks is empty."""
        meta = map_at(body, "metadata")
        group, _ = split_api_version(str(body.get("apiVersion", "")))
        return ObjectId(
            group,
            str(body.get("kind", "")),
            _to_name(meta.get("namespace")),
            _to_name(meta.get("name") or meta.get("generateName")),
        )

    def __str__(self) -> str:
        # Whoever writes anything in the place of a name may write a secret there.
        odd = "=" in self.name or ":" in self.name or " " in self.name
        return f"{self.kind}/{redact_value(self.name) if odd else self.name}"


def _to_name(name: Json) -> str:
    """Return what is to be a name as a text; a mapping or a list is none."""
    return "" if isinstance(name, dict | list) else str(name or "")


FOR_ALL = ("openshift-operators", "operators")
"""Namespaces that OLM itself brings, with an OperatorGroup that is for all namespaces."""


def is_platform_namespace(namespace: str) -> bool:
    """Return whether a namespace is the platform's, which has it already."""
    return namespace in ("default", *FOR_ALL) or namespace.startswith(("openshift-", "kube-"))
