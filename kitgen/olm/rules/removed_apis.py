"""APIs that a Kubernetes which the bundle is for no longer serves."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Problem, get_rule, make_problem
from kitgen.kit.bundle_settings import OPENSHIFT
from kitgen.kube.manifest import Manifest
from kitgen.olm.packages.records import Bundle
from kitgen.olm.rules.terms import OWNED, REQUIRED, CsvView
from kitgen.olm.rules.versions import is_strict_version, kubernetes_minor_of, parse_openshift_versions
from kitgen.text.semver import version_key
from kitgen.text.values import entries_at, text_at
from kitgen.text.wording import quote_text

BUNDLE_API_GOING = get_rule("bundle-api-going")

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


def check_api(each: Manifest, bundle: Bundle) -> Iterator[Problem]:
    """Yield an object of an API that a cluster of the bundle does not serve, or that newer ones do not."""
    api, kind = text_at(each.body, "apiVersion"), text_at(each.body, "kind")
    if (minor := REMOVED.get((api, kind))) is None:
        return
    gone = f"found {quote_text(f'{api} {kind}')}, which Kubernetes 1.{minor} no longer serves"
    versions = parse_openshift_versions(text_at(bundle.get_annotation(OPENSHIFT)))
    newest = kubernetes_minor_of(versions.newest) if versions and not versions.listed else 0
    surely = max(oldest_minor(bundle) or 0, newest)
    if surely >= minor:
        message = f"{gone}, and the bundle is for Kubernetes 1.{surely}"
        yield make_problem("bundle-api-removed", message, ("apiVersion",))
    else:
        yield BUNDLE_API_GOING(gone, ("apiVersion",))


def oldest_minor(bundle: Bundle) -> int | None:
    """Return the minor of Kubernetes that a bundle asks for at least; None if it says none."""
    said = text_at(bundle.csv.body, "spec", "minKubeVersion") if bundle.csv else ""
    return version_key(said)[1] if is_strict_version(said.removeprefix("v")) else None


def check_resources(csv: CsvView) -> Iterator[Problem]:
    """Yield resources of what is owned or required that newer clusters do not serve."""
    for path in (OWNED, REQUIRED):
        for at, crd in entries_at(csv.body, *path):
            for number, each in entries_at(crd, "resources"):
                api, kind = text_at(each, "version"), text_at(each, "kind")
                if (minor := REMOVED.get((api, kind))) is not None:
                    message = (
                        f"found {quote_text(f'{api} {kind}')}, which Kubernetes 1.{minor} no longer serves"
                    )
                    yield BUNDLE_API_GOING(message, (*path, at, "resources", number))
