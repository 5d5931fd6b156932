"""Who says a place of a spec: the component, the feature that said it before, or a new feature."""

from __future__ import annotations

from some import rows

from kitgen.findings import Path
from kitgen.importing.places import COMPONENT, Owner, OwnerEdit, flatten_sections
from kitgen.importing.solver import SolvedTree, solve_trees
from kitgen.text.yaml import Json

ARGS: Path = ("deployment", "containers", "manager", "args")
CPU: Path = ("deployment", "containers", "manager", "resources", "limits", "cpu")
PODS: Path = ("roles", "manager", "permissions", "core/pods")
PORT: Path = ("deployment", "containers", "manager", "ports", "metrics")
Said = list[tuple[str, dict[Path, Json]]]


def edits(*trees: SolvedTree) -> dict[Owner, OwnerEdit]:
    return solve_trees(trees).edits


def tree(who: str, wanted: dict[Path, Json], *said: tuple[str, dict[Path, Json]]) -> SolvedTree:
    return SolvedTree(who=who, wanted=wanted, said=said)


def test_nothing_is_said_when_nothing_is_different() -> None:
    assert edits(tree("a", {CPU: "1"}, (COMPONENT, {CPU: "2"}), ("fast", {CPU: "1"}))) == {}


def test_what_all_trees_have_is_the_components() -> None:
    assert edits(tree("a", {CPU: "1"}), tree("b", {CPU: "1"})) == {COMPONENT: OwnerEdit(new={CPU: "1"})}


def test_what_some_trees_have_is_a_feature_of_theirs() -> None:
    made = edits(tree("a", {CPU: "1"}), tree("b", {}), tree("c", {CPU: "1"}))
    assert made == {frozenset({"a", "c"}): OwnerEdit(new={CPU: "1"})}


def test_a_value_of_a_feature_changes_in_the_feature() -> None:
    made = edits(tree("a", {CPU: "3"}, (COMPONENT, {CPU: "1"}), ("fast", {CPU: "2"})))
    assert made == {"fast": OwnerEdit(new={CPU: "3"})}


def test_what_only_one_layer_may_say_moves_when_all_trees_have_it() -> None:
    said: Said = [(COMPONENT, {}), ("ports", {PORT: {"containerPort": 1}})]
    made = edits(tree("a", {PORT: {"containerPort": 1}}, *said), tree("b", {PORT: {"containerPort": 1}}))
    assert made == {
        "ports": OwnerEdit(gone={PORT: None}),
        COMPONENT: OwnerEdit(new={PORT: {"containerPort": 1}}),
    }


@rows(
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
    assert edits(tree("a", {ARGS: wanted}, *said)) == {owner: OwnerEdit(new={ARGS: value})}


def test_arguments_change_for_all_targets_whatever_features_add() -> None:
    own: tuple[str, dict[Path, Json]] = (COMPONENT, {ARGS: ["a", "b"]})
    made = edits(
        tree("olm", {ARGS: ["a", "c"]}, own),
        tree("rhoai", {ARGS: ["a", "c", "gate"]}, own, ("gates", {ARGS: ["gate"]})),
    )
    assert made == {COMPONENT: OwnerEdit(new={ARGS: ["a", "c"]})}


OWN: tuple[str, dict[Path, Json]] = (COMPONENT, {ARGS: ["a", "v=1"]})
GATES: tuple[str, dict[Path, Json]] = ("gates", {ARGS: ["gate=1"]})
MORE: tuple[str, dict[Path, Json]] = ("more", {ARGS: ["more"]})


@rows(
    ("upstream", "fork", "expected"),
    [
        (["a", "v=1"], ["a", "v=1", "gate=2"], {"gates": ["gate=2"]}),
        (["a", "v=2"], ["a", "v=2", "gate=2"], {COMPONENT: ["a", "v=2"], "gates": ["gate=2"]}),
        (["a", "v=1", "b"], ["a", "v=1", "b", "gate=2"], {COMPONENT: ["a", "v=1", "b"], "gates": ["gate=2"]}),
        (["a", "b", "c"], ["a", "b", "c", "other"], {COMPONENT: ["a", "b", "c"], "gates": ["other"]}),
        (["a", "v=1"], ["a", "v=1", "b", "gate=1"], {"gates": ["b", "gate=1"]}),
        (["a", "v=1", "b"], ["a", "v=1", "gate=1"], {frozenset({"olm"}): ["b"]}),
        (["a", "v=1", "gate=1"], ["a", "v=1", "gate=1"], {COMPONENT: ["a", "v=1", "gate=1"], "gates": None}),
    ],
)
def test_only_those_say_other_arguments_whose_have_changed(
    upstream: list[Json], fork: list[Json], expected: dict[Owner, list[Json] | None]
) -> None:
    made = edits(tree("olm", {ARGS: upstream}, OWN), tree("rhoai", {ARGS: fork}, OWN, GATES))
    assert {owner: edit.new.get(ARGS) for owner, edit in made.items()} == expected


def test_features_that_are_on_for_different_trees_keep_their_own_arguments() -> None:
    made = edits(
        tree("olm", {ARGS: ["a", "v=2", "more"]}, OWN, MORE),
        tree("rhoai", {ARGS: ["a", "v=2", "gate=2", "more"]}, OWN, GATES, MORE),
        tree("odh", {ARGS: ["a", "v=2", "gate=2"]}, OWN, GATES),
    )
    assert made == {
        COMPONENT: OwnerEdit(new={ARGS: ["a", "v=2"]}),
        "gates": OwnerEdit(new={ARGS: ["gate=2"]}),
    }


def test_what_one_tree_adds_after_all_features_is_a_new_one() -> None:
    made = edits(
        tree("odh", {ARGS: ["a", "v=1", "gate=1"]}, OWN, GATES),
        tree("rhoai", {ARGS: ["a", "v=1", "gate=1", "new"]}, OWN, GATES),
    )
    assert made == {frozenset({"rhoai"}): OwnerEdit(new={ARGS: ["new"]})}


def test_arguments_that_an_expression_makes_stay_while_they_stand_there() -> None:
    def said(namespace: str) -> Said:
        return [OWN, ("place", {ARGS: [f"in={namespace}"]})]

    made = edits(
        tree("odh", {ARGS: ["a", "v=2", "in=x"]}, *said("x")),
        tree("rhoai", {ARGS: ["a", "v=2", "in=y"]}, *said("y")),
    )
    assert made == {COMPONENT: OwnerEdit(new={ARGS: ["a", "v=2"]})}


def test_a_feature_that_says_by_now_what_another_tree_has_is_on_for_that_too() -> None:
    made = solve_trees(
        [
            tree("olm", {ARGS: ["a", "v=1"]}, OWN),
            tree("rhoai", {ARGS: ["a", "v=1", "gate=2"], CPU: "2"}, OWN, GATES),
            tree("odh", {ARGS: ["a", "v=1", "gate=2"], CPU: "1"}, OWN),
        ]
    )
    assert made.edits == {
        "gates": OwnerEdit(new={ARGS: ["gate=2"]}),
        frozenset({"rhoai"}): OwnerEdit(new={CPU: "2"}),
        frozenset({"odh"}): OwnerEdit(new={CPU: "1"}),
    }
    assert made.switched == {"odh": {"gates": True}}


def test_a_feature_that_says_more_than_another_tree_has_stays_off_for_that() -> None:
    both: tuple[str, dict[Path, Json]] = ("gates", {ARGS: ["gate=1"], CPU: "1"})
    made = solve_trees(
        [
            tree("olm", {ARGS: ["a", "v=1"]}, OWN),
            tree("rhoai", {ARGS: ["a", "v=1", "gate=2"], CPU: "1"}, OWN, both),
            tree("odh", {ARGS: ["a", "v=1", "gate=2"]}, OWN),
        ]
    )
    assert made.edits == {
        "gates": OwnerEdit(new={ARGS: ["gate=2"]}),
        frozenset({"odh"}): OwnerEdit(new={ARGS: ["gate=2"]}),
    }
    assert made.switched == {}


def test_a_list_that_is_empty_now_is_said_once() -> None:
    assert edits(tree("a", {ARGS: []}, OWN, GATES)) == {
        COMPONENT: OwnerEdit(new={ARGS: []}),
        "gates": OwnerEdit(gone={ARGS: None}),
    }


def test_very_long_lists_are_matched_by_place() -> None:
    many: list[Json] = [f"a{number}" for number in range(600)]
    made = edits(tree("a", {ARGS: [*many, "new"]}, (COMPONENT, {ARGS: many}), GATES))
    assert made == {"gates": OwnerEdit(new={ARGS: ["new"]})}


def test_verbs_that_a_feature_grants_stay_with_it() -> None:
    said: Said = [(COMPONENT, {PODS: "get"}), ("cached", {PODS: "list watch"})]
    made = edits(tree("odh", {PODS: "get list patch watch"}, *said))
    assert made == {COMPONENT: OwnerEdit(new={PODS: "get patch"})}


def test_verbs_that_upstream_has_too_are_no_feature_any_more() -> None:
    own: tuple[str, dict[Path, Json]] = (COMPONENT, {PODS: "get"})
    made = edits(
        tree("olm", {PODS: "get list watch"}, own),
        tree("odh", {PODS: "get list watch"}, own, ("cached", {PODS: "list watch"})),
    )
    assert made == {
        "cached": OwnerEdit(gone={PODS: None}),
        COMPONENT: OwnerEdit(new={PODS: "get list watch"}),
    }


def test_verbs_that_a_target_lacks_are_withheld_from_it() -> None:
    made = solve_trees([tree("olm", {PODS: "delete get"}), tree("rhoai", {PODS: "get"})])
    assert made.edits == {COMPONENT: OwnerEdit(new={PODS: "delete get"})}
    assert made.withheld == {"rhoai": {PODS: "delete"}}


def test_a_feature_says_no_kind_of_which_it_says_nothing() -> None:
    kind: Path = ("webhooks", "kinds", "batch/v1/Job", "kind")
    skip: Path = ("webhooks", "kinds", "batch/v1/Job", "skipNamespaces")
    said: Said = [(COMPONENT, {kind: "batch/v1/Job"}), ("skip", {kind: "batch/v1/Job", skip: ["a"]})]
    made = edits(tree("a", {kind: "batch/v1/Job"}, *said))
    assert made == {"skip": OwnerEdit(gone={skip: None, kind: None})}


def test_a_mount_is_said_as_a_whole() -> None:
    mount: Path = ("config", "mount")
    said: Said = [(COMPONENT, {mount: {"container": "a", "path": "/c"}})]
    one, other = {"container": "a", "path": "/c"}, {"container": "b", "path": "/c"}
    assert flatten_sections({"config": {"mount": one}}) == {mount: one}
    made = edits(tree("olm", {mount: one}, *said), tree("rhoai", {mount: other}, *said))
    assert made == {frozenset({"rhoai"}): OwnerEdit(new={mount: other})}


SERVICE: Path = ("services", "metrics")
COLOUR: Path = (*SERVICE, "selector", "colour")
ROLE: Path = ("roles", "reader", "permissions", "core/pods")
TIER: Path = ("roles", "reader", "labels", "tier")
MAP: Path = ("params", "configMap")
KEY: Path = ("params", "keys", "a", "value")


def test_a_feature_says_what_makes_a_thing_that_another_feature_has() -> None:
    ports = [{"name": "metrics", "port": 8080}]
    two: dict[Path, Json] = {(*SERVICE, "ports"): ports, ROLE: "get", MAP: "p", KEY: "1"}
    more: dict[Path, Json] = {COLOUR: "red", TIER: "1", ("params", "keys", "b", "value"): "2"}
    trees = [tree("olm", {}), tree("odh", two), tree("rhoai", {**two, **more})]
    made = edits(*trees)
    both, one = frozenset({"odh", "rhoai"}), frozenset({"rhoai"})
    assert made[both].new == two
    assert made[one].new == {**more, (*SERVICE, "ports"): [], ROLE: "get", MAP: "p"}
    said: list[Said] = [[], [("both", two)], [("both", two), ("one", made[one].new)]]
    assert (
        edits(*(tree(each.who, {**each.wanted}, *some) for each, some in zip(trees, said, strict=True))) == {}
    )


@rows(
    ("one", "other", "want"),
    [({PORT: 1}, {}, True), ({PORT: 2}, {}, False), ({PORT: 1, CPU: "1"}, {}, False)],
)
def test_what_the_component_said_stays_on_for_targets_without_a_tree(
    one: dict[Path, Json], other: dict[Path, Json], want: bool
) -> None:
    own: tuple[str, dict[Path, Json]] = (COMPONENT, {PORT: 1})
    made = solve_trees([tree("olm", one, own), tree("rhoai", other, own)])
    assert made.is_default_feature(frozenset({"olm"})) is want
