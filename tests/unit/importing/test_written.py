"""What is said again stands as the older file has it: its expressions are not lost."""

from __future__ import annotations

from kitgen.importing.older_spec import Expression, restore_expressions, restore_path
from kitgen.text.yaml import Json

RAW: list[Json] = [
    {
        "kind": "RoleBinding",
        "metadata": {"name": "{{ prefix }}reader"},
        "subjects": [{"name": "{{ prefix }}manager", "namespace": "{{ namespace }}"}],
    }
]
OLD: list[Json] = [
    {
        "kind": "RoleBinding",
        "metadata": {"name": "x-reader"},
        "subjects": [{"name": "x-manager", "namespace": "here"}],
    }
]
AT = ("objects",)


def test_what_the_file_computes_is_computed_still() -> None:
    made = restore_expressions(OLD, OLD, RAW, AT)
    assert made == RAW
    assert isinstance(made[0]["metadata"]["name"], Expression)


def test_a_thing_that_takes_the_place_of_another_keeps_what_they_share() -> None:
    new = [{**OLD[0], "subjects": [{"name": "other", "namespace": "here"}]}]
    (made,) = restore_expressions(new, OLD, RAW, AT)
    assert made["subjects"] == [{"name": "other", "namespace": "{{ namespace }}"}]


def test_another_value_is_as_it_is() -> None:
    new = [{**OLD[0], "subjects": [{"name": "x-manager", "namespace": "there"}]}]
    (made,) = restore_expressions(new, OLD, RAW, AT)
    assert made["subjects"] == [{"name": "{{ prefix }}manager", "namespace": "there"}]


def test_items_without_names_are_found_by_what_they_are() -> None:
    made = restore_expressions(["here", "new"], ["a", "here"], ["a", "{{ namespace }}"], ("webhooks", "skip"))
    assert made == ["{{ namespace }}", "new"]


def test_what_the_older_spec_does_not_say_is_as_it_is() -> None:
    assert restore_expressions(OLD, None, None, AT) == OLD
    assert restore_expressions({"a": "b"}, ["c"], ["{{ c }}"], AT) == {"a": "b"}


def test_paths_lead_by_the_names_in_the_file() -> None:
    for way, expected in {
        "RoleBinding/x-reader": "RoleBinding/{{ prefix }}reader",
        "RoleBinding/x-reader/subjects": "RoleBinding/{{ prefix }}reader/subjects",
        "RoleBinding/x-reader/subjects/x-manager": (
            "RoleBinding/{{ prefix }}reader/subjects/{{ prefix }}manager"
        ),
        "RoleBinding/x-reader/subjects/strange": "RoleBinding/{{ prefix }}reader/subjects/strange",
        "RoleBinding/other/subjects": "RoleBinding/other/subjects",
        "": "",
    }.items():
        assert restore_path(way, OLD, RAW, AT) == expected


def test_a_name_that_another_starts_with_is_not_taken_for_it() -> None:
    old: Json = {"a/b": {"c": "1"}, "a": {"d": "1"}}
    assert restore_path("a/b/c", old, old, ("roles",)) == "a/b/c"
    assert restore_path("a/d", old, old, ("roles",)) == "a/d"
