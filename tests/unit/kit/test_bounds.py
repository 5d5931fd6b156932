"""The bounds of a field's values do not contradict each other."""

from __future__ import annotations

from some import rows

from kitgen.kit.config_type import check_config_declaration


@rows(
    ("bounds", "wrong"),
    [
        ({"maximum": -1}, []),
        ({"minimum": 1}, []),
        ({"minimum": 1, "maximum": 1}, []),
        ({"minimum": -1, "maximum": -2}, ["found -2, expected at least the minimum -1"]),
    ],
)
def test_a_maximum_is_held_against_a_minimum_that_is_there(bounds: dict[str, int], wrong: list[str]) -> None:
    kind = {"configMap": "a", "key": "b", "fields": {"number": {"type": "integer", **bounds}}}
    assert [each.message for each in check_config_declaration(kind)] == wrong
