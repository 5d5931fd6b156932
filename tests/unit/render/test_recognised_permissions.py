"""What inverses take of strangers' roles, bindings and accounts, what they leave, and how they say it."""

from __future__ import annotations

import copy
from contextlib import suppress
from functools import reduce
from operator import getitem

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sections import BY_KEY, apis, as_seen, made, recognised, scene, words

from kitgen.kube.identity import RBAC, ObjectId
from kitgen.render.families.permissions_inverse import (
    has_permission_errors,
    normalize_permissions,
    parse_policy_rules,
    to_permission_shorthand,
)
from kitgen.render.inverse import SectionChange
from kitgen.text.yaml import Json, JsonObject

FULL = ["create", "delete", "get", "list", "patch", "update", "watch"]
READ = ["get", "list", "watch"]


def role(name: str, *rules: Json, kind: str = "ClusterRole", **meta: Json) -> JsonObject:
    """Return a role; a rule may be written `group/resource` with verbs."""
    api = f"{RBAC}/v1"
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name, **meta}, "rules": [*rules]}


def rule(groups: str, resources: str, *verbs: str, **more: Json) -> JsonObject:
    listed = ["" if each == "core" else each for each in groups.split()]
    return {"apiGroups": listed, "resources": resources.split(), "verbs": [*verbs], **more}


def account(name: str, **more: Json) -> JsonObject:
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name}, **more}


def to(name: str, namespace: str = "") -> JsonObject:
    return {"kind": "ServiceAccount", "name": name, **({"namespace": namespace} if namespace else {})}


def group(name: str) -> JsonObject:
    return {"apiGroup": RBAC, "kind": "Group", "name": name}


def binding(name: str, whose: str, *subjects: Json, kind: str = "Cluster", of: str = "Cluster") -> JsonObject:
    return {
        "apiVersion": f"{RBAC}/v1",
        "kind": f"{kind}RoleBinding",
        "metadata": {"name": name},
        "roleRef": {"apiGroup": RBAC, "kind": f"{of}Role", "name": whose},
        "subjects": [*subjects],
    }


def deployment(name: str, runs_as: Json) -> JsonObject:
    spec = {"template": {"spec": {"serviceAccountName": runs_as}}}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}


OPERATOR = (account("x-manager"), deployment("x-manager", "x-manager"))
PODS = rule("core", "pods", "get")


def found(*objects: JsonObject, **more: Json) -> tuple[JsonObject, list[str]]:
    """Return what is recognised, and the names of what is left, the Deployment aside."""
    known, left = recognised(scene(objects, **more))
    return known, [at.name for at in left.objects if at.kind != "Deployment"]


def test_the_operators_account_is_the_one_that_gets_most_roles() -> None:
    objects = (
        account("x-hook"),
        account("x-manager", automountServiceAccountToken=False),
        account("x-idle"),
        deployment("x-hook", "x-hook"),
        deployment("x-manager", "x-manager"),
        role("x-a", PODS),
        binding("x-abinding", "x-a", to("x-manager")),
    )
    known, left = found(*objects)
    assert (known["serviceAccount"], left) == ("manager", [])
    assert known["serviceAccounts"] == {"hook": {}, "idle": {}}
    assert known["roles"] == {"a": {"permissions": {"core/pods": "get"}}}


def test_the_operators_own_account_may_be_called_operator() -> None:
    known, left = found(
        account("x-operator"),
        deployment("x-manager", "x-operator"),
        role("x-a", PODS),
        binding("x-abinding", "x-a", to("x-operator")),
    )
    assert (known["serviceAccount"], left) == ("operator", [])
    assert known["roles"] == {"a": {"permissions": {"core/pods": "get"}}}


@pytest.mark.parametrize("name", ["manager", "x-none", "x-default", "x-"])
def test_an_account_that_specs_cannot_name_is_left(name: str) -> None:
    known, left = found(
        account(name), deployment("x-manager", name), role("x-a", PODS), binding("x-ab", "x-a", to(name))
    )
    assert known == {"roles": {"a": {"bind": "none", "permissions": {"core/pods": "get"}}}}
    assert left == [name, "x-ab"]


def test_a_token_is_taken_and_a_secret_with_data_is_not() -> None:
    token: JsonObject = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "x-token", "annotations": {"kubernetes.io/service-account.name": "x-manager"}},
        "type": "kubernetes.io/service-account-token",
    }
    assert found(*OPERATOR, token)[0]["serviceAccounts"] == {"manager": {"token": "token"}}
    for more in ({"data": {"token": "c2VjcmV0"}}, {"data": {}}, {"stringData": {}}, {"type": "Opaque"}):
        known, left = found(*OPERATOR, {**token, **more})
        assert (known, left) == ({"serviceAccount": "manager"}, ["x-token"])


def test_an_election_is_told_by_what_it_grants() -> None:
    elect = role(
        "x-elect",
        rule("coordination.k8s.io core", "leases configmaps", *FULL),
        rule("core", "events", "create"),
        rule("core", "events", "patch"),
        kind="Role",
    )
    both = rule("core", "leases", *FULL)  # the product of the first rule grants more than is usual
    exact = copy.deepcopy(elect)
    exact["rules"][0] = rule("core", "configmaps", *reversed(FULL))
    exact["rules"].append(rule("coordination.k8s.io", "leases", *FULL))
    own = binding("x-electbinding", "x-elect", to("x-manager"), kind="", of="")
    assert both not in exact["rules"]
    assert found(*OPERATOR, exact, own) == ({"serviceAccount": "manager", "leaderElection": "elect"}, [])
    known, left = found(*OPERATOR, elect, own)
    assert (left, "leaderElection" in known, known["roles"]["elect"]["namespaced"]) == ([], False, True)
    older = {"roles": {"elect": {}}}
    assert "leaderElection" not in found(*OPERATOR, exact, own, older=older)[0]


@pytest.mark.parametrize(
    "wrong",
    [
        rule("core", "pods"),
        rule("core", "", "get"),
        rule("", "pods", "get"),
        rule("core", "pods", "manage"),
        rule("core", "Pods", "get"),
        rule("core", "pods", "Get"),
        rule("Apps", "pods", "get"),
        rule("core", "pods", "get", resourceNames=["a_b"]),
        rule("core", "pods", "get", resourceNames=["a,b"]),
        rule("core", "pods", "get", resourceNames=["*"]),
        rule("core", "pods", "get", nonResourceURLs=["/metrics"]),
        rule("core", "pods", "get", attributeRestrictions=None),
        {"apiGroups": ["core"], "resources": ["pods"], "verbs": ["get"]},
        {"apiGroups": "apps", "resources": ["pods"], "verbs": ["get"]},
        {"apiGroups": [None], "resources": ["pods"], "verbs": ["get"]},
        {"nonResourceURLs": ["*"], "verbs": ["get"]},
        {"nonResourceURLs": ["/a b"], "verbs": ["get"]},
        {"apiGroups": ["a"] * 200, "resources": ["b"] * 200, "verbs": ["get"]},
        "get pods",
        None,
    ],
)
def test_a_rule_that_the_shorthand_cannot_say_leaves_the_role(wrong: Json) -> None:
    bound = binding("x-ab", "x-a", to("x-manager"))
    known, left = found(*OPERATOR, role("x-a", PODS, wrong), bound)
    # A binding can be said of any role that is there.
    want = {"role": "a", "serviceAccounts": ["operator"]}
    assert (left, known["bindings"]) == (["x-a"], {"ab": want})


@pytest.mark.parametrize(
    "odd",
    [
        role("x-a", PODS, annotations={"a": "b"}),
        role("x-a", PODS, namespace="elsewhere", kind="Role"),
        role("x-a", PODS, labels={"a": 1}),
        role("x-a", PODS, labels={"a": "{{ b }}"}),
        role("a", PODS),
        role("x-a b", PODS),
        {**role("x-a", PODS), "aggregationRule": {"clusterRoleSelectors": []}},
        {**role("x-a", PODS), "apiVersion": f"{RBAC}/v1beta1"},
        role("x-a"),
        role("x-a", {"nonResourceURLs": ["/metrics"], "verbs": ["get"]}, kind="Role"),
    ],
)
def test_a_role_with_anything_else_is_left(odd: JsonObject) -> None:
    known, left = found(*OPERATOR, odd)
    assert (known, left) == ({"serviceAccount": "manager"}, [odd["metadata"]["name"]])


def test_what_no_cluster_sees_does_not_matter() -> None:
    plain = role("x-a", PODS, creationTimestamp=None, labels={}, annotations={})
    assert found(*OPERATOR, {**plain, "status": {}})[1] == []


def test_the_usual_binding_is_the_roles_and_the_others_stand_apart() -> None:
    known, left = found(
        *OPERATOR,
        role("x-a", PODS),
        binding("x-first", "x-a", to("x-manager")),
        binding("x-abinding", "x-a", to("scraper", "monitoring")),
        binding("x-people", "x-a", group("admins"), to("x-manager")),
        binding("x-here", "x-a", to("default"), kind=""),
    )
    assert left == []
    assert known["roles"]["a"]["bind"] == "monitoring/scraper"
    assert known["bindings"] == {
        "first": {"role": "a", "serviceAccounts": ["operator"]},
        "people": {"role": "a", "groups": ["admins"], "serviceAccounts": ["operator"]},
        "here": {"role": "a", "serviceAccounts": ["default"], "namespaced": True},
    }


@pytest.mark.parametrize(
    "odd",
    [
        binding("x-b", "x-a", {"apiGroup": RBAC, "kind": "User", "name": "jo"}),
        binding("x-b", "x-a", to("x-manager"), group("admins")),
        binding("x-b", "x-a", {**to("x-manager"), "apiGroup": ""}),
        binding("x-b", "x-a", to("x-unknown")),
        binding("x-b", "x-a", to("default", "elsewhere")),
        binding("x-b", "x-a", to("Odd", "elsewhere")),
        binding("x-b", "x-a"),
        binding("x-b", "system:auth-delegator", to("x-manager")),
        binding("x-b", "x-missing", to("x-manager")),
        binding("x-b", "x-a", to("x-manager"), kind="", of=""),
        binding("b", "x-a", to("x-manager")),
    ],
)
def test_a_binding_that_specs_cannot_say_is_left(odd: JsonObject) -> None:
    known, left = found(*OPERATOR, role("x-a", PODS), odd)
    assert (left, known["roles"]["a"]["bind"]) == ([odd["metadata"]["name"]], "none")
    assert "bindings" not in known


def test_without_a_prefix_a_binding_may_name_a_role_of_every_cluster() -> None:
    bound = binding("delegate", "system:auth-delegator", to("m"))
    known, left = found(account("m"), deployment("m", "m"), bound, prefix="")
    assert left == []
    assert known["bindings"]["delegate"] == {"role": "system:auth-delegator", "serviceAccounts": ["operator"]}


def test_a_role_and_a_cluster_role_of_one_name_are_told_apart() -> None:
    inside = binding("x-abinding", "x-a", to("x-manager"), kind="", of="")
    known, left = found(*OPERATOR, role("x-a", PODS), role("x-a", PODS, kind="Role"), inside)
    assert known["roles"] == {"a": {"bind": "none", "permissions": {"core/pods": "get"}}}
    assert left == ["x-a", "x-abinding"]


def aggregate(name: str, label: str) -> JsonObject:
    selectors = [{"matchLabels": {label: "true"}}]
    return {**role(name), "aggregationRule": {"clusterRoleSelectors": selectors}}


def pair(name: str, resource: str, *labels: str, status: bool = True) -> list[JsonObject]:
    group, _, plural = resource.partition("/")
    more = [rule(group, f"{plural}/status", "get")] if status else []
    marked = {"labels": dict.fromkeys(labels, "true")} if labels else {}
    return [
        role(f"x-{name}-editor-role", rule(group, plural, *FULL), *more, **marked),
        role(f"x-{name}-viewer-role", rule(group, plural, *READ), *more, **marked),
    ]


def test_pairs_are_access_roles() -> None:
    known, left = found(
        aggregate("x-batch-admin-role", "e.com/admin"),
        *pair("job", "batch/jobs", "e.com/admin"),
        *pair("car", "e.com/vehicles", status=False),
        *pair("bus", "e.com/vehicles", status=False),
    )
    assert (left, known.keys()) == ([], {"accessRoles"})
    assert words(known)["accessRoles"] == {
        "aggregates": {"batch-admin": {"role": "batch-admin-role", "label": "e.com/admin"}},
        "sets": {
            "jobs": {"editors": ["batch-admin"], "viewers": ["batch-admin"], "resources": ["batch/jobs"]},
            "vehicles": {
                "editors": [],
                "viewers": [],
                "status": False,
                "resources": [
                    {"resource": "e.com/vehicles", "name": "bus"},
                    {"resource": "e.com/vehicles", "name": "car"},
                ],
            },
        },
    }


EDIT = "rbac.authorization.k8s.io/aggregate-to-edit"


def labelled(name: str, resource: str, *labels: str, **more: str) -> list[JsonObject]:
    """Return a pair with some labels that are true, one that follows what it is called, and others."""
    both = pair(name, resource, *labels)
    for each in both:
        called = each["metadata"]["name"].removeprefix("x-").removesuffix("-role")
        each["metadata"]["labels"] = {**each["metadata"].get("labels", {}), "e.com/role": called, **more}
    return both


def test_labels_of_access_roles_are_audiences_or_said_once() -> None:
    known, left = found(*labelled("job", "batch/jobs", EDIT), *labelled("car", "e.com/cars"))
    assert (left, known.keys()) == ([], {"accessRoles"})
    assert words(known)["accessRoles"] == {
        "aggregates": {"aggregate-to-edit": {"label": EDIT}},
        "labels": {"e.com/role": "{{ role }}"},
        "sets": {
            "jobs": {
                "editors": ["aggregate-to-edit"],
                "viewers": ["aggregate-to-edit"],
                "resources": ["batch/jobs"],
            },
            "cars": {"editors": [], "viewers": [], "resources": ["e.com/cars"]},
        },
    }


def test_labels_that_not_all_have_are_those_of_a_set() -> None:
    known, _ = found(
        *labelled("job", "batch/jobs", tier="gold"),
        *labelled("car", "e.com/cars"),
        *pair("bus", "e.com/buses"),
    )
    follows = {"e.com/role": "{{ role }}"}
    sets = words(known)["accessRoles"]["sets"]
    assert {name: each.get("labels") for name, each in sets.items()} == {
        "jobs": {**follows, "tier": "gold"},
        "cars": follows,
        "buses": None,
    }


def test_a_label_of_all_stays_one_and_who_lacks_it_is_a_plain_role() -> None:
    older = {"accessRoles": {"labels": {"e.com/role": "{{ role }}", "e.com/gone": "1"}}}
    known, left = found(
        *labelled("job", "batch/jobs"),
        *labelled("car", "e.com/cars"),
        *pair("bus", "e.com/buses"),
        older=older,
    )
    assert left == []
    assert known["accessRoles"]["labels"] == {"e.com/role": "{{ role }}"}
    assert [*known["accessRoles"]["resources"]] == ["batch/jobs", "e.com/cars"]
    assert [*known["roles"]] == ["bus-editor-role", "bus-viewer-role"]


def test_an_audience_without_its_role_keeps_its_name() -> None:
    view = {"label": "e.com/view"}
    spare = {"label": "e.com/spare"}
    resources = {"batch/jobs": {"editors": "admin view", "viewers": ""}}
    aggregates = {"admin": {"role": "a", "label": "e.com/admin"}, "view": view, "spare": spare}
    older = {"accessRoles": {"aggregates": aggregates, "resources": resources}}
    known, _ = found(*pair("job", "batch/jobs", "e.com/admin"), older=older)
    # Nobody is of the audience view any more, and nobody ever was of the spare one.
    assert known["accessRoles"]["aggregates"] == {"admin": {"label": "e.com/admin"}, "spare": spare}


def test_a_label_is_no_audience_if_the_older_spec_says_so() -> None:
    older = {"accessRoles": {"labels": {"e.com/fast": "true"}}}
    known, _ = found(*pair("job", "batch/jobs", "e.com/fast"), older=older)
    assert known["accessRoles"] == {
        "labels": {"e.com/fast": "true"},
        "resources": {"batch/jobs": {"editors": "", "viewers": ""}},
    }


def test_audiences_and_pairs_are_called_as_the_older_spec_does() -> None:
    older = {
        "accessRoles": {"aggregates": {"admin": {"role": "batch-admin-role", "label": "e.com/a"}}},
        "roles": {"job-viewer-role": {}},
    }
    objects = (aggregate("x-batch-admin-role", "e.com/admin"), *pair("job", "batch/jobs", "e.com/admin"))
    known, left = found(*objects, older=older)
    assert (left, [*known["accessRoles"]["aggregates"]]) == ([], ["admin"])
    assert [*known["roles"]] == ["job-editor-role", "job-viewer-role"]


@pytest.mark.parametrize("number", [0, 1])
def test_a_pair_with_anything_else_is_two_plain_roles(number: int) -> None:
    for change in (
        {"metadata": {"name": "x-other-viewer-role"}},
        {"rules": [rule("batch", "jobs", "get")]},
        {"rules": [rule("batch", "jobs", *FULL), rule("batch", "jobs/log", "get")]},
    ):
        objects = pair("job", "batch/jobs")
        objects[number] = {**objects[number], **change}
        known, left = found(*objects)
        assert (left, known.keys(), len(known["roles"])) == ([], {"roles"}, 2)
    objects = pair("job", "batch/jobs")
    objects[number]["metadata"]["labels"] = {"only": "here"}
    assert found(*objects)[0].keys() == {"roles"}


def test_what_a_kit_takes_for_a_slip_stays_an_object() -> None:
    slip = role("x-a", rule("core", "pod", "get"))
    assert found(slip, role("x-b", PODS), apis=apis())[1] == ["x-a"]
    assert found(*pair("job", "batch/job"), apis=apis())[1] == ["x-job-editor-role", "x-job-viewer-role"]


def test_permissions_are_written_as_people_do() -> None:
    kinds = ("mpijobs", "paddlejobs", "pytorchjobs", "tfjobs", "xgboostjobs")
    below = " ".join(f"{each}/{part}" for each in kinds for part in ("status", "finalizers"))
    rules = [
        rule("kubeflow.org", below, "get"),
        rule("core apps", "things", *READ, "deletecollection"),
        rule("batch", "jobs jobs/status", *FULL, "deletecollection"),
        rule("*", "scales", "*"),
        rule("core", "secrets", *READ, resourceNames=["b", "a"]),
        rule("core", "pods secrets", *READ),
        {"nonResourceURLs": ["/metrics", "/healthz/*"], "verbs": ["get"]},
    ]
    permissions, long = parse_policy_rules(rules), "kubeflow.org/mpijobs/finalizers"
    assert permissions is not None
    said = to_permission_shorthand(permissions)
    assert said == {
        "*/scales": "*",
        "core/pods,secrets": "read",
        "core/secrets[a,b]": "read",
        "core/things": "deletecollection get list watch",
        "apps/things": "deletecollection get list watch",
        "batch/jobs,jobs/status": "manage deletecollection",
        f"{long},paddlejobs/finalizers,pytorchjobs/finalizers,tfjobs/finalizers": "get",
        "kubeflow.org/xgboostjobs/finalizers": "get",
        "kubeflow.org/mpijobs/status,paddlejobs/status,pytorchjobs/status,tfjobs/status": "get",
        "kubeflow.org/xgboostjobs/status": "get",
        "/healthz/*": "get",
        "/metrics": "get",
    }
    assert [*said][:3] == ["*/scales", "core/pods,secrets", "core/secrets[a,b]"]
    assert normalize_permissions(said) == permissions


def test_only_what_is_different_is_said_of_permissions() -> None:
    old = {
        "manager-role": {"permissions": {"kubeflow.org/mpijobs,mxjobs,tfjobs": "read", "core/pods": "get"}}
    }
    new = {"manager-role": {"permissions": {"core/nodes": "get list watch", "core/events": "get list watch"}}}
    gone = (("manager-role", "permissions", "kubeflow.org/mxjobs"),)
    said = BY_KEY["roles"].terms(SectionChange(new=new, gone=gone, old=old))
    assert said.section == {"manager-role": {"permissions": {"core/events,nodes": "read"}}}
    assert said.remove == ("manager-role/permissions/kubeflow.org/mxjobs",)


def of(*resources: Json, editors: str = "admin", viewers: str = "user admin") -> JsonObject:
    """Return a set of access roles."""
    return {"editors": editors.split(), "viewers": viewers.split(), "resources": [*resources]}


AUDIENCES = {"user": {"role": "u", "label": "e.com/u"}, "admin": {"role": "a", "label": "e.com/a"}}
RIGHTS = {"editors": "admin", "viewers": "admin user"}


def turned(old: Json, resources: JsonObject, *gone: str | tuple[str, str]) -> tuple[Json, tuple[str, ...]]:
    """Return what is said of sets, and what is removed, so that resources have other rights."""
    places = tuple(("resources", *((each,) if isinstance(each, str) else each)) for each in gone)
    section = {"aggregates": AUDIENCES, "sets": old}
    new = {"resources": resources} if resources else {}
    said = BY_KEY["accessRoles"].terms(SectionChange(new=new, gone=places, old=section))
    return (said.section or {}).get("sets"), said.remove


def test_resources_find_their_place_in_sets() -> None:
    old = {"some": of("e.com/as", "e.com/cs"), "others": of("e.com/x", "e.com/y", editors="user")}
    more = {"e.com/bs": RIGHTS, "e.com/ds": {"editors": "admin user", "viewers": ""}}
    assert turned(old, more, "e.com/x") == (
        {"some": {"resources": ["e.com/bs"]}, "ds": of("e.com/ds", editors="user admin", viewers="")},
        ("sets/e.com/x",),
    )
    assert turned(old, {}, "e.com/x", "e.com/y") == (None, ("sets/others",))
    assert turned(old, {"e.com/x": RIGHTS}) == ({"some": {"resources": ["e.com/x"]}}, ())
    assert turned(old, {}, "e.com/as", "e.com/cs", "e.com/x", "e.com/y") == (None, ("sets",))


def test_a_set_whose_resources_all_have_other_rights_is_changed() -> None:
    old = {"some": {**of("e.com/as", "e.com/cs"), "status": False, "labels": {"a": "1", "b": "1"}}}
    other = {"editors": "", "viewers": "admin user", "labels": {"a": "2", "b": "1"}}
    gone = (("e.com/as", "status"), ("e.com/cs", "status"))
    said = {"some": {"editors": [], "labels": {"a": "2"}, "status": True}}
    assert turned(old, {"e.com/as": other, "e.com/cs": other}, *gone) == (said, ())
    # A label cannot be taken away in place.
    gone = (("e.com/as", "labels"), ("e.com/cs", "labels"))
    assert turned(old, {}, *gone) == ({"as": {**of("e.com/as", "e.com/cs"), "status": False}}, ())


def test_a_list_of_sets_is_added_to_by_name() -> None:
    old = [of("e.com/as", "e.com/cs"), of("e.com/x", editors="user")]
    assert turned(old, {"e.com/bs": RIGHTS}, "e.com/x") == ({"bs": of("e.com/bs")}, ("sets/e.com/x",))
    assert turned(old, {"e.com/x": RIGHTS}) == ({"x": of("e.com/x")}, ())
    by_place = {str(place): each for place, each in enumerate(old)}
    assert turned(by_place, {"e.com/bs": RIGHTS}) == ({"bs": of("e.com/bs")}, ())


def test_a_role_that_is_no_longer_the_components_goes_from_its_audience() -> None:
    section = {"aggregates": AUDIENCES, "labels": {"e.com/a": "{{ role }}", "e.com/b": "1"}, "sets": {}}
    gone = (("aggregates", "user", "role"), ("labels", "e.com/b"))
    said = BY_KEY["accessRoles"].terms(
        SectionChange(new={"labels": {"e.com/a": "2"}}, gone=gone, old=section)
    )
    assert said.section == {"labels": {"e.com/a": "2"}}
    assert said.remove == ("aggregates/user/role", "labels/e.com/b")


TREE = (
    *OPERATOR,
    account("x-reader"),
    {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "x-t", "annotations": {"kubernetes.io/service-account.name": "x-reader"}},
        "type": "kubernetes.io/service-account-token",
    },
    role("x-elect", rule("core", "configmaps", *FULL), kind="Role"),
    binding("x-electbinding", "x-elect", to("x-manager"), kind="", of=""),
    role("x-a", PODS, labels={"a": "b"}),
    binding("x-b", "x-a", group("g"), to("x-reader"), to("o", "n")),
    aggregate("x-batch-admin-role", "e.com/admin"),
    *pair("job", "batch/jobs", "e.com/admin"),
)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def _ways(value: Json, path: tuple[int | str, ...] = ()) -> list[tuple[int | str, ...]]:
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(way for key, each in steps for way in _ways(each, (*path, key)))]


def _at(way: tuple[int | str, ...]) -> Json:
    return copy.deepcopy(reduce(getitem, way, TREE))


WAYS = [(number, *way) for number, body in enumerate(TREE) for way in _ways(body) if way]


@given(
    st.lists(
        st.tuples(st.sampled_from(WAYS), ANYTHING | st.sampled_from(WAYS).map(_at)), min_size=1, max_size=4
    )
)
def test_whatever_a_tree_holds_is_taken_exactly_or_left(
    odd: list[tuple[tuple[int | str, ...], Json]],
) -> None:
    tree: Json = copy.deepcopy([*TREE])
    for way, value in odd:
        at = tree
        with suppress(LookupError, TypeError):  # something above may be another thing by now
            for step in way[:-1]:
                at = at[step]
            at[way[-1]] = value
    before = copy.deepcopy(tree)
    view = scene(tree, apis=apis())
    known, left = recognised(view)
    assert tree == before
    if "serviceAccount" not in known:
        return
    objects = {ObjectId.of(each): each for each in tree}
    again = as_seen(made(words(known)))
    taken = [at for at in objects if at not in left.objects and at.name != "x-manager"]
    seen = as_seen({at: objects[at] for at in taken})
    for at in taken:
        have, want = _plain(again[at]), _plain(seen[at])
        # What the kit takes for a slip is left to a patch.
        slips = want["rules"] - have["rules"]
        assert {**have, "rules": have["rules"] | slips} == want
        assert all(has_permission_errors(view, {f"{each[0] or 'core'}/{each[1]}": each[2]}) for each in slips)
    extra = {at for at in again if at not in objects and at.kind != "Deployment"}
    assert not extra


def _plain(body: Json) -> Json:
    """Return a body without what makes no difference."""
    meta = {key: value for key, value in body["metadata"].items() if value not in (None, {}, [])}
    rest = {key: value for key, value in body.items() if key != "status"}
    return {**rest, "metadata": meta, "rules": body.get("rules") or set()}
