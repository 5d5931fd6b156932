"""Rank a difference by where it is: the last word on all that no rule of upgrades has spoken of."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from msgspec import Struct

from kitgen.compare.objects.difference import ABSENT, Found
from kitgen.compare.review.ranks import image_rule, is_blind, is_weaker, route_rule
from kitgen.compare.review.webhooks import webhook_rule
from kitgen.findings import Path
from kitgen.kube.identity import RBAC, ObjectId
from kitgen.kube.pods import TEMPLATES
from kitgen.kube.rbac.access import BUNDLED, INSTALLED

ADMISSION = "admissionregistration.k8s.io"
HOOKS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
POLICIES = frozenset(
    {
        (ADMISSION, "MutatingAdmissionPolicy"),
        (ADMISSION, "MutatingAdmissionPolicyBinding"),
        (ADMISSION, "ValidatingAdmissionPolicy"),
        (ADMISSION, "ValidatingAdmissionPolicyBinding"),
        ("networking.k8s.io", "NetworkPolicy"),
    }
)
ACTING = ("argocd.argoproj.io/", "cert-manager.io/", "helm.sh/", "service.alpha.openshift.io/")
ACTING_SUFFIX = "service.beta.openshift.io/"
CLOUD = frozenset(
    {
        *("azure.workload.identity/client-id", "azure.workload.identity/tenant-id"),
        *("eks.amazonaws.com/role-arn", "iam.gke.io/gcp-service-account"),
    }
)
"""Annotations that give an account rights in the cloud around the cluster."""
AGGREGATE = "rbac.authorization.k8s.io/aggregate-to-"
LEVEL = "pod-security.kubernetes.io/enforce"
STARTED = frozenset({"args", "command", "env", "envFrom", "lifecycle", "workingDir"})
ORDERED = frozenset({"args", "command", "initContainers"})
"""Lists whose order the program or the kubelet acts on."""
DEPLOYED = (*INSTALLED, "deployments")
TEMPLATE = len((*DEPLOYED, 0, "spec", "template"))
"""How far below a bundle's pod templates are."""
OPEN = ("LoadBalancer", "NodePort")


class RankedDifference(Struct, frozen=True, kw_only=True):
    """A difference, as far as its rank depends on it."""

    object: ObjectId
    path: Path
    """In the object as it is now, or where it would be."""
    was: Found
    now: Found
    order: bool = False
    equal: bool = False
    narrowed: bool = False
    """Whether the rules of the webhook that it is in no longer match requests that they did."""

    @property
    def added(self) -> bool:
        """Tell whether it was not there before."""
        return self.was is ABSENT

    @property
    def gone(self) -> bool:
        """Tell whether it is not there now."""
        return self.now is ABSENT


def rule_of(place: RankedDifference) -> str:
    """Return the rule that ranks a difference."""
    kind = (place.object.group, place.object.kind)
    if place.equal:
        return "amount-rewritten"
    if place.order and not ORDERED.intersection(map(str, place.path[-1:])):
        return "order-changed"
    if place.path[:1] == ("metadata",):
        return _metadata(place, kind)
    if is_blind(place.path, place.now):
        return "transport-weaker"
    if kind in POLICIES:
        return "policy-changed"
    if kind[0] == ADMISSION and kind[1] in HOOKS:
        return webhook_rule(place.path, place.was, place.now, narrowed=place.narrowed)
    if (template := TEMPLATES.get(kind)) is not None and place.path[: len(template)] == template:
        return _pod(place, place.path[len(template) :])
    if kind == BUNDLED and place.path[: len(DEPLOYED)] == DEPLOYED and len(place.path) > TEMPLATE:
        return _pod(place, place.path[TEMPLATE:])
    return KINDS.get(kind, _other)(place)


def _metadata(place: RankedDifference, kind: tuple[str, str]) -> str:
    match place.path[1:2]:
        case ("labels",):
            keys = _keys(place, 2)
            if kind == ("", "Namespace") and any(key.startswith(LEVEL) for key in keys):
                return "namespace-level"
            if kind == (RBAC, "ClusterRole") and any(key.startswith(AGGREGATE) for key in keys):
                return "field-changed" if place.gone else "role-aggregated"
            return "label-changed"
        case ("annotations",):
            if kind == ("", "ServiceAccount") and not place.gone and CLOUD.intersection(_keys(place, 2)):
                return "account-changed"
            acts = any(key.startswith((*ACTING, ACTING_SUFFIX)) for key in _keys(place, 2))
            return "annotation-acts" if acts else "annotation-changed"
    return "field-changed"


def _keys(place: RankedDifference, depth: int) -> list[str]:
    """Return the keys of a mapping that a difference is about: one, or all that are in it."""
    if len(place.path) > depth:
        return [str(place.path[depth])]
    return [key for side in (place.was, place.now) if isinstance(side, Mapping) for key in side]


def _pod(place: RankedDifference, inside: Path) -> str:
    """Rank a difference in a pod or its template."""
    if inside[:1] == ("metadata",):
        return "label-changed" if inside[1:2] == ("labels",) else "field-changed"
    if is_weaker(inside, place.was, place.now):
        return "pod-weaker"
    names = [str(step) for step in inside[1:]]
    if names[-1:] == ["image"]:
        return image_rule(place.was, place.now)
    if STARTED.intersection(names):
        return "arguments-changed"
    if "resources" in names:
        return "resources-changed"
    if names[:1] in (["serviceAccountName"], ["serviceAccount"]):
        return "account-changed"
    if names[:1] == ["automountServiceAccountToken"] and place.now is not False:
        return "token-made"
    return "field-changed"


def _role(place: RankedDifference) -> str:
    """Rank what no change of anybody's permissions tells of."""
    return "permissions-kept" if place.path[:1] in (("rules",), ("subjects",), ()) else _other(place)


def _service(place: RankedDifference) -> str:
    if place.path[:2] == ("spec", "type") and place.now in OPEN and place.was not in OPEN:
        return "service-exposed"
    if place.path[1:2] in (("externalIPs",), ("externalName",)) and not place.gone:
        return "service-exposed"
    return "field-changed"


def _account(place: RankedDifference) -> str:
    if place.path[:1] != ("automountServiceAccountToken",):
        return "field-changed"
    if place.was is False:
        return "token-made"
    return "field-changed" if place.now is False else "default-written"


def _other(place: RankedDifference) -> str:
    return "field-changed"


KINDS: Mapping[tuple[str, str], Callable[[RankedDifference], str]] = {
    ("", "ConfigMap"): lambda place: "configuration-changed",
    ("", "Secret"): lambda place: "secret-changed",
    ("", "Service"): _service,
    ("", "ServiceAccount"): _account,
    (RBAC, "ClusterRole"): _role,
    (RBAC, "ClusterRoleBinding"): _role,
    (RBAC, "Role"): _role,
    (RBAC, "RoleBinding"): _role,
    ("networking.k8s.io", "Ingress"): lambda place: route_rule(place.path, place.was, place.now),
    ("route.openshift.io", "Route"): lambda place: route_rule(place.path, place.was, place.now),
    ("security.openshift.io", "SecurityContextConstraints"): lambda place: "constraints-changed",
}
"""Group and kind → what ranks a difference in such an object."""
