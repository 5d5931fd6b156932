"""Namespaces of kinds that have none, and none of those that have one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import islice

from kitgen.check.index import below
from kitgen.check.references.scene import Found, Scene
from kitgen.check.schemas.catalog import is_own
from kitgen.crds.validate.metadata import NAMESPACE_DROPPED
from kitgen.findings import Chapter, Rule, Severity, is_slip
from kitgen.objects import Manifest, is_namespaced
from kitgen.schema.wording import choice, cut, shown

NAMESPACE_MISSING = Rule(
    id="namespace-missing",
    chapter=Chapter.BETWEEN,
    checks=(
        "Where all other objects of a file of manifests are in one namespace, so is every object, and none "
        "is in one that is called nearly as that of most others."
    ),
    fix="Add the namespace, or correct it.",
    why=(
        "What has no namespace goes to that of whoever applies it, which is another one on the next "
        "machine. What refers to it does not find it there."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)

CLUSTER_SCOPED: dict[str, tuple[str, ...]] = {
    "": ("ComponentStatus",),
    "admissionregistration.k8s.io": ("MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding"),
    "authentication.k8s.io": ("SelfSubjectReview", "TokenReview"),
    "authorization.k8s.io": ("SelfSubjectAccessReview", "SelfSubjectRulesReview", "SubjectAccessReview"),
    "internal.apiserver.k8s.io": ("StorageVersion",),
    "networking.k8s.io": ("IPAddress", "ServiceCIDR"),
    "resource.k8s.io": ("DeviceClass", "DeviceTaintRule", "ResourceSlice"),
    "storage.k8s.io": ("VolumeAttributesClass",),
    "storagemigration.k8s.io": ("StorageVersionMigration",),
    "argoproj.io": ("ClusterWorkflowTemplate",),
    "cert-manager.io": ("ClusterIssuer",),
    "certificates.k8s.io": ("ClusterTrustBundle",),
    "config.openshift.io": ("ImageDigestMirrorSet", "ImageTagMirrorSet", "OperatorHub"),
    "console.openshift.io": ("ConsoleLink", "ConsolePlugin", "ConsoleQuickStart"),
    "dscinitialization.opendatahub.io": ("DSCInitialization",),
    "external-secrets.io": ("ClusterExternalSecret", "ClusterSecretStore"),
    "gateway.networking.k8s.io": ("GatewayClass",),
    "operator.openshift.io": ("ImageContentSourcePolicy",),
    "project.openshift.io": ("Project",),
    "quota.openshift.io": ("ClusterResourceQuota",),
}
"""Group → more kinds whose objects live in no namespace."""


PLATFORM = frozenset({"default", "kube-public", "kube-system"})
"""Where operators put an object or two beside those in their own namespace."""


OTHERS = 3
"""How many times as many objects are in a namespace that one with a slip in its name was meant to be."""
MANY = 20
"""Namespaces that are worth a look."""
SHORTEST = 4
"""Letters of a word from which on another letter is a slip, and does not number things."""


def look(scene: Scene) -> Iterator[Found]:
    """Yield namespaces that a cluster drops, and objects that lack one."""
    declared = _declared(scene)
    files: dict[str, list[tuple[Manifest, str]]] = defaultdict(list)
    for manifest in scene.index.manifests:
        identity = manifest.id
        kind = (identity.group, identity.kind)
        namespaced = declared.get(kind)
        if namespaced is None and _is_cluster_scoped(*kind):
            if identity.namespace:
                space = below(manifest.body, "metadata", "namespace")
                message = (
                    f"found the namespace {shown(space)}, which the API server drops: "
                    "the kind is cluster-scoped"
                )
                yield manifest, NAMESPACE_DROPPED(message, ("metadata", "namespace"), "remove it")
        elif namespaced or (namespaced is None and is_own(identity.group, scene.context.minors)):
            files[manifest.origin(()).file].append((manifest, identity.namespace))
    if not scene.target:  # a kit says what is in no namespace
        for found in files.values():
            yield from _without(found)
            yield from _misspelt(found)


def _declared(scene: Scene) -> dict[tuple[str, str], bool]:
    """Return whether kinds with a CRD are namespaced: what is wrong with those is told with their schema."""
    crds = [
        *scene.context.crds,
        *(each.body for each in scene.of("apiextensions.k8s.io", "CustomResourceDefinition")),
    ]
    found: dict[tuple[str, str], bool] = {}
    for crd in crds:
        group, kind = below(crd, "spec", "group"), below(crd, "spec", "names", "kind")
        if isinstance(group, str) and isinstance(kind, str):
            found[group, kind] = below(crd, "spec", "scope") != "Cluster"
    return found


def _is_cluster_scoped(group: str, kind: str) -> bool:
    return not is_namespaced(group, kind) or kind in CLUSTER_SCOPED.get(group, ())


def _without(found: list[tuple[Manifest, str]]) -> Iterator[Found]:
    spaces = {space for _, space in found if space and space not in PLATFORM}
    lacking = [manifest for manifest, space in found if not space]
    if len(spaces) != 1 or not lacking or len(found) - len(lacking) < max(2, 2 * len(lacking)):
        return
    for manifest in lacking:
        named = choice(sorted(spaces), say=lambda each: cut(str(each)))
        message = f"found no namespace, expected {named}, as all others have"
        yield manifest, NAMESPACE_MISSING(message, ("metadata",))


def _misspelt(found: list[tuple[Manifest, str]]) -> Iterator[Found]:
    """Yield objects in a namespace that is surely meant to be that of many others."""
    counts = Counter(space for _, space in found if space)
    meant = {
        space: other
        for space, few in counts.items()
        for other, many in islice(counts.most_common(), MANY)
        if many >= OTHERS * few and _is_slip(space, other)
    }
    for manifest, space in found:
        if space in meant:
            message = f"found the namespace {cut(space)}, expected {cut(meant[space])}, as others have"
            yield manifest, NAMESPACE_MISSING(message, ("metadata", "namespace"))


def _is_slip(space: str, other: str) -> bool:
    """Tell whether two names differ in one word, by a letter of it."""
    words, others = space.split("-"), other.split("-")
    pairs = [pair for pair in zip(words, others, strict=False) if pair[0] != pair[1]]
    if len(words) != len(others) or len(pairs) != 1:
        return False
    return all(len(each) >= SHORTEST and each.isalpha() for each in pairs[0]) and is_slip(*pairs[0])
