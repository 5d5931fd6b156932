"""Of values that are wrong in very many places, the first are told, and in few words."""

from __future__ import annotations

from some import rows

from kitgen.findings import MAX_ERRORS
from kitgen.kit.config_type import check_config_declaration, check_config_value
from kitgen.text.yaml import Json, JsonObject

NAMES = [f"name{number}" for number in range(1_000)]
LACKING: JsonObject = {"type": "array", "items": {"type": "object", "required": NAMES}}
CHOOSING: JsonObject = {"type": "array", "items": {"type": "string", "enum": ["x" * 100_000]}}
NAMING: JsonObject = {
    "type": "object",
    "properties": {f"{name}{'x' * 500}": {"type": "string"} for name in NAMES},
}
LONG: JsonObject = {"type": "object", "required": ["x" * 100_000]}


@rows(
    ("field", "value", "count"),
    [
        (LACKING, [{}] * 1_000, MAX_ERRORS + 1),
        (CHOOSING, ["a"] * 5_000, MAX_ERRORS + 1),
        (CHOOSING, ["a"] * 5, 5),
        (NAMING, {"other": 1}, 1),
        (LONG, {}, 1),
    ],
)
def test_many_problems_take_little_space(field: JsonObject, value: Json, count: int) -> None:
    found = list(check_config_value(field, value))
    assert len(found) == count
    assert max(len(each.message) + len(each.hint) for each in found) < 15_000


def test_many_problems_of_defaults_take_little_space() -> None:
    fields = {name: {**LACKING, "default": [{}] * 10} for name in NAMES[:10]}
    for field in fields.values():
        field["items"] = {**LACKING["items"], "additionalProperties": {"type": "string"}}
    assert len(list(check_config_declaration({"fields": fields}))) == MAX_ERRORS + 1
