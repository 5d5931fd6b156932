"""Who says a place of a spec: the component, the feature that said it before, or a new feature."""

from __future__ import annotations

import pytest

from kitgen.findings import Path
from kitgen.importer.owners import COMPONENT, Edit, Owner
from kitgen.importer.solve import Tree, solve
from kitgen.yamlio import Json

ARGS: Path = ("deployment", "containers", "manager", "args")
CPU: Path = ("deployment", "containers", "manager", "resources", "limits", "cpu")
PODS: Path = ("roles", "manager", "permissions", "core/pods")
PORT: Path = ("deployment", "containers", "manager", "ports", "metrics")
Said = list[tuple[str, dict[Path, Json]]]


def edits(*trees: Tree) -> dict[Owner, Edit]:
    return solve(trees).edits


def tree(who: str, wanted: dict[Path, Json], *said: tuple[str, dict[Path, Json]]) -> Tree:
    return Tree(who=who, wanted=wanted, said=said)


def test_nothing_is_said_when_nothing_is_different() -> None:
    assert edits(tree("a", {CPU: "1"}, (COMPONENT, {CPU: "2"}), ("fast", {CPU: "1"}))) == {}


def test_what_all_trees_have_is_the_components() -> None:
    assert edits(tree("a", {CPU: "1"}), tree("b", {CPU: "1"})) == {COMPONENT: Edit(new={CPU: "1"})}


def test_what_some_trees_have_is_a_feature_of_theirs() -> None:
    made = edits(tree("a", {CPU: "1"}), tree("b", {}), tree("c", {CPU: "1"}))
    assert made == {frozenset({"a", "c"}): Edit(new={CPU: "1"})}


def test_a_value_of_a_feature_changes_in_the_feature() -> None:
    made = edits(tree("a", {CPU: "3"}, (COMPONENT, {CPU: "1"}), ("fast", {CPU: "2"})))
    assert made == {"fast": Edit(new={CPU: "3"})}


def test_what_only_one_layer_may_say_moves_when_all_trees_have_it() -> None:
    said: Said = [(COMPONENT, {}), ("ports", {PORT: {"containerPort": 1}})]
    made = edits(tree("a", {PORT: {"containerPort": 1}}, *said), tree("b", {PORT: {"containerPort": 1}}))
    assert made == {
        "ports": Edit(gone={PORT: None}),
        COMPONENT: Edit(new={PORT: {"containerPort": 1}}),
    }


@pytest.mark.parametrize(
    ("wanted", "owner", "value"),
    [
        (["a", "c", "gate"], COMPONENT, ["a", "c"]),
        (["a", "b", "more", "gate"], COMPONENT, ["a", "b", "more"]),
        (["a", "b", "other"], "gates", ["other"]),
        (["a", "b", "gate", "more"], "gates", ["gate", "more"]),
    ],
)
def test_arguments_that_a_feature_adds_stay_with_it(
    wanted: list[Json], owner: str, value: list[Json]
) -> None:
    said: Said = [(COMPONENT, {ARGS: ["a", "b"]}), ("gates", {ARGS: ["gate"]})]
    assert edits(tree("a", {ARGS: wanted}, *said)) == {owner: Edit(new={ARGS: value})}


def test_arguments_change_for_all_targets_whatever_features_add() -> None:
    own: tuple[str, dict[Path, Json]] = (COMPONENT, {ARGS: ["a", "b"]})
    made = edits(
        tree("olm", {ARGS: ["a", "c"]}, own),
        tree("rhoai", {ARGS: ["a", "c", "gate"]}, own, ("gates", {ARGS: ["gate"]})),
    )
    assert made == {COMPONENT: Edit(new={ARGS: ["a", "c"]})}


def test_verbs_that_a_feature_grants_stay_with_it() -> None:
    said: Said = [(COMPONENT, {PODS: "get"}), ("cached", {PODS: "list watch"})]
    made = edits(tree("odh", {PODS: "get list patch watch"}, *said))
    assert made == {COMPONENT: Edit(new={PODS: "get patch"})}


def test_verbs_that_upstream_has_too_are_no_feature_any_more() -> None:
    own: tuple[str, dict[Path, Json]] = (COMPONENT, {PODS: "get"})
    made = edits(
        tree("olm", {PODS: "get list watch"}, own),
        tree("odh", {PODS: "get list watch"}, own, ("cached", {PODS: "list watch"})),
    )
    assert made == {"cached": Edit(gone={PODS: None}), COMPONENT: Edit(new={PODS: "get list watch"})}


def test_verbs_that_a_target_lacks_are_withheld_from_it() -> None:
    made = solve([tree("olm", {PODS: "delete get"}), tree("rhoai", {PODS: "get"})])
    assert made.edits == {COMPONENT: Edit(new={PODS: "delete get"})}
    assert made.withheld == {"rhoai": {PODS: "delete"}}


def test_a_feature_says_no_kind_of_which_it_says_nothing() -> None:
    kind: Path = ("webhooks", "kinds", "batch/v1/Job", "kind")
    skip: Path = ("webhooks", "kinds", "batch/v1/Job", "skipNamespaces")
    said: Said = [(COMPONENT, {kind: "batch/v1/Job"}), ("skip", {kind: "batch/v1/Job", skip: ["a"]})]
    made = edits(tree("a", {kind: "batch/v1/Job"}, *said))
    assert made == {"skip": Edit(gone={skip: None, kind: None})}
