"""Rank a difference by where it is: the last word on all that no rule of upgrades has spoken of.

The tables say it: kind → ranks, of which the first counts that fits the place and what was and is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import EllipsisType
from typing import NamedTuple, TypeAlias

from kitgen.compare.objects.difference import ABSENT, Difference, Found
from kitgen.compare.upgrade.values import DEPLOYED
from kitgen.compare.upgrade.webhooks import ADMISSION, HOOKS
from kitgen.findings import Path, Step
from kitgen.kube.identity import RBAC
from kitgen.kube.pods import TEMPLATES
from kitgen.kube.rbac.access import BUNDLED
from kitgen.text.values import list_at
from kitgen.text.wording import text_of

POLICIES = frozenset(
    {
        (ADMISSION, "MutatingAdmissionPolicy"),
        (ADMISSION, "MutatingAdmissionPolicyBinding"),
        (ADMISSION, "ValidatingAdmissionPolicy"),
        (ADMISSION, "ValidatingAdmissionPolicyBinding"),
        ("networking.k8s.io", "NetworkPolicy"),
    }
)
ACTING = (
    *("argocd.argoproj.io/", "cert-manager.io/", "helm.sh/"),
    *("service.alpha.openshift.io/", "service.beta.openshift.io/"),
)
"""How annotations start that a controller acts on."""
CLOUD = frozenset(
    {
        *("azure.workload.identity/client-id", "azure.workload.identity/tenant-id"),
        *("eks.amazonaws.com/role-arn", "iam.gke.io/gcp-service-account"),
    }
)
"""Annotations that give an account rights in the cloud around the cluster."""
AGGREGATE = "rbac.authorization.k8s.io/aggregate-to-"
STARTED = frozenset({"args", "command", "env", "envFrom", "lifecycle", "workingDir"})
NARROWING = frozenset({"matchConditions", "namespaceSelector", "objectSelector"})
"""What leaves requests out; without it, a webhook is asked about all."""
ORDERED = ("args", "command", "initContainers")
"""Lists whose order the program or the kubelet acts on."""
OPEN = ("LoadBalancer", "NodePort")
BLIND = ("insecureSkipTLSVerify", "insecureSkipVerify")
"""Fields by which a certificate is taken without a look."""
LISTS = ("containers", "initContainers", "ports", "volumes")
ANY = "*"
PathPattern: TypeAlias = tuple[str | frozenset[str] | tuple[str, ...] | EllipsisType, ...]
"""A place: `...` is any number of steps, * is one, a set is one of it, a tuple says how one starts."""


class Rank(NamedTuple):
    """A rule for differences at a place."""

    rule: str
    path: PathPattern = (...,)
    holds: Callable[[Found, Found], bool] = lambda was, now: True
    """Whether it is for what was and is there."""
    deep: bool = False
    """Whether it is also for a mapping that came or went with such a place in it."""


METADATA = (
    Rank("label-changed", ("metadata", "labels", ...)),
    Rank("annotation-acts", ("metadata", "annotations", ACTING, ...), deep=True),
    Rank("annotation-changed", ("metadata", "annotations", ...)),
)
OWN_METADATA: Mapping[tuple[str, str], tuple[Rank, ...]] = {
    ("", "Namespace"): (
        Rank(
            "namespace-level", ("metadata", "labels", ("pod-security.kubernetes.io/enforce",), ...), deep=True
        ),
    ),
    ("", "ServiceAccount"): (
        Rank(
            "account-changed",
            ("metadata", "annotations", CLOUD, ...),
            lambda was, now: now is not ABSENT,
            True,
        ),
    ),
    (RBAC, "ClusterRole"): (
        Rank(
            "field-changed", ("metadata", "labels", (AGGREGATE,), ...), lambda was, now: now is ABSENT, True
        ),
        Rank("role-aggregated", ("metadata", "labels", (AGGREGATE,), ...), deep=True),
    ),
}
POD = (
    Rank("label-changed", ("metadata", "labels", ...)),
    Rank("field-changed", ("metadata", ...)),
    Rank(
        "pod-weaker",
        (..., "capabilities", "add"),
        lambda was, now: bool(_to_string_set(now) - _to_string_set(was)),
        True,
    ),
    Rank(
        "pod-weaker",
        (..., "capabilities", "drop"),
        lambda was, now: bool(_to_string_set(was) - _to_string_set(now)),
        True,
    ),
    Rank(
        "pod-weaker",
        (..., "securityContext", "readOnlyRootFilesystem"),
        lambda was, now: was is True and now is not True,
        True,
    ),
    Rank("pod-weaker", ("spec", "shareProcessNamespace"), lambda was, now: now is True, True),
    Rank("pod-weaker", ("spec", "hostUsers"), lambda was, now: was is False and now is not False, True),
    Rank("pod-weaker", (..., "ports", ANY, "hostPort"), lambda was, now: now not in (ABSENT, None, 0), True),
    Rank("pod-weaker", (..., "volumes", ANY, "hostPath", "path"), lambda was, now: now is not ABSENT, True),
    Rank(
        "image-changed",
        (ANY, ..., "image"),
        lambda was, now: not (isinstance(was, str) and isinstance(now, str)),
    ),
    Rank(
        "image-source",
        (ANY, ..., "image"),
        lambda was, now: _normalize_repository(was) != _normalize_repository(now),
    ),
    Rank("image-unpinned", (ANY, ..., "image"), lambda was, now: "@" in str(was) and "@" not in str(now)),
    Rank("image-changed", (ANY, ..., "image")),
    Rank("arguments-changed", (ANY, ..., STARTED, ...)),
    Rank("resources-changed", (ANY, ..., "resources", ...)),
    Rank("account-changed", (ANY, frozenset({"serviceAccount", "serviceAccountName"}), ...)),
    Rank("token-made", (ANY, "automountServiceAccountToken", ...), lambda was, now: now is not False),
)
"""Places in a pod or its template."""
HOOK = (
    Rank("webhook-weaker", ("webhooks", ANY, "failurePolicy", ...), lambda was, now: now == "Ignore"),
    Rank("webhook-weaker", ("webhooks", ANY, "matchPolicy", ...), lambda was, now: now == "Exact"),
    Rank("certificate-changed", ("webhooks", ANY, "clientConfig", "caBundle")),
    Rank("webhook-elsewhere", ("webhooks", ANY, "clientConfig", "url"), lambda was, now: now is not ABSENT),
    Rank("webhook-changed", ("webhooks", ANY, NARROWING), lambda was, now: was == now),
    Rank(
        "webhook-weaker",
        ("webhooks", ANY, NARROWING, ...),
        lambda was, now: now not in (ABSENT, None, {}, []),
    ),
    Rank("webhook-changed", ("webhooks", ANY, ANY, ...)),
    Rank("webhook-gone", (...,), lambda was, now: now is ABSENT),
    Rank("webhook-added", (...,), lambda was, now: was is ABSENT),
    Rank("webhook-changed"),
)
ROLE = (
    Rank("permissions-kept", (frozenset({"rules", "subjects"}), ...)),
    Rank("permissions-kept", ()),
)
"""What no change of anybody's permissions tells of."""
ROUTE = (
    Rank("transport-weaker", ("spec", "tls"), lambda was, now: now is ABSENT),
    Rank(
        "transport-weaker", ("spec", "tls", "insecureEdgeTerminationPolicy"), lambda was, now: now == "Allow"
    ),
    Rank("transport-weaker", ("spec", "tls", "termination"), lambda was, now: now == "edge"),
    Rank("address-gone", (..., frozenset({"host", "path"})), lambda was, now: was is not ABSENT),
    Rank("address-gone", ("spec", "rules"), lambda was, now: bool(_collect_hosts(was) - _collect_hosts(now))),
)
KINDS: Mapping[tuple[str, str], tuple[Rank, ...]] = {
    ("", "ConfigMap"): (Rank("configuration-changed"),),
    ("", "Secret"): (Rank("secret-changed"),),
    ("", "Service"): (
        Rank("service-exposed", ("spec", "type", ...), lambda was, now: now in OPEN and was not in OPEN),
        Rank(
            "service-exposed",
            (ANY, frozenset({"externalIPs", "externalName"}), ...),
            lambda was, now: now is not ABSENT,
        ),
    ),
    ("", "ServiceAccount"): (
        Rank("token-made", ("automountServiceAccountToken", ...), lambda was, now: was is False),
        Rank("field-changed", ("automountServiceAccountToken", ...), lambda was, now: now is False),
        Rank("default-written", ("automountServiceAccountToken", ...)),
    ),
    **{(RBAC, kind): ROLE for kind in ("ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding")},
    **{(ADMISSION, kind): HOOK for kind in HOOKS},
    **dict.fromkeys(POLICIES, (Rank("policy-changed"),)),
    ("networking.k8s.io", "Ingress"): ROUTE,
    ("route.openshift.io", "Route"): ROUTE,
    ("security.openshift.io", "SecurityContextConstraints"): (Rank("constraints-changed"),),
}
"""Group and kind → what ranks a difference in such an object, its metadata and pods aside."""


def rule_of(difference: Difference, *, narrowed: bool = False) -> str:
    """Return the rule that ranks a difference; a webhook that is `narrowed` misses requests that it had."""
    kind = (difference.object.group, difference.object.kind)
    path, was, now = difference.path, difference.right, difference.left
    if difference.equal:
        return "amount-rewritten"
    if difference.order and (not path or path[-1] not in ORDERED):
        return "order-changed"
    if path[:1] == ("metadata",):
        return _find_rule((*OWN_METADATA.get(kind, ()), *METADATA), path, was, now)
    if _skips_tls_verification(path, now):
        return "transport-weaker"
    if narrowed and KINDS.get(kind) is HOOK:
        return "webhook-weaker"
    template = TEMPLATES.get(kind)
    if kind == BUNDLED and path[: len(DEPLOYED)] == DEPLOYED and path[len(DEPLOYED) + 3 :]:
        template = path[: len(DEPLOYED) + 3]
    if template is not None and path[: len(template)] == template:
        return _find_rule(POD, path[len(template) :], was, now)
    return _find_rule(KINDS.get(kind, ()), path, was, now)


def _find_rule(ranks: Sequence[Rank], path: Path, was: Found, now: Found) -> str:
    """Return the rule of the first rank that fits."""
    for rank in ranks:
        places = _expand_places(path, was, now) if rank.deep else [(path, was, now)]
        if any(_matches_pattern(rank.path, at) and rank.holds(*both) for at, *both in places):
            return rank.rule
    return "field-changed"


def _matches_pattern(pattern: PathPattern, path: Path) -> bool:
    if not pattern:
        return not path
    step, *rest = pattern
    if isinstance(step, EllipsisType):
        return not rest or any(_matches_pattern((*rest,), path[at:]) for at in range(len(path)))
    return bool(path) and _matches_step(step, path[0]) and _matches_pattern((*rest,), path[1:])


def _matches_step(wanted: str | frozenset[str] | tuple[str, ...], step: Step) -> bool:
    if isinstance(wanted, tuple):
        return str(step).startswith(wanted)
    return wanted in (ANY, step) if isinstance(wanted, str) else step in wanted


def _expand_places(path: Path, was: Found, now: Found) -> Iterator[tuple[Path, Found, Found]]:
    """Yield a place and the fields below it, unless an item of a list went; lists count as a whole."""
    if was == now or (now is ABSENT and any(isinstance(each, int) or each in LISTS for each in path[-1:])):
        return
    yield path, was, now
    sides = [each if isinstance(each, Mapping) else {} for each in (was, now)]
    for key in sorted(sides[0].keys() | sides[1].keys()):
        yield from _expand_places((*path, key), sides[0].get(key, ABSENT), sides[1].get(key, ABSENT))


def _to_string_set(value: Found) -> set[str]:
    return {str(each) for each in value} if isinstance(value, list) else set()


def _collect_hosts(rules: Found) -> set[str]:
    return {text_of(each.get("host", "")) for each in list_at(rules) if isinstance(each, dict)}


def _normalize_repository(image: Found) -> str:
    """Return an image without its tag and digest, as long names have it."""
    head, slash, last = str(image).partition("@")[0].rpartition("/")
    path = f"{head}{slash}{last.partition(':')[0]}"
    first = path.partition("/")[0]
    if "/" not in path:
        return f"docker.io/library/{path}"
    return path if "." in first or ":" in first or first == "localhost" else f"docker.io/{path}"


def _skips_tls_verification(path: Path, now: Found) -> bool:
    """Return whether certificates are no longer looked at."""
    if path and path[-1] in BLIND:
        return now is True
    return isinstance(now, Mapping) and any(now.get(each) is True for each in BLIND)
