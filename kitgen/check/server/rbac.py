"""Roles and bindings: policy rules, and subjects."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.server.constraints import filled, lacking, named, one_of, refused
from kitgen.check.server.list_constraints import named_once
from kitgen.check.server.rule_tables import Fields, Rules, check_fields, nested, of_each
from kitgen.check.server.rules import SERVER_FORBIDDEN, SERVER_INVALID, SERVER_REQUIRED, SERVER_WARNING
from kitgen.findings import Problem, problem
from kitgen.kube.identity import RBAC
from kitgen.kube.names import NameForm
from kitgen.text.values import entries_at, list_at, text_at, text_entries_at, value_at
from kitgen.text.wording import choice, shown
from kitgen.text.yaml import JsonObject

SUBJECTS = ("ServiceAccount", "User", "Group")
OF_RESOURCES = ("apiGroups", "resources", "resourceNames")
IN_RBAC = one_of(RBAC, empty=True, hint=False)
OF_ACCOUNTS: Fields = {"name": named(NameForm.SUBDOMAIN)}
OF_OTHERS: Fields = {"apiGroup": IN_RBAC}


def _check_rule(rule: JsonObject) -> Iterator[Problem]:
    if not rule.get("nonResourceURLs"):
        for field in ("apiGroups", "resources"):
            if not rule.get(field):
                yield lacking(rule, field, "at least one")
        return
    for index, url in text_entries_at(rule, "nonResourceURLs"):
        if url != "*" and not url.startswith("/"):
            yield SERVER_WARNING(
                f"found {shown(url)}, expected a path from / on, or *", ("nonResourceURLs", index)
            )
    if there := [field for field in OF_RESOURCES if rule.get(field)]:
        yield problem(
            "server-forbidden",
            f"found {choice(there, last='and')} beside nonResourceURLs, expected two rules",
            (there[0],),
        )


def _check_aggregation(role: JsonObject) -> Iterator[Problem]:
    aggregation = role.get("aggregationRule")
    if isinstance(aggregation, dict) and not aggregation.get("clusterRoleSelectors"):
        yield SERVER_REQUIRED(
            "found no clusterRoleSelectors, expected at least one",
            ("aggregationRule",),
            "remove aggregationRule if rules are enough",
        )
    elif (
        isinstance(aggregation, dict)
        and list_at(role, "rules")
        and not value_at(role, "metadata", "uid")  # a cluster fills in the rules of its own roles
    ):
        yield SERVER_WARNING(
            "found rules beside aggregationRule, expected none: those of the selected roles replace them",
            ("rules",),
            "put them into a role that is selected",
        )


def _check_subject(subject: JsonObject) -> Iterator[Problem]:
    kind, group = subject.get("kind"), text_at(subject, "apiGroup")
    if kind in SUBJECTS:
        yield from check_fields(subject, OF_ACCOUNTS if kind == "ServiceAccount" else OF_OTHERS)
    if kind == "ServiceAccount" and group:
        yield SERVER_INVALID(
            f"found {shown(group)}, expected none, for a ServiceAccount is in no group", ("apiGroup",)
        )


def unplaced(binding: JsonObject) -> Iterator[Problem]:
    """Report the accounts in a ClusterRoleBinding that are in no namespace."""
    for index, subject in entries_at(binding, "subjects"):
        if subject.get("kind") == "ServiceAccount" and not text_at(subject, "namespace"):
            yield lacking(subject, "namespace", "the one of the ServiceAccount").below("subjects", index)


def _binding(*kinds: str) -> Fields:
    reference: Fields = {
        "apiGroup": IN_RBAC,
        "kind": one_of(*kinds, hint=False),
        "name": (filled(), named(NameForm.SEGMENT)),
    }
    return {"roleRef": nested(reference), "subjects": named_once("name", "kind", "namespace")}


RULES: Rules = {
    "rbac/v1.ClusterRole": _check_aggregation,
    "rbac/v1.ClusterRoleBinding": _binding("ClusterRole"),
    "rbac/v1.PolicyRule": ({"verbs": filled("at least one")}, _check_rule),
    "rbac/v1.Role": {
        "rules": of_each(
            refused(
                SERVER_FORBIDDEN,
                "found nonResourceURLs in a Role, which reaches only what is in its namespace",
                "nonResourceURLs",
                when=lambda rule: rule.get("nonResourceURLs"),
                hint="use a ClusterRole",
            )
        )
    },
    "rbac/v1.RoleBinding": _binding("Role", "ClusterRole"),
    "rbac/v1.Subject": ({"kind": one_of(*SUBJECTS, hint=False), "name": filled()}, _check_subject),
}
