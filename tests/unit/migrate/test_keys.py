"""Keys that carry the old group: each by its policy, in metadata alone, and never in selectors."""

from __future__ import annotations

from typing import Any

from moving import KEY, NEW, OLD, moved_key, moves
from some import rows

from kitgen.kit.model.migration import Policy
from kitgen.migrate.resources.keys import rename_keys

KEPT = moved_key(KEY, Policy.KEEP)
BOTH = moved_key(f"mood.{OLD}", Policy.BOTH, f"mood.{NEW}")
ALL = moved_key(OLD, Policy.MOVE, NEW)
MOVES = moves(KEPT, BOTH, ALL)


def labelled(labels: dict[str, str], **more: Any) -> dict[str, Any]:
    return {"metadata": {"name": "one", "labels": labels}, **more}


def labels_of(labels: dict[str, str], **more: Any) -> dict[str, str]:
    found: dict[str, str] = rename_keys(labelled(labels, **more), MOVES).value["metadata"]["labels"]
    return found


@rows(
    ("labels", "want"),
    [
        ({KEY: "a"}, {KEY: "a"}),
        ({f"mood.{OLD}": "a"}, {f"mood.{OLD}": "a", f"mood.{NEW}": "a"}),
        ({f"{OLD}/user": "a", "x": "y"}, {f"{NEW}/user": "a", "x": "y"}),
        ({OLD: "a"}, {NEW: "a"}),
        ({f"{OLD}.au/user": "a"}, {f"{OLD}.au/user": "a"}),
        ({"example.com/user": OLD}, {"example.com/user": OLD}),
    ],
)
def test_policies(labels: dict[str, str], want: dict[str, str]) -> None:
    assert labels_of(labels) == want
    assert rename_keys(labelled(labels), MOVES).problems == ()
    notes = {"metadata": {"annotations": labels}}
    assert rename_keys(notes, MOVES).value["metadata"]["annotations"] == want


def test_keys_of_templates_and_finalizers() -> None:
    template = {"metadata": {"labels": {f"{OLD}/a": "1"}, "finalizers": [f"{OLD}/wait", "other", 3]}}
    made = rename_keys({"spec": {"items": [{"template": template}]}}, MOVES).value
    assert made["spec"]["items"][0]["template"]["metadata"] == {
        "labels": {f"{NEW}/a": "1"},
        "finalizers": [f"{NEW}/wait", "other", 3],
    }


SELECTORS: list[Any] = [
    {"selector": {f"{OLD}/a": "1"}},
    {"selector": {"matchLabels": {f"{OLD}/a": "1"}}},
    {"podSelector": {"matchExpressions": [{"key": f"{OLD}/a", "operator": "Exists"}]}},
    {"nodeSelector": {f"{OLD}/a": "1"}},
    {"labelSelector": f"{OLD}/a=1,x!=y"},
    {"matchLabelKeys": [f"{OLD}/a"]},
]


@rows("selector", SELECTORS)
def test_a_key_in_a_selector_stays(selector: Any) -> None:
    body = labelled({f"{OLD}/a": "1", f"{OLD}/b": "2"}, spec=selector)
    made = rename_keys(body, MOVES)
    assert made.value["spec"] is selector
    assert made.value["metadata"]["labels"] == {f"{OLD}/a": "1", f"{NEW}/a": "1", f"{NEW}/b": "2"}
    (told,) = made.problems
    assert told.rule.id == "migration-selector"
    assert told.path == ("metadata", "labels", f"{OLD}/a")


def test_a_key_that_nothing_is_said_of_stays_and_is_told() -> None:
    body = labelled({f"mood.{OLD}": "a", f"other.{OLD}/x": "b", f"not{OLD}": "c"})
    made = rename_keys(body, moves(KEPT))
    assert made.value is body
    assert [each.rule.id for each in made.problems] == ["migration-key-unknown"] * 2


def test_two_values_under_one_key() -> None:
    assert labels_of({f"{OLD}/a": "1", f"{NEW}/a": "1"}) == {f"{NEW}/a": "1"}
    (told,) = rename_keys(labelled({f"{OLD}/a": "1", f"{NEW}/a": "2"}), MOVES).problems
    assert told.rule.id == "migration-key-twice"


def test_strange_metadata_stays() -> None:
    for meta in (None, [], "x", {"labels": []}, {"labels": {"a": {}}}, {"finalizers": {}}):
        body = {"metadata": meta}
        assert rename_keys(body, MOVES).value is body


def test_an_annotation_moves_although_a_label_of_its_name_is_selected_by() -> None:
    body = {"metadata": {"annotations": {f"{OLD}/a": "1"}}, "spec": SELECTORS[0]}
    made = rename_keys(body, MOVES)
    assert (made.value["metadata"]["annotations"], made.problems) == ({f"{NEW}/a": "1"}, ())
