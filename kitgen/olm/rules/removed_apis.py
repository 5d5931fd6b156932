"""APIs that a Kubernetes which the bundle is for no longer serves."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Path, problem, rule
from kitgen.kit.bundle_settings import OPENSHIFT
from kitgen.olm.packages.records import Bundle
from kitgen.olm.rules.terms import OWNED, REQUIRED, BundleFault, BundleTerms
from kitgen.olm.rules.versions import is_strict, minor_of, parse_versions
from kitgen.text.semver import version_key
from kitgen.text.values import entries_at, text_at
from kitgen.text.wording import cut

BUNDLE_API_GOING = rule("bundle-api-going")

ACCESS = ("LocalSubjectAccessReview", "SelfSubjectAccessReview", "SubjectAccessReview")
REMOVED: dict[tuple[str, str], int] = {
    **{("apiextensions.k8s.io/v1beta1", "CustomResourceDefinition"): 22},
    **{("scheduling.k8s.io/v1beta1", "PriorityClass"): 22},
    **{
        ("rbac.authorization.k8s.io/v1beta1", kind): 22
        for kind in ("Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding")
    },
    **{("apiregistration.k8s.io/v1beta1", "APIService"): 22},
    **{("authentication.k8s.io/v1beta1", "TokenReview"): 22},
    **{("authorization.k8s.io/v1beta1", kind): 22 for kind in ACCESS},
    **{
        ("admissionregistration.k8s.io/v1beta1", f"{kind}WebhookConfiguration"): 22
        for kind in ("Mutating", "Validating")
    },
    **{("coordination.k8s.io/v1beta1", "Lease"): 22},
    **{(f"{group}/v1beta1", "Ingress"): 22 for group in ("extensions", "networking.k8s.io")},
    **{("networking.k8s.io/v1beta1", "IngressClass"): 22},
    **{
        ("storage.k8s.io/v1beta1", kind): 22
        for kind in ("CSIDriver", "CSINode", "StorageClass", "VolumeAttachment")
    },
    **{("certificates.k8s.io/v1beta1", "CertificateSigningRequest"): 22},
    **{("batch/v1beta1", "CronJob"): 25},
    **{("discovery.k8s.io/v1beta1", "EndpointSlice"): 25},
    **{("events.k8s.io/v1beta1", "Event"): 25},
    **{("autoscaling/v2beta1", "HorizontalPodAutoscaler"): 25},
    **{("policy/v1beta1", kind): 25 for kind in ("PodDisruptionBudget", "PodSecurityPolicy")},
    **{("node.k8s.io/v1beta1", "RuntimeClass"): 25},
    **{("autoscaling/v2beta2", "HorizontalPodAutoscaler"): 26},
}
"""API and kind → the minor of Kubernetes 1 that is the first without it."""


def check(bundle: Bundle, _terms: BundleTerms) -> Iterator[BundleFault]:
    """Yield what a cluster of the bundle does not serve, and what newer ones do not."""
    versions = parse_versions(text_at(bundle.note(OPENSHIFT)))
    newest = minor_of(versions.newest) if versions and not versions.listed else 0
    surely = max(oldest_minor(bundle) or 0, newest)
    for each in bundle.objects:
        api, kind = text_at(each.body, "apiVersion"), text_at(each.body, "kind")
        if (minor := REMOVED.get((api, kind))) is None:
            continue
        gone = f"found {cut(f'{api} {kind}')}, which Kubernetes 1.{minor} no longer serves"
        if surely >= minor:
            yield BundleFault(
                each,
                problem(
                    "bundle-api-removed",
                    f"{gone}, and the bundle is for Kubernetes 1.{surely}",
                    ("apiVersion",),
                ),
            )
        else:
            yield BundleFault(each, BUNDLE_API_GOING(gone, ("apiVersion",)))
    yield from _resources(bundle)


def oldest_minor(bundle: Bundle) -> int | None:
    """Return the minor of Kubernetes that a bundle asks for at least; None if it says none."""
    said = text_at(bundle.csv.body, "spec", "minKubeVersion") if bundle.csv else ""
    if not is_strict(said.removeprefix("v")):
        return None
    return version_key(said)[1]


def _resources(bundle: Bundle) -> Iterator[BundleFault]:
    if bundle.csv is None:
        return
    for path in (OWNED, REQUIRED):
        for at, crd in entries_at(bundle.csv.body, *path):
            for number, each in entries_at(crd, "resources"):
                api, kind = text_at(each, "version"), text_at(each, "kind")
                if (minor := REMOVED.get((api, kind))) is not None:
                    where: Path = (*path, at, "resources", number)
                    message = f"found {cut(f'{api} {kind}')}, which Kubernetes 1.{minor} no longer serves"
                    yield BundleFault(bundle.csv, BUNDLE_API_GOING(message, where))
