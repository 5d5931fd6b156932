"""Permissions in an upgrade: what everybody may do counts, and not how roles and bindings say it."""

from __future__ import annotations

import pytest
from checking import manifests

from kitgen.check.context import CheckContext
from kitgen.compare.upgrade.check import check
from kitgen.kube.rbac import changes
from kitgen.text.yaml import JsonObject

RBAC = "rbac.authorization.k8s.io/v1"
RULE = "{apiGroups: [%s], resources: [%s], verbs: [%s]%s}"
PODS = RULE % ("''", "pods", "get, list, watch", "")


def role(name: str, *rules: str, kind: str = "Role", meta: str = "", more: str = "") -> str:
    where = ", namespace: apps" if kind == "Role" else ""
    return (
        f"---\napiVersion: {RBAC}\nkind: {kind}\nmetadata: {{name: {name}{where}{meta}}}\n"
        f"rules: [{', '.join(rules)}]\n{more}\n"
    )


def bound(role: str, *subjects: str, kind: str = "RoleBinding", name: str = "", to: str = "Role") -> str:
    where = ", namespace: apps" if kind == "RoleBinding" else ""
    return (
        f"---\napiVersion: {RBAC}\nkind: {kind}\nmetadata: {{name: {name or role}{where}}}\n"
        f"roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: {to}, name: {role}}}\n"
        f"subjects: [{', '.join(subjects)}]\n"
    )


def account(name: str, namespace: str = "apps") -> str:
    return f"---\napiVersion: v1\nkind: ServiceAccount\nmetadata: {{name: {name}, namespace: {namespace}}}\n"


WEB = "{kind: ServiceAccount, name: web, namespace: apps}"
ADA = "{kind: User, name: ada}"


def told(old: str, new: str) -> list[str]:
    """Return what is told of permissions."""
    before = manifests(old)
    context = CheckContext(targets={"": manifests(new)}, minors=(32,), before={"": before})
    return [hit.problem.message for hit in check(context) if "permission" in hit.problem.rule.id]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (("a", "x", "get", ""), ("a", "x", "get", ""), []),
        (("a", "x", "get", ""), ("a", "x", "'*'", ""), ["granted and not before: a/x (*)"]),
        (("a", "x", "get", ""), ("'*'", "'*'", "get", ""), ["granted and not before: */* (get)"]),
        (
            ("a", "x, x/status", "get", ""),
            ("a", "x, '*/status'", "get", ""),
            ["granted and not before: a/*/status (get)"],
        ),
        (("a", "x", "get, list", ""), ("a", "x", "get", ""), ["no longer granted: a/x (list)"]),
        (
            ("a", "x", "get", ""),
            ("a", "x", "get", ", resourceNames: [web]"),
            ["no longer granted: a/x (get); kept: a/x[web] (get)"],
        ),
        (
            ("a", "x", "get", ", resourceNames: [n]"),
            ("a", "x", "get", ""),
            ["granted and not before: a/x (get)"],
        ),
        (
            ("a", "x", "get", ""),
            ("b", "x", "get", ""),
            ["no longer granted: a/x (get)", "granted and not before: b/x (get)"],
        ),
    ],
)
def test_a_role_that_is_not_bound(old: tuple[str, ...], new: tuple[str, ...], expected: list[str]) -> None:
    was, now = (role("a", RULE % each) for each in (old, new))
    assert told(was, now) == [f"found {each}" for each in expected]


def test_a_permission_goes_with_its_kind_to_another_group() -> None:
    crd = """
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boats.%s}
spec:
  group: %s
  scope: Namespaced
  names: {kind: Boat, plural: boats}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
"""
    was, now = (
        role("a", RULE % (group, "boats", "get", "")) + crd % (group, group) for group in ("a.com", "b.com")
    )
    assert told(was, now) == []


def test_what_one_has_by_several_roles_counts_once() -> None:
    both = bound("a", WEB) + bound("b", WEB)
    old = role("a", PODS) + role("b", RULE % ("''", "secrets", "get", "")) + both
    new = role("a") + role("b", RULE % ("''", "secrets", "get", ""), PODS) + both
    assert told(old, new) == []
    assert told(old, new.replace(bound("b", WEB), bound("b", ADA))) == [
        "found no longer granted to ServiceAccount apps/web: core/pods (read) and core/secrets (get) in apps",
        "found granted to User ada and not before: core/pods (read) and core/secrets (get) in apps",
    ]


def test_where_it_counts() -> None:
    wide = role("a", PODS, kind="ClusterRole")
    old = wide + bound("a", WEB, ADA, kind="ClusterRoleBinding", to="ClusterRole")
    new = wide + bound("a", WEB, ADA, to="ClusterRole")
    people = "ServiceAccount apps/web and User ada"
    lost = f"found no longer granted to {people}: core/pods (read) in the whole cluster"
    assert told(old, new) == [f"{lost}; kept: core/pods (read) in apps"]
    assert told(new, old) == [
        f"found granted to {people} and not before: core/pods (read) in the whole cluster"
    ]


def test_what_a_group_has_its_members_have() -> None:
    wide = role("a", PODS, kind="ClusterRole")
    everybody = "{kind: Group, name: 'system:serviceaccounts:apps'}"
    old = wide + bound("a", WEB, to="ClusterRole")
    new = wide + bound("a", everybody, to="ClusterRole")
    assert told(old, new) == [
        "found granted to Group system:serviceaccounts:apps and not before: core/pods (read) in apps"
    ]


def test_accounts_that_come_or_go_are_no_change_of_permissions() -> None:
    whole = account("web") + role("a", PODS) + bound("a", WEB)
    other = role("b") + account("db")
    assert told(other, whole + other) == []
    assert told(whole + other, other) == []
    assert told(other, whole.replace(account("web"), "") + other) == [
        "found granted to ServiceAccount apps/web and not before: core/pods (read) in apps"
    ]


def test_other_names_are_no_change() -> None:
    old = account("web") + role("a", PODS) + bound("a", WEB)
    assert told(old, old.replace("apps", "others")) == []
    assert told(old, old.replace("web", "web-server")) == []
    assert told(old, old.replace(", namespace: apps", "")) == []


def test_nobody_knows_what_a_role_grants_that_is_not_here() -> None:
    old = role("a", PODS) + bound("a", WEB)
    assert told(old, role("a", PODS) + bound("elsewhere", WEB, name="a", to="ClusterRole")) == []
    assert told(old, bound("a", WEB)) == [
        "found no longer granted to ServiceAccount apps/web: core/pods (read) in apps"
    ]


def test_a_role_that_is_made_of_others() -> None:
    whole = role(
        "all", kind="ClusterRole", more="aggregationRule: {clusterRoleSelectors: [{matchLabels: {a: b}}]}"
    )
    part = role("part", PODS, kind="ClusterRole", meta=", labels: {a: b}")
    loose = part.replace("a: b", "a: c")
    less = part.replace("watch", "get")
    given = bound("all", ADA, kind="ClusterRoleBinding", to="ClusterRole")
    lost = "found no longer granted"
    assert told(whole + part, whole + less) == [f"{lost}: core/pods (watch)"]
    assert told(whole + part, whole + loose) == [
        f"{lost} to whoever has the ClusterRole all: core/pods (read)"
    ]
    assert told(whole + part + given, whole + loose + given) == [
        f"{lost} to User ada: core/pods (read) in the whole cluster"
    ]
    assert told(whole + part + given, whole + less + given) == [
        f"{lost} to User ada: core/pods (watch) in the whole cluster"
    ]


def test_a_bundle_gives_permissions_too() -> None:
    bundle = """
---
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {name: web.v1.%s.0}
spec: {install: {spec: {clusterPermissions: [{serviceAccountName: web, rules: [%s]}]}}}
"""
    old, new = bundle % (0, PODS), bundle % (1, PODS.replace("pods", "secrets"))
    assert told(old, new) == [
        "found no longer granted to ServiceAccount web: core/pods (read) in the whole cluster",
        "found granted to ServiceAccount web and not before: core/secrets (read) in the whole cluster",
    ]


def test_much_is_told_in_few_words() -> None:
    rules = [RULE % (f"g{n}", ", ".join(f"r{i}" for i in range(9)), "get", "") for n in range(9)]
    (message,) = told(role("a", *rules), role("a"))
    assert message == (
        "found no longer granted: "
        + ", ".join(f"g{n}/r0,r1,r2,r3,r4,r5,… 3 more (get)" for n in range(4))
        + " and 5 more"
    )


def test_a_role_beyond_measure_takes_no_time() -> None:
    many = [f"a{number}" for number in range(1000)]
    body: JsonObject = {"apiVersion": RBAC, "kind": "Role", "metadata": {"name": "a"}}
    lists = dict.fromkeys(("apiGroups", "resources", "verbs", "resourceNames"), many)
    was, now = manifests(role("a")), manifests(role("a"))
    was[0].body.clear()
    was[0].body.update(body | {"rules": [lists]})
    context = CheckContext(targets={"": now}, minors=(32,), before={"": was})
    assert not [hit for hit in check(context) if "permission" in hit.problem.rule.id]


def test_pods_that_run_as_another_account() -> None:
    pods = """
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: apps}
spec: {template: {spec: {serviceAccountName: %s}}}
"""
    given = account("web") + account("db") + role("a", PODS) + bound("a", WEB)
    old = pods % "web" + given
    lost = "found no longer granted to Deployment apps/web: core/pods (read) in apps"
    assert told(old, pods % "db" + given) == [lost]
    assert told(old, pods % "''" + given) == [lost]
    assert told(old, pods % "elsewhere" + given) == []
    assert told(pods % "db" + given, old) == [
        "found granted to Deployment apps/web and not before: core/pods (read) in apps"
    ]
    assert told(old, (pods % "web" + given).replace("web", "web-server")) == []


def test_many_bindings_take_no_longer_than_is_worth_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes, "STEPS", 1_000)
    subjects = [f"{{kind: User, name: u{n}}}" for n in range(100)]
    wide = RULE % ("''", ", ".join(f"r{n}" for n in range(100)), "get", "")
    own = "".join(role(f"o{n}", PODS) + bound(f"o{n}", subject) for n, subject in enumerate(subjects))
    given = bound("a", *subjects) + own
    old, new = role("a", wide) + given, role("a", RULE % ("''", "pods", "get", "")) + given
    context = CheckContext(targets={"": manifests(new)}, minors=(32,), before={"": manifests(old)})
    hits = [hit.problem for hit in check(context)]
    assert hits[-1].rule.id == "effort-limit"
    assert hits[0].message.startswith("found no longer granted to User u0")
