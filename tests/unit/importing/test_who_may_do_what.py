"""What an import tells of permissions: who gets what, and where."""

from __future__ import annotations

from looking import RBAC, of_all, side, told
from some import rows

from kitgen.importing.review.sides import TreePair
from kitgen.text.yaml import Json, JsonObject

NEW, LOST = "new permissions", "permissions that went away"
GETS, HAD = "who gets which role", "who no longer has which role"
NARROW = "permissions that were cluster-wide, and are for one namespace now"


def role(name: str, *granted: str, namespace: str = "", labels: Json = None, **more: Json) -> JsonObject:
    """Return a role that grants `group/resource verb …`; one with a namespace is a Role."""
    rules = []
    for each in granted:
        what, *verbs = each.split()
        group, _, resource = what.partition("/")
        rules.append({"apiGroups": [group.replace("core", "")], "resources": [resource], "verbs": verbs})
    meta = {"name": f"op-{name}", "labels": labels or {}}
    kind = "Role" if namespace else "ClusterRole"
    return {
        "apiVersion": f"{RBAC}/v1",
        "kind": kind,
        "metadata": {**meta, "namespace": namespace} if namespace else meta,
        "rules": rules,
        **more,
    }


def binding(kind: str, name: str, *accounts: str, namespace: str = "", at: str = "op-system") -> JsonObject:
    """Bind a role to accounts; with a namespace the binding is for that one."""
    meta = {"name": "op-binding"}
    return {
        "apiVersion": f"{RBAC}/v1",
        "kind": "RoleBinding" if namespace else "ClusterRoleBinding",
        "metadata": {**meta, "namespace": namespace} if namespace else meta,
        "roleRef": {"apiGroup": RBAC, "kind": kind, "name": name},
        "subjects": [{"kind": "ServiceAccount", "name": each, "namespace": at} for each in accounts],
    }


SECRETS = ("core/secrets get list",)
WIDE = (role("manager", *SECRETS), binding("ClusterRole", "op-manager", "op-operator"))
LOCAL = (
    role("manager-secrets", *SECRETS, namespace="op-system"),
    binding("Role", "op-manager-secrets", "op-operator", namespace="op-system"),
)


def test_what_a_role_gains_and_loses_is_told_below_its_name() -> None:
    bound = binding("ClusterRole", "op-manager", "op-operator")
    before = side(role("manager", "core/pods get", "apps/deployments get"), bound)
    now = side(role("manager", "core/pods get delete", "batch/jobs get list watch"), bound)
    assert told(before, now) == {
        NEW: ["manager, cluster-wide:", "  core/pods: delete", "  batch/jobs: read"],
        LOST: ["manager, cluster-wide:", "  apps/deployments: get"],
    }


def test_long_lists_are_folded() -> None:
    granted = [f"example{group}.com/{'thing' * 4}{number} get" for group in range(3) for number in range(9)]
    found = told(side(), side(role("b", *granted), role("a", *granted)))[NEW]
    assert [line for line in found if not line.startswith(" ")] == [
        "a, bound to nobody here:",
        "b, bound to nobody here:",
    ]
    assert max(map(len, found)) <= 102
    assert len(found) == 2 + 2 * 3 * 3


def test_a_role_that_is_bound_says_to_whom_and_where() -> None:
    reader, manager = role("reader", "core/pods get"), role("manager", "core/nodes get")
    given = binding("ClusterRole", "op-reader", "op-operator")
    unbound, bound = side(reader, manager), side(reader, manager, given)
    lines = ["ServiceAccount operator, cluster-wide:", "  reader"]
    assert told(unbound, bound) == {GETS: lines}
    assert told(bound, unbound) == {HAD: lines}
    assert told(bound, bound) == {}


def test_a_new_subject_of_a_binding_is_told() -> None:
    reader = role("reader", "core/pods get", namespace="op-system")
    before = binding("Role", "op-reader", "op-operator", namespace="op-system")
    now = binding("Role", "op-reader", "op-operator", "op-helper", namespace="op-system")
    elsewhere = binding("Role", "op-reader", "strange", namespace="op-system", at="other")
    lines = ["ServiceAccount helper, in its own namespace:", "  reader"]
    assert told(side(reader, before), side(reader, now)) == {GETS: lines}
    found = told(side(reader, before), side(reader, before, elsewhere))
    assert found == {GETS: ["ServiceAccount strange of other, in its own namespace:", "  reader"]}


def test_roles_of_others_and_other_namespaces_are_named() -> None:
    group = binding("ClusterRole", "cluster-admin")
    group["subjects"] = [{"kind": "Group", "name": "system:authenticated", "apiGroup": RBAC}]
    reader = binding("Role", "extension-reader", "op-operator", namespace="kube-system")
    assert told(side(), side(group, reader)) == {
        GETS: [
            "Group system:authenticated, cluster-wide:",
            "  cluster-admin",
            "ServiceAccount operator, in the namespace kube-system:",
            "  extension-reader",
        ]
    }


def test_a_role_that_all_who_edit_projects_get_is_told() -> None:
    labels = {f"{RBAC}/aggregate-to-edit": "true", f"{RBAC}/aggregate-to-view": "false"}
    plain, wide = role("jobs", "batch/jobs get"), role("jobs", "batch/jobs get", labels=labels)
    lines = ["all who have edit, by aggregation:", "  jobs"]
    assert told(side(plain), side(wide)) == {GETS: lines}
    assert told(side(wide), side(plain)) == {HAD: lines}
    assert told(side(), side(wide))[NEW] == ["jobs, by aggregation:", "  batch/jobs: get"]


def test_a_role_that_another_one_takes_in_is_told() -> None:
    chosen: Json = {"clusterRoleSelectors": [{"matchLabels": {"example.com/users": "true"}}]}
    users = role("users", aggregationRule=chosen)
    plain = role("jobs", "batch/jobs get")
    taken = role("jobs", "batch/jobs get", labels={"example.com/users": "true"})
    assert told(side(users, plain), side(users, taken)) == {
        GETS: ["all who have users, by aggregation:", "  jobs"]
    }


def test_many_roles_share_lines() -> None:
    names = [f"some-long-name-of-a-role-{number}" for number in range(20)]
    roles = [role(each) for each in names]
    labelled = [role(each, labels={f"{RBAC}/aggregate-to-view": "true"}) for each in names]
    head, *lines = told(side(*roles), side(*labelled))[GETS]
    assert head == "all who have view, by aggregation:"
    assert len(lines) < 10
    assert max(map(len, lines)) <= 96
    assert " ".join(line.strip() for line in lines).count("some-long-name-of-a-role-") == 20


def test_a_role_counts_in_its_namespace() -> None:
    here, there = (role("manager", *SECRETS, namespace=each) for each in ("op-system", "kube-system"))
    assert told(side(), side(here))[NEW] == ["manager, in its own namespace:", "  core/secrets: get list"]
    found = told(side(), side(there))[NEW]
    assert found == ["manager, in the namespace kube-system:", "  core/secrets: get list"]


def test_a_cluster_role_that_is_bound_in_a_namespace_counts_there() -> None:
    given = binding("ClusterRole", "op-manager", "op-operator", namespace="op-system")
    found = told(side(), side(role("manager", "core/pods get"), given))[NEW]
    assert found[0] == "manager, in its own namespace:"


def test_a_move_from_a_cluster_role_to_a_role_is_less() -> None:
    found = told(side(*WIDE), side(*LOCAL))
    assert found == {
        GETS: ["ServiceAccount operator, in its own namespace:", "  manager-secrets"],
        NARROW: ["manager-secrets, in its own namespace:", "  core/secrets: get list"],
        LOST: ["manager, cluster-wide:", "  core/secrets: get list"],
        HAD: ["ServiceAccount operator, cluster-wide:", "  manager"],
    }


def test_a_cluster_role_that_becomes_a_role_of_its_name_is_less() -> None:
    found = told(side(role("a", *SECRETS)), side(role("a", *SECRETS, namespace="op-system")))
    assert found[NARROW] == ["a, in its own namespace:", "  core/secrets: get list"]
    assert NEW not in found


def test_a_move_from_a_role_to_a_cluster_role_is_more() -> None:
    found = told(side(*LOCAL), side(*WIDE))
    assert found[NEW] == ["manager, cluster-wide:", "  core/secrets: get list"]
    assert NARROW not in found


MORE = {
    "somebody else has it": [
        LOCAL[0],
        binding("Role", "op-manager-secrets", "op-operator", "op-other", namespace="op-system"),
    ],
    "it is more": [role("manager-secrets", "core/secrets delete", namespace="op-system"), LOCAL[1]],
    "it is still cluster-wide": [*WIDE, *LOCAL],
    "nobody has it": [LOCAL[0]],
}


@rows("case", MORE)
def test_a_role_is_not_less_if(case: str) -> None:
    found = told(side(*WIDE), side(*MORE[case]))
    assert found[NEW][0] == "manager-secrets, in its own namespace:"
    assert NARROW not in found


def test_another_prefix_and_another_namespace_are_no_difference() -> None:
    other = side(
        {**role("manager", *SECRETS), "metadata": {"name": "x-manager"}},
        binding("ClusterRole", "x-manager", "x-operator", at="elsewhere"),
        prefix="x-",
        home="elsewhere",
    )
    assert told(side(*WIDE), other) == {}


def test_what_only_some_targets_get_says_so() -> None:
    before = side(role("manager", "core/pods get"))
    one = side(role("manager", "core/pods get delete", "batch/jobs get"))
    two = side(role("manager", "core/pods get delete"))
    three = side(role("manager", "core/pods get"))
    head = "manager, bound to nobody here"
    assert of_all([TreePair(who="a", before=before, now=one), TreePair(who="b", before=before, now=two)]) == {
        NEW: [f"{head}:", "  core/pods: delete", "  batch/jobs: get (a)"]
    }
    assert of_all(
        [TreePair(who="", before=before, now=one), TreePair(who="b", before=before, now=three)]
    ) == {NEW: [f"{head} (by itself):", "  core/pods: delete", "  batch/jobs: get"]}
