"""Roles and bindings: policy rules, and subjects."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.server.constraints import filled, one_of, refused, report_missing, valid_name
from kitgen.check.server.list_constraints import warn_duplicates
from kitgen.check.server.rule_tables import Fields, Rules, check_fields, each_item, nested
from kitgen.check.server.rules import SERVER_FORBIDDEN, SERVER_INVALID, SERVER_REQUIRED, SERVER_WARNING
from kitgen.findings import Problem, make_problem
from kitgen.kube.identity import RBAC
from kitgen.kube.names import NameForm
from kitgen.text.values import entries_at, list_at, text_at, text_entries_at, value_at
from kitgen.text.wording import describe_value, join_words
from kitgen.text.yaml import JsonObject

SUBJECTS = ("ServiceAccount", "User", "Group")
OF_RESOURCES = ("apiGroups", "resources", "resourceNames")
IN_RBAC = one_of(RBAC, empty=True, hint=False)
OF_ACCOUNTS: Fields = {"name": valid_name(NameForm.SUBDOMAIN)}
OF_OTHERS: Fields = {"apiGroup": IN_RBAC}


def _check_rule(rule: JsonObject) -> Iterator[Problem]:
    if not rule.get("nonResourceURLs"):
        for field in ("apiGroups", "resources"):
            if not rule.get(field):
                yield report_missing(rule, field, "at least one")
        return
    for index, url in text_entries_at(rule, "nonResourceURLs"):
        if url != "*" and not url.startswith("/"):
            yield SERVER_WARNING(
                f"found {describe_value(url)}, expected a path from / on, or *", ("nonResourceURLs", index)
            )
    if there := [field for field in OF_RESOURCES if rule.get(field)]:
        yield make_problem(
            "server-forbidden",
            f"found {join_words(there, last='and')} beside nonResourceURLs, expected two rules",
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
            f"found {describe_value(group)}, expected none, for a ServiceAccount is in no group",
            ("apiGroup",),
        )


def check_subject_namespaces(binding: JsonObject) -> Iterator[Problem]:
    """Report the accounts in a ClusterRoleBinding that are in no namespace."""
    for index, subject in entries_at(binding, "subjects"):
        if subject.get("kind") == "ServiceAccount" and not text_at(subject, "namespace"):
            yield report_missing(subject, "namespace", "the one of the ServiceAccount").prefix_path(
                "subjects", index
            )


def _build_binding_rules(*kinds: str) -> Fields:
    reference: Fields = {
        "apiGroup": IN_RBAC,
        "kind": one_of(*kinds, hint=False),
        "name": (filled(), valid_name(NameForm.SEGMENT)),
    }
    return {"roleRef": nested(reference), "subjects": warn_duplicates("name", "kind", "namespace")}


RULES: Rules = {
    "rbac/v1.ClusterRole": _check_aggregation,
    "rbac/v1.ClusterRoleBinding": _build_binding_rules("ClusterRole"),
    "rbac/v1.PolicyRule": ({"verbs": filled("at least one")}, _check_rule),
    "rbac/v1.Role": {
        "rules": each_item(
            refused(
                SERVER_FORBIDDEN,
                "found nonResourceURLs in a Role, which reaches only what is in its namespace",
                "nonResourceURLs",
                when=lambda rule: rule.get("nonResourceURLs"),
                hint="use a ClusterRole",
            )
        )
    },
    "rbac/v1.RoleBinding": _build_binding_rules("Role", "ClusterRole"),
    "rbac/v1.Subject": ({"kind": one_of(*SUBJECTS, hint=False), "name": filled()}, _check_subject),
}
