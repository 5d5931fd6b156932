"""Whether a feature is on for a target: by what its tree has of it, besides what others say."""

from __future__ import annotations

from some import rows

from kitgen.importing.features import switch_features
from kitgen.importing.older_spec import SpecLayer
from kitgen.importing.places import COMPONENT, flatten_sections
from kitgen.text.yaml import Json, JsonObject


def layer(owner: str, args: list[Json], verbs: str = "", **more: Json) -> SpecLayer:
    words: JsonObject = {"deployment": {"containers": {"manager": {"args": args}}}} if args else {}
    if verbs:
        words["roles"] = {"manager": {"permissions": {"core/pods": verbs}}}
    return SpecLayer(owner=owner, words={**words, **more})


OWN = layer(COMPONENT, ["a", "v=1"], "get list watch")
GATES = layer("gates", ["gate=1"])


def switches(wanted: SpecLayer, layers: list[SpecLayer], others: list[SpecLayer]) -> dict[str, bool]:
    return switch_features(flatten_sections(wanted.normal_forms), layers, others, ())[1]


@rows("args", [["a", "v=1", "gate=1"], ["a", "v=2", "gate=1", "b"]])
def test_arguments_that_a_feature_adds_turn_it_on(args: list[Json]) -> None:
    assert switches(layer("", args), [OWN], [GATES]) == {"gates": True}


def test_what_others_add_already_turns_nothing_on() -> None:
    twin = layer("twin", ["gate=1"])
    assert switches(layer("", ["a", "v=1", "gate=1"]), [OWN, GATES], [twin]) == {}
    assert switches(layer("", ["a", "v=1", "gate=1"]), [OWN], [GATES, twin]) == {"gates": True}


@rows("args", [["a", "v=1", "gate=2"], ["gate=1"]])
def test_an_argument_with_another_value_leaves_a_feature_on(args: list[Json]) -> None:
    assert switches(layer("", args), [OWN, GATES], []) == {}


@rows("args", [["a", "v=1"], ["a", "v=2"], ["a", "v=1", "b"]])
def test_a_feature_without_its_arguments_is_off(args: list[Json]) -> None:
    assert switches(layer("", args), [OWN, GATES], []) == {"gates": False}
    assert switches(layer("", args), [OWN], [GATES]) == {}


def test_verbs_that_the_component_grants_do_not_keep_a_feature_on() -> None:
    feature = layer("cached", ["cache=1"], "list watch")
    wanted = layer("", ["a", "v=1"], "get list watch")
    assert switches(wanted, [OWN, feature], []) == {"cached": False}
