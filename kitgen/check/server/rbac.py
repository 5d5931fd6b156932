"""Roles and whom they are given to."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.server import formats, values
from kitgen.check.server.rules import SERVER_FORBIDDEN, SERVER_INVALID, SERVER_REQUIRED, SERVER_WARNING
from kitgen.check.server.walk import Validators
from kitgen.findings import Problem
from kitgen.kube.identity import RBAC
from kitgen.kube.names import NameForm
from kitgen.text.wording import choice, shown
from kitgen.text.yaml import JsonObject

SUBJECTS = ("ServiceAccount", "User", "Group")
OF_RESOURCES = ("apiGroups", "resources", "resourceNames")


def _rules(role: JsonObject, *, namespaced: bool) -> Iterator[Problem]:
    for index, rule in formats.mappings(role, "rules"):
        for problem in _rule(rule, namespaced=namespaced):
            yield problem.below("rules", index)


def _rule(rule: JsonObject, *, namespaced: bool) -> Iterator[Problem]:
    yield from formats.needed(rule, "verbs", expected="at least one")
    if not rule.get("nonResourceURLs"):
        for field in ("apiGroups", "resources"):
            if not rule.get(field):
                yield formats.lacking(rule, field, "at least one")
        return
    if namespaced:
        message = "found nonResourceURLs in a Role, which reaches only what is in its namespace"
        yield SERVER_FORBIDDEN(message, ("nonResourceURLs",), "use a ClusterRole")
    for index, url in enumerate(formats.items(rule["nonResourceURLs"])):
        if isinstance(url, str) and url != "*" and not url.startswith("/"):
            message = f"found {shown(url)}, expected a path from / on, or *"
            yield SERVER_WARNING(message, ("nonResourceURLs", index))
    if there := [field for field in OF_RESOURCES if rule.get(field)]:
        message = f"found {choice(there, last='and')} beside nonResourceURLs, expected two rules"
        yield SERVER_FORBIDDEN(message, (there[0],))


def _role(role: JsonObject) -> Iterator[Problem]:
    yield from _rules(role, namespaced=True)


def _cluster_role(role: JsonObject) -> Iterator[Problem]:
    yield from _rules(role, namespaced=False)
    aggregation = role.get("aggregationRule")
    if isinstance(aggregation, dict) and not aggregation.get("clusterRoleSelectors"):
        message = "found no clusterRoleSelectors, expected at least one"
        yield SERVER_REQUIRED(message, ("aggregationRule",), "remove aggregationRule if rules are enough")
    elif isinstance(aggregation, dict) and formats.items(role.get("rules")) and not _is_live(role):
        message = (
            "found rules beside aggregationRule, expected none: those of the selected roles replace them"
        )
        yield SERVER_WARNING(message, ("rules",), "put them into a role that is selected")


def _is_live(role: JsonObject) -> bool:
    """Tell whether a role comes from a cluster, which fills in the rules."""
    return bool(formats.mapping(role.get("metadata")).get("uid"))


def _binding(binding: JsonObject, *, namespaced: bool) -> Iterator[Problem]:
    ref = formats.mapping(binding.get("roleRef"))
    kinds = ("Role", "ClusterRole") if namespaced else ("ClusterRole",)
    for problem in (
        *formats.worded(ref, "apiGroup", (RBAC,)),
        *formats.worded(ref, "kind", kinds, strict=True),
        *formats.needed(ref, "name"),
        *formats.named(ref, "name", NameForm.SEGMENT),
    ):
        yield problem.below("roleRef")
    yield from values.told_twice(binding, "subjects", "name", "kind", "namespace")
    for index, subject in formats.mappings(binding, "subjects"):
        for problem in _subject(subject):
            yield problem.below("subjects", index)


def unplaced(binding: JsonObject) -> Iterator[Problem]:
    """Yield the accounts in a ClusterRoleBinding that are in no namespace."""
    for index, subject in formats.mappings(binding, "subjects"):
        if subject.get("kind") == "ServiceAccount" and not formats.text(subject, "namespace"):
            problem = formats.lacking(subject, "namespace", "the one of the ServiceAccount")
            yield problem.below("subjects", index)


def _subject(subject: JsonObject) -> Iterator[Problem]:
    yield from formats.worded(subject, "kind", SUBJECTS, strict=True)
    yield from formats.needed(subject, "name")
    group = formats.text(subject, "apiGroup")
    if subject.get("kind") == "ServiceAccount":
        yield from formats.named(subject, "name", NameForm.SUBDOMAIN)
        if group:
            message = f"found {shown(group)}, expected none, for a ServiceAccount is in no group"
            yield SERVER_INVALID(message, ("apiGroup",))
    elif subject.get("kind") in SUBJECTS:
        yield from formats.worded(subject, "apiGroup", (RBAC,))


def _role_binding(binding: JsonObject) -> Iterator[Problem]:
    yield from _binding(binding, namespaced=True)


def _cluster_role_binding(binding: JsonObject) -> Iterator[Problem]:
    yield from _binding(binding, namespaced=False)


VALIDATORS: Validators = {
    "rbac/v1.ClusterRole": _cluster_role,
    "rbac/v1.ClusterRoleBinding": _cluster_role_binding,
    "rbac/v1.Role": _role,
    "rbac/v1.RoleBinding": _role_binding,
}
