"""Equal states give no change, and any difference is told."""

from __future__ import annotations

from copy import deepcopy

from hypothesis import given
from hypothesis import strategies as st

from kitgen.compare.objects.compare import compare_object_sets
from kitgen.compare.review.change import ReviewedChange, join_changes
from kitgen.compare.review.review import review_scope
from kitgen.compare.review.scope import ReviewScope
from kitgen.kube.manifest import Manifest
from kitgen.text.yaml import Json, JsonObject

WORDS = st.sampled_from(["a", "b", "c"])
KINDS = st.sampled_from(
    [
        ("v1", "ConfigMap"),
        ("v1", "Service"),
        ("apps/v1", "Deployment"),
        ("rbac.authorization.k8s.io/v1", "ClusterRole"),
        ("rbac.authorization.k8s.io/v1", "RoleBinding"),
        ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"),
        ("example.com/v1", "Thing"),
    ]
)
VALUES: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers(0, 3) | WORDS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(WORDS, inner, max_size=2),
    max_leaves=6,
)
FIELDS = st.dictionaries(
    st.sampled_from(["data", "spec", "rules", "subjects", "webhooks", "type"]), VALUES, max_size=3
)


@st.composite
def objects(draw: st.DrawFn) -> JsonObject:
    version, kind = draw(KINDS)
    meta = {"name": draw(WORDS), "namespace": "x", "labels": {"a": draw(WORDS)}}
    return {"apiVersion": version, "kind": kind, "metadata": meta, **draw(FIELDS)}


def _name(body: JsonObject) -> tuple[str, str]:
    return body["kind"], body["metadata"]["name"]


STATES = st.lists(objects(), max_size=3, unique_by=_name)


def told(before: list[JsonObject], after: list[JsonObject]) -> tuple[ReviewedChange, ...]:
    sides = [[Manifest(body=each, sources=()) for each in side] for side in (before, after)]
    return join_changes(review_scope(ReviewScope(before=sides[0], after=sides[1], minor=29)))


@given(STATES)
def test_equal_states_give_no_change(state: list[JsonObject]) -> None:
    assert told(state, deepcopy(state)[::-1]) == ()


@given(STATES, STATES)
def test_any_difference_is_told(before: list[JsonObject], after: list[JsonObject]) -> None:
    found = told(before, after)
    differences = compare_object_sets(after, before).differences
    assert bool(found) == bool(differences)
    said = {each.object.name for change in found for hold in change.holds for each in hold.differences}
    assert {each.object.name for each in differences} <= said | {
        name.name for change in found for name in change.objects
    }
