"""Check ServiceAccounts and roles that pods, bindings and other objects name."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.references.target_objects import ELSEWHERE, Found, ObjectName, TargetObjects
from kitgen.findings import Problem, Rule, get_rule, make_problem
from kitgen.kube.identity import RBAC
from kitgen.kube.manifest import Manifest
from kitgen.text.values import entries_at, text_at, value_at
from kitgen.text.wording import quote_text
from kitgen.text.yaml import Json

SERVICE_ACCOUNT_MISSING = get_rule("service-account-missing")
SUBJECT_MISSING = get_rule("subject-missing")

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
OPENSHIFT = "security.openshift.io"
TOKEN, OF_TOKEN = "kubernetes.io/service-account-token", "kubernetes.io/service-account.name"


def check_accounts(scene: TargetObjects) -> Iterator[Found]:
    """Yield names of service accounts and roles that are not there."""
    for pod in scene.index.pods:
        key = "serviceAccountName" if pod.spec.get("serviceAccountName") else "serviceAccount"
        for wrong in _check_account(scene, pod.namespace, pod.spec.get(key), pod.manifest):
            yield pod.manifest, wrong.prefix_path(*pod.path_to(key))
    for secret in scene.objects_of("", "Secret"):
        if secret.body.get("type") == TOKEN:  # a cluster removes one for nobody
            for wrong in _check_account(scene, secret.id.namespace, secret.annotations.get(OF_TOKEN)):
                yield secret, wrong.prefix_path("metadata", "annotations", OF_TOKEN)
    for binding in scene.objects_of(RBAC, "RoleBinding", "ClusterRoleBinding"):
        yield from (
            (binding, wrong) for wrong in (*_check_role(scene, binding), *_check_subjects(scene, binding))
        )
    for constraints, path, user in scene.find_fields((OPENSHIFT, ("SecurityContextConstraints",), "users[]")):
        if isinstance(user, str) and user.startswith(USER):
            namespace, _, name = user.removeprefix(USER).partition(":")
            for wrong in _check_account(scene, namespace, name, rule=SUBJECT_MISSING):
                yield constraints, wrong.prefix_path(*path)


def _check_account(
    scene: TargetObjects,
    namespace: str,
    name: Json,
    by: Manifest | None = None,
    rule: Rule = SERVICE_ACCOUNT_MISSING,
) -> Iterator[Problem]:
    """Yield that a service account should be there and is not."""
    if isinstance(name, str) and name not in GIVEN_ACCOUNTS:
        hint = scene.hint_for_missing(ObjectName("", "ServiceAccount", namespace, name), by=by)
        if hint is not None:
            yield rule(
                f"found no ServiceAccount {quote_text(name)}{_describe_namespace(namespace)}", (), hint
            )


def _describe_namespace(namespace: str) -> str:
    return f" in the namespace {quote_text(namespace)}" if namespace else ""


def _check_role(scene: TargetObjects, binding: Manifest) -> Iterator[Problem]:
    kind, name = text_at(binding.body, "roleRef", "kind"), value_at(binding.body, "roleRef", "name")
    if kind not in ("Role", "ClusterRole") or not isinstance(name, str):
        return
    if kind == "Role" and binding.id.kind == "ClusterRoleBinding":
        return  # a server refuses it
    if name in GIVEN_ROLES or name.startswith(GIVEN_PREFIXES):
        return
    namespace = binding.id.namespace if kind == "Role" else ""
    other = "ClusterRole" if kind == "Role" else "Role"
    hint, at = scene.hint_for_missing(ObjectName(RBAC, kind, namespace, name), by=binding), "name"
    if not scene.get(RBAC, kind, namespace, name) and scene.get(RBAC, other, binding.id.namespace, name):
        hint, at = f"there is a {other} of that name", "kind"
    if hint is not None:
        yield make_problem(
            "role-missing",
            f"found no {kind} {quote_text(name)}{_describe_namespace(namespace)}",
            ("roleRef", at),
            hint,
        )


def _check_subjects(scene: TargetObjects, binding: Manifest) -> Iterator[Problem]:
    found = []
    for index, subject in entries_at(binding.body, "subjects"):
        if subject.get("kind") != "ServiceAccount":
            continue
        namespace, name = subject.get("namespace"), subject.get("name")
        namespace = namespace if isinstance(namespace, str) else binding.id.namespace
        if isinstance(name, str) and scene.get("", "ServiceAccount", namespace, name):
            found.append(name)
        elif name not in found:
            for wrong in _check_account(scene, namespace, name, binding, SUBJECT_MISSING):
                is_elsewhere = "namespace" in subject and wrong.hint.startswith(ELSEWHERE)
                yield wrong.prefix_path("subjects", index, "namespace" if is_elsewhere else "name")
