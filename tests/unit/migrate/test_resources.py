"""One object after the other: what goes along, what is dropped, what is told, and what cannot move."""

from __future__ import annotations

import copy
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from moving import KEY, MOVED, NEW, OLD, V1, V2, moved_field, moved_key, moves
from some import rows

from kitgen.findings import Problem
from kitgen.kit.model.migration import Policy
from kitgen.migrate.resources.resource import MigratedObject, Outcome, migrate_object
from kitgen.text.yaml import dump_yaml

MOVES = moves(moved_key(KEY, Policy.KEEP), moved_key(OLD, Policy.MOVE, NEW))


def fits(_: Any) -> list[Problem]:
    return []


def greeting(spec: Any = None, version: str = V1, **meta: Any) -> dict[str, Any]:
    body = {"apiVersion": version, "kind": "Greeting", "metadata": {"name": "one", **meta}}
    return body if spec is None else {**body, "spec": spec}


def moved(body: Any, with_moves: Any = MOVES) -> MigratedObject:
    before = copy.deepcopy(body)
    made = migrate_object(body, with_moves, fits)
    assert body == before
    return made


def told(result: MigratedObject) -> list[str]:
    return [each.rule.id for each in result.problems]


def test_what_goes_along() -> None:
    applied = "kubectl.kubernetes.io/last-applied-configuration"
    server = dict.fromkeys(("uid", "resourceVersion", "selfLink", "creationTimestamp"), "x")
    body = greeting(
        {"text": "hi"},
        namespace="a",
        labels={"x": "y", KEY: "z"},
        annotations={applied: f'{{"apiVersion":"{V1}"}}', "argocd.argoproj.io/tracking-id": "t", "note": "n"},
        generation=3,
        managedFields=[{"apiVersion": V1}],
        finalizers=[],
        **server,
    )
    made = moved(body | {"status": {"state": "ready"}})
    assert made.outcome is Outcome.MOVED
    assert made.problems == ()
    assert made.body == {
        "apiVersion": MOVED,
        "kind": "Greeting",
        "metadata": {
            "name": "one",
            "namespace": "a",
            "labels": {"x": "y", KEY: "z"},
            "annotations": {"note": "n"},
        },
        "spec": {"text": "hi"},
    }


def test_annotations_that_all_go() -> None:
    made = moved(greeting(annotations={"kubectl.kubernetes.io/last-applied-configuration": "x"}))
    assert made.body["metadata"] == {"name": "one"}


def test_finalizers_go_by_their_policy_and_others_are_told() -> None:
    both = moved_key(f"both.{OLD}", Policy.BOTH, f"both.{NEW}")
    keys = moves(moved_key(KEY, Policy.KEEP), both, moved_key(OLD, Policy.MOVE, NEW))
    names = [f"both.{OLD}/a", "other.dev/wait", f"{OLD}/b", f"{KEY}/c", "token: s3cret", "x" * 400, 3]
    made = moved(greeting(finalizers=names), keys)
    stays = [f"both.{OLD}/a", f"{NEW}/b", f"{KEY}/c", f"both.{NEW}/a"]
    assert made.body["metadata"]["finalizers"] == stays
    assert told(made) == ["migration-finalizer"] * 4
    assert made.problems[0].message == 'found the finalizer "other.dev/wait", which is dropped'
    assert made.problems[0].path == ("metadata", "finalizers", 1)
    assert {each.message for each in made.problems[1:]} == {
        "found a finalizer that has no name of one, which is dropped"
    }
    assert "s3cret" not in repr(made.problems)
    assert moved(made.body, keys).body is made.body


def test_finalizers_of_nested_objects_are_told_once() -> None:
    inner = greeting({"text": "in"}, finalizers=["other.dev/wait"])
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"finalizers": ["other.dev/wait"]}}
    made = moved(greeting({"inner": {"items": [inner, pod]}}))
    assert [(each.rule.id, each.path) for each in made.problems] == [
        ("migration-finalizer", ("spec", "inner", "items", 0, "metadata", "finalizers", 0))
    ]
    assert made.body["spec"]["inner"]["items"][1] is pod


def test_owners_are_told() -> None:
    owner = {"apiVersion": V1, "kind": "Greeting", "name": "two", "uid": "u"}
    made = moved(greeting(ownerReferences=[owner, "odd"]))
    assert told(made) == ["migration-owner"]
    assert "ownerReferences" not in made.body["metadata"]


@rows(
    ("body", "path", "message"),
    [
        (greeting(deletionTimestamp="x"), ("metadata", "deletionTimestamp"), "found an object that is being"),
        (greeting(name=None, generateName="one-"), ("metadata",), "found an object without a name"),
        ({"apiVersion": V1, "kind": "Greeting"}, ("metadata",), "found an object without a name"),
        (greeting(version=f"{OLD}/v9"), ("apiVersion",), 'found the version "v9", expected v1'),
        (
            greeting() | {"kind": "Wave"},
            ("kind",),
            f'found the kind "Wave" of {OLD}, of which the migration says nothing',
        ),
    ],
)
def test_what_cannot_move(body: Any, path: Any, message: str) -> None:
    made = moved(body)
    assert made.outcome is Outcome.UNMOVED
    (problem,) = made.problems
    assert (problem.rule.id, problem.path) == ("migration-unmoved", path)
    assert problem.message.startswith(message)


def test_what_is_new_or_other_passes() -> None:
    new = greeting({"text": "hi"}, version=MOVED, uid="u", finalizers=["x"]) | {"status": {}}
    assert moved(new) == MigratedObject(outcome=Outcome.NEW, body=new)
    other = {"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": {f"{OLD}/x": "y"}}}
    assert moved(other) == MigratedObject(outcome=Outcome.OTHER, body=other)
    assert moved(other).body is other


def test_objects_within_objects() -> None:
    deep = greeting({"inner": greeting({"text": "deep"}, name="", uid="u")})
    made = moved(greeting({"inner": {"kind": "List", "items": [deep, {"kind": "Pod"}]}}))
    inner = made.body["spec"]["inner"]["items"][0]
    assert inner["apiVersion"] == inner["spec"]["inner"]["apiVersion"] == MOVED
    assert inner["spec"]["inner"]["metadata"] == {"name": ""}
    assert made.problems == ()


def test_an_object_that_holds_one_that_moved() -> None:
    inner = greeting({"text": "in"})
    for version, kind in (("v1", "Template"), (MOVED, "Greeting")):
        holds = {"apiVersion": version, "kind": kind, "metadata": {"name": "x"}, "spec": {"inner": inner}}
        made = moved(holds)
        assert made.outcome is Outcome.WITHIN
        assert made.body["spec"]["inner"]["apiVersion"] == MOVED
        assert moved(made.body).outcome is not Outcome.WITHIN


def test_references_move_within_and_are_told_elsewhere() -> None:
    reference = {"apiVersion": V1, "kind": "Greeting", "name": "two"}
    rules = [{"apiGroups": ["", OLD], "resources": ["greetings"]}]
    made = moved(greeting({"inner": {"target": reference, "rules": rules}}))
    assert made.body["spec"]["inner"]["target"] == {**reference, "apiVersion": MOVED}
    assert [(each.rule.id, each.path) for each in made.problems] == [
        ("migration-old", ("spec", "inner", "rules", 0, "apiGroups", 1))
    ]
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"ownerReferences": [reference]}, "rules": rules}
    made = moved(pod)
    assert made.body is pod
    assert [each.path for each in made.problems] == [
        ("metadata", "ownerReferences", 0, "apiVersion"),
        ("rules", 0, "apiGroups", 1),
    ]


def test_a_definition_is_told() -> None:
    spec = {"group": OLD, "names": {"kind": "Greeting"}}
    made = moved({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": spec})
    assert made.outcome is Outcome.OTHER
    assert [each.path for each in made.problems] == [("spec", "group")]


def config_map(*texts: str) -> dict[str, Any]:
    data = {f"file-{number}": text for number, text in enumerate(texts)}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "map", "uid": "u"}, "data": data}


def test_a_text_stays_and_is_told() -> None:
    body = config_map(dump_yaml(greeting({"text": "hi"})), f"a: [{V1}", "other: text\n", f"# why\napi={V1}")
    made = moved(body)
    assert made.body is body
    assert [each.path for each in made.problems] == [("data", "file-0"), ("data", "file-3")]
    inner = moved(greeting({"inner": body}))
    assert inner.body["spec"]["inner"] is body
    assert [each.path for each in inner.problems] == [
        ("spec", "inner", "data", name) for name in ("file-0", "file-3")
    ]


def test_a_text_that_names_an_old_version_is_told_and_not_shown() -> None:
    made = moved(greeting({"inner": {"args": [f"--token=s3cret --api={V1}", f"x{V1}", f"{V1}beta"]}}))
    (problem,) = made.problems
    assert problem.message == f'found "{V1}" in a text, expected {MOVED}/Greeting'
    assert problem.path == ("spec", "inner", "args", 0)
    assert "s3cret" not in repr(problem)


def test_faults_of_the_new_object_are_told_where_the_old_one_has_them() -> None:
    from kitgen.crd.validate.rules import FIELD_VALUE

    fields = (moved_field("spec.items[].text", to="spec.lines[].words"),)
    with_fields = moves(fields=fields, to=f"{OLD}/v2/Greeting")
    fault = FIELD_VALUE("found 1, expected 2", ("spec", "lines", 0, "words", "x"))
    made = migrate_object(greeting({"items": [{"text": {"x": 1}}]}), with_fields, lambda _: [fault])
    assert made.outcome is Outcome.UNMOVED
    assert made.problems[0].path == ("spec", "items", 0, "text", "x")
    assert migrate_object(greeting(version=V2), with_fields, lambda _: [fault]).outcome is Outcome.NEW


KEYS = st.sampled_from(
    ["apiVersion", "kind", "metadata", "spec", "labels", "items", "data", "name", "x", "ownerReferences"]
)
LEAVES = st.one_of(
    st.none(),
    st.integers(0, 3),
    st.sampled_from(
        [
            V1,
            MOVED,
            "Greeting",
            "ConfigMap",
            "v1",
            "List",
            "a",
            f"apiVersion: {V1}\nkind: Greeting\nspec: {{}}\n",
        ]
    ),
)
SHAPES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=5)),
    max_leaves=25,
)


@given(st.dictionaries(KEYS, SHAPES, max_size=6))
def test_any_shape_passes_and_a_second_time_changes_nothing(shape: dict[str, Any]) -> None:
    for body in (shape, {**greeting(), "spec": shape}, {**config_map(), "inner": shape}):
        first = moved(body)
        if first.outcome is Outcome.UNMOVED:
            assert first.body is body
            continue
        again = moved(first.body)
        assert again.body is first.body
        assert again.outcome in (Outcome.NEW, Outcome.OTHER)


@given(st.dictionaries(KEYS, SHAPES, max_size=6))
def test_no_old_version_is_left_in_what_moved_without_a_word(shape: dict[str, Any]) -> None:
    made = moved({**greeting(), "spec": shape})
    if made.outcome is Outcome.MOVED:
        left = json.dumps(made.body).count(V1)
        assert left == 0 or "migration-old" in told(made)
