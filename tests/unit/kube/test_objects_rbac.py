"""Rules of roles, who holds them, and what they come to."""

from __future__ import annotations

import pytest
from checking import manifests

from kitgen.kube.rbac.access import ACCOUNT, CLUSTER_ROLE, GROUP, Access, RbacSubject
from kitgen.kube.rbac.default_roles import CLUSTER_ROLES, find_default_rules
from kitgen.kube.rbac.rules import Permit, SinglePermission, format_verbs, parse_permission, read_rules
from kitgen.kube.rbac.summary import MOST, GrantedRules, summarize_rules
from kitgen.text.yaml import Json

WORKER = RbacSubject(ACCOUNT, "apps", "worker")
ROLES = """
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: whole}
aggregationRule:
  clusterRoleSelectors:
  - matchLabels: {part: "1"}
  - matchExpressions: [{key: part, operator: In, values: ["2", "3"]}]
rules: [{apiGroups: [""], resources: [nodes], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: one, labels: {part: "1", rbac.authorization.k8s.io/aggregate-to-view: "true"}}
rules: [{apiGroups: [""], resources: [pods], verbs: [get, list]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: two, labels: {part: "2"}}
aggregationRule: {clusterRoleSelectors: [{matchLabels: {below: "true"}}]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: three, labels: {below: "true", part: "4"}}
rules: [{apiGroups: [batch], resources: [jobs], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: a}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: whole}
subjects:
- {kind: ServiceAccount, name: worker, namespace: apps}
- {kind: User, name: "system:serviceaccount:apps:other"}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: b, namespace: apps}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: edit}
subjects: [{kind: Group, name: "system:serviceaccounts:apps"}]
"""


def rule(key: str, verbs: str) -> Permit:
    return read_rules([parse_permission(key, verbs)])[0]


@pytest.mark.parametrize(
    ("permit", "one", "allowed"),
    [
        (rule("core/pods", "get"), SinglePermission("get", "", "pods"), True),
        (rule("core/pods", "get"), SinglePermission("get", "", "pods", "a"), True),
        (rule("core/pods", "get"), SinglePermission("get", "", "pods/log"), False),
        (rule("core/pods", "get"), SinglePermission("list", "", "pods"), False),
        (rule("core/pods", "get"), SinglePermission("get", "apps", "pods"), False),
        (rule("*/*", "*"), SinglePermission("get", "apps", "deployments/scale"), True),
        (rule("core/*/exec", "create"), SinglePermission("create", "", "pods/exec"), True),
        (rule("core/*/exec", "create"), SinglePermission("create", "", "pods"), False),
        (rule("core/secrets[a,b]", "get"), SinglePermission("get", "", "secrets", "a"), True),
        (rule("core/secrets[a,b]", "get"), SinglePermission("get", "", "secrets"), False),
        (rule("/metrics", "get"), SinglePermission("get", url="/metrics"), True),
        (rule("/apis/*", "get"), SinglePermission("get", url="/apis/batch"), True),
        (rule("/apis/*", "get"), SinglePermission("get", "", "pods"), False),
        (rule("core/pods", "*"), SinglePermission("get", url="/metrics"), False),
    ],
)
def test_a_rule_allows_what_rbac_says(permit: Permit, one: SinglePermission, allowed: bool) -> None:
    assert permit.allows(one) is allowed


def test_what_is_too_much_is_not_taken_apart() -> None:
    many = [str(each) for each in range(3_000)]
    wanted = Permit((), many, many, many, many)
    (line,) = summarize_rules([GrantedRules(None, "role", "", [wanted])])
    assert (len(line.resources), wanted.size > MOST) == (3_000, True)


@pytest.mark.parametrize(
    "rules", [None, "text", 3, {}, [None], [[]], [{"verbs": "get"}], [{"verbs": {"a": 1}}]]
)
def test_rules_of_any_shape(rules: Json) -> None:
    assert not any(each.verbs for each in read_rules(rules))


def test_a_role_is_what_it_is_made_of() -> None:
    access = Access(manifests(ROLES))
    granted = access.rules_of((CLUSTER_ROLE, "", "whole"))
    assert {(*each.groups, *each.resources) for each in granted} == {("", "pods"), ("batch", "jobs")}
    assert access.list_aggregations()[CLUSTER_ROLE, "", "one"] == [
        (CLUSTER_ROLE, "", "whole"),
        (CLUSTER_ROLE, "", "view"),
    ]
    parts = {each.name for each in access.expand_role((CLUSTER_ROLE, "", "admin"))}
    assert parts == {"admin", "edit", "view", "one"}


def test_roles_that_are_made_of_each_other_come_to_an_end() -> None:
    text = ROLES.replace("{name: whole}", "{name: whole, labels: {below: 'true'}}")
    assert len(Access(manifests(text)).expand_role((CLUSTER_ROLE, "", "two"))) == 4


def test_accounts_are_in_groups() -> None:
    access = Access(manifests(ROLES))
    assert [(each.role[2], each.where) for each in access.roles_of(WORKER)] == [
        ("whole", None),
        ("edit", "apps"),
    ]
    assert [each.role[2] for each in access.roles_of(RbacSubject(ACCOUNT, "apps", "other"))] == [
        "whole",
        "edit",
    ]
    assert [each.role[2] for each in access.roles_of(RbacSubject(ACCOUNT, "else", "worker"))] == []
    whole, edit = (access.rules_of(each.role) for each in access.roles_of(WORKER))
    secrets = SinglePermission("delete", "", "secrets")
    assert any(each.allows(secrets) for each in edit)
    assert not any(each.allows(secrets) for each in whole)
    assert [str(each) for each in (WORKER, RbacSubject(GROUP, "", "all"))] == [
        "ServiceAccount apps/worker",
        "Group all",
    ]


def test_names_of_any_shape_are_told_as_json_writes_them() -> None:
    binding = """
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: odd}
roleRef: {kind: {a: 1}, name: [b]}
subjects: [{kind: [c], name: {d: true}}]
"""
    ((holder, (held,)),) = Access(manifests(binding)).held.items()
    assert (str(holder), held.role) == ('["c"] {"d": true}', ('{"a": 1}', "", '["b"]'))


def test_what_is_had_everywhere_is_not_told_again() -> None:
    lines = summarize_rules(
        [
            GrantedRules(None, "wide", "", [rule("core/pods,services", "get list")]),
            GrantedRules(
                "apps", "near", "", [rule("core/pods", "get delete"), rule("core/services[a]", "get")]
            ),
            GrantedRules(None, "all", "everybody", [rule("core/pods", "list")]),
            GrantedRules(None, "wide", "", [rule("/metrics", "get"), rule("core/secrets[a,b]", "get")]),
        ]
    )
    assert [(line.where, *line.resources, *line.names, *line.urls, *line.verbs) for line in lines] == [
        (None, "pods", "services", "get", "list"),
        (None, "secrets", "a", "b", "get"),
        (None, "/metrics", "get"),
        ("apps", "pods", "delete"),
    ]


def test_what_kubernetes_has_by_itself() -> None:
    for name in CLUSTER_ROLES:
        assert find_default_rules(CLUSTER_ROLE, "", name)
    everything = find_default_rules(CLUSTER_ROLE, "", "cluster-admin") or ()
    for one in (
        SinglePermission("escalate", "rbac.authorization.k8s.io", "roles"),
        SinglePermission("get", url="/metrics"),
    ):
        assert any(each.allows(one) for each in everything)
    assert find_default_rules(CLUSTER_ROLE, "", "mine") is None


def test_verbs_in_words() -> None:
    assert format_verbs(("list", "get", "watch")) == "read"
    assert (
        format_verbs(("create", "delete", "get", "list", "patch", "update", "watch", "use")) == "manage use"
    )
