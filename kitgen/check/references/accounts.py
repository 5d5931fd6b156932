"""Service accounts and roles: those that pods, bindings and others name.

Secrets that service accounts, ingresses and monitors name.
"""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.references.configuration import CONFIGURATION_MISSING, made_secrets
from kitgen.check.references.target_objects import ELSEWHERE, Found, ObjectName, TargetObjects
from kitgen.findings import Path, Problem, rule
from kitgen.kube.identity import RBAC
from kitgen.kube.manifest import Manifest
from kitgen.text.values import entries_at, value_at
from kitgen.text.wording import cut
from kitgen.text.yaml import Json

SERVICE_ACCOUNT_MISSING = rule("service-account-missing")
ROLE_MISSING = rule("role-missing")
SUBJECT_MISSING = rule("subject-missing")

GIVEN_ACCOUNTS = frozenset({"default", "builder", "deployer", "pipeline"})
"""What a cluster makes in every namespace; all but the first on OpenShift."""
GIVEN_ROLES = frozenset(
    {
        *("admin", "cluster-admin", "edit", "view"),
        *("alert-routing-edit", "basic-user", "cluster-debugger", "cluster-monitoring-metrics-api"),
        *("cluster-monitoring-operator-namespaced", "cluster-monitoring-view", "cluster-reader"),
        *("cluster-status", "console-extensions-reader", "global-operators-admin", "global-operators-edit"),
        *("global-operators-view", "helm-chartrepos-viewer", "monitoring-edit", "monitoring-rules-edit"),
        *("monitoring-rules-view", "registry-admin", "registry-editor", "registry-monitoring"),
        *("registry-viewer", "self-access-reviewer", "self-provisioner", "storage-admin", "sudoer"),
        *("user-monitoring-config-edit", "volumesnapshot-admin"),
    }
)
GIVEN_PREFIXES = ("system:", "extension-apiserver-authentication-reader", "olm.", "olm-", "openshift-")
USER = "system:serviceaccount:"


def look(scene: TargetObjects) -> Iterator[Found]:
    """Yield names of service accounts and roles that are not there."""
    for pod in scene.index.pods:
        name = pod.spec.get("serviceAccountName")
        key = "serviceAccountName" if name else "serviceAccount"
        if (hint := _account(scene, pod.namespace, name or pod.spec.get(key), pod.manifest)) is not None:
            message = f"found no ServiceAccount {cut(str(pod.spec[key]))}{_inside(pod.namespace)}"
            yield pod.manifest, SERVICE_ACCOUNT_MISSING(message, pod.at(key), hint)
    for secret in scene.of("", "Secret"):
        yield from _token(scene, secret)
    for binding in scene.of(RBAC, "RoleBinding", "ClusterRoleBinding"):
        if problem := _role(scene, binding):
            yield binding, problem
        for problem in _subjects(scene, binding):
            yield binding, problem
    for constraints in scene.of("security.openshift.io", "SecurityContextConstraints"):
        for problem in _users(scene, constraints):
            yield constraints, problem


def _account(scene: TargetObjects, namespace: str, name: Json, by: Manifest | None = None) -> str | None:
    """Return a hint if a service account should be there and is not."""
    if not isinstance(name, str) or name in GIVEN_ACCOUNTS:
        return None
    return scene.missing(ObjectName("", "ServiceAccount", namespace, name), by=by)


def _inside(namespace: str) -> str:
    return f" in the namespace {cut(namespace)}" if namespace else ""


def _token(scene: TargetObjects, secret: Manifest) -> Iterator[Found]:
    """Yield the secret of a token for nobody: a cluster removes it."""
    key = "kubernetes.io/service-account.name"
    name = value_at(secret.body, "metadata", "annotations", key)
    if secret.body.get("type") != "kubernetes.io/service-account-token":
        return
    if (hint := _account(scene, secret.id.namespace, name)) is not None:
        message = f"found no ServiceAccount {cut(str(name))}{_inside(secret.id.namespace)}"
        yield secret, SERVICE_ACCOUNT_MISSING(message, ("metadata", "annotations", key), hint)


def _role(scene: TargetObjects, binding: Manifest) -> Problem | None:
    kind, name = value_at(binding.body, "roleRef", "kind"), value_at(binding.body, "roleRef", "name")
    if kind not in ("Role", "ClusterRole") or not isinstance(name, str):
        return None
    if kind == "Role" and binding.id.kind == "ClusterRoleBinding":
        return None  # a server refuses it
    if name in GIVEN_ROLES or name.startswith(GIVEN_PREFIXES):
        return None
    namespace = binding.id.namespace if kind == "Role" else ""
    other = "ClusterRole" if kind == "Role" else "Role"
    hint, at = scene.missing(ObjectName(RBAC, str(kind), namespace, name), by=binding), "name"
    if not scene.get(RBAC, str(kind), namespace, name) and scene.get(RBAC, other, binding.id.namespace, name):
        hint, at = f"there is a {other} of that name", "kind"
    if hint is None:
        return None
    return ROLE_MISSING(f"found no {kind} {cut(name)}{_inside(namespace)}", ("roleRef", at), hint)


def _subjects(scene: TargetObjects, binding: Manifest) -> Iterator[Problem]:
    found = []
    for index, subject in entries_at(binding.body, "subjects"):
        if subject.get("kind") != "ServiceAccount":
            continue
        namespace = subject.get("namespace")
        namespace = namespace if isinstance(namespace, str) else binding.id.namespace
        name = subject.get("name")
        if isinstance(name, str) and scene.get("", "ServiceAccount", namespace, name):
            found.append(name)
        elif (hint := _account(scene, namespace, name, binding)) is not None and name not in found:
            message = f"found no ServiceAccount {cut(str(name))}{_inside(namespace)}"
            at = "namespace" if "namespace" in subject and hint.startswith(ELSEWHERE) else "name"
            yield SUBJECT_MISSING(message, ("subjects", index, at), hint)


def _users(scene: TargetObjects, constraints: Manifest) -> Iterator[Problem]:
    users = constraints.body.get("users")
    for index, user in enumerate(users if isinstance(users, list) else ()):
        if isinstance(user, str) and user.startswith(USER):
            namespace, _, name = user.removeprefix(USER).partition(":")
            if (hint := _account(scene, namespace, name)) is not None:
                yield SUBJECT_MISSING(
                    f"found no ServiceAccount {cut(name)}{_inside(namespace)}", ("users", index), hint
                )


MONITORS = (("PodMonitor", "podMetricsEndpoints"), ("ServiceMonitor", "endpoints"))
READ: tuple[Path, ...] = (
    ("authorization", "credentials"),
    ("basicAuth", "password"),
    ("basicAuth", "username"),
    ("bearerTokenSecret",),
    ("oauth2", "clientSecret"),
    ("tlsConfig", "ca", "secret"),
    ("tlsConfig", "cert", "secret"),
    ("tlsConfig", "keySecret"),
)
"""What Prometheus takes from Secrets to read an endpoint."""
ISSUED = "cert-manager.io/"
"""How annotations of an Ingress start that has its Secret made."""


def look_secrets(scene: TargetObjects) -> Iterator[Found]:
    """Yield names of Secrets that are nearly those of Secrets in the target, or of none."""
    uses = list(_uses(scene))
    made = made_secrets(scene) if uses else {}
    for manifest, path, others in uses:
        name, space = value_at(manifest.body, *path), manifest.id.namespace
        if not isinstance(name, str) or name in made.get(space, ()):
            continue
        if (hint := scene.missing(ObjectName("", "Secret", space, name), others=others)) is not None:
            message = f"found no Secret {cut(name)} in its namespace"
            yield manifest, CONFIGURATION_MISSING(message, path, hint)


def _uses(scene: TargetObjects) -> Iterator[tuple[Manifest, Path, bool]]:
    """Yield where Secrets are named, and whether one is missed that is called like no other."""
    for account in scene.of("", "ServiceAccount"):
        for field in ("imagePullSecrets", "secrets"):
            for index, _ in entries_at(account.body, field):
                yield account, (field, index, "name"), False
    for ingress in scene.of("networking.k8s.io", "Ingress"):
        notes = value_at(ingress.body, "metadata", "annotations")
        if isinstance(notes, dict) and any(key.startswith(ISSUED) for key in notes):
            continue
        for index, _ in entries_at(ingress.body, "spec", "tls"):
            yield ingress, ("spec", "tls", index, "secretName"), False
    for kind, field in MONITORS:
        for monitor in scene.of("monitoring.coreos.com", kind):
            for index, _ in entries_at(monitor.body, "spec", field):
                yield from ((monitor, ("spec", field, index, *each, "name"), True) for each in READ)
