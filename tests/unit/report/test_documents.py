"""Records become JSON by one writer, and their JSON Schemas come from the same fields."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum

from msgspec import UNSET, Struct, UnsetType, field
from some import rows

from docs.output_schemas import DOCUMENTS, output_schema
from kitgen.report.documents import ResultDocument, safe_json
from kitgen.text.yaml import JsonObject


class Colour(StrEnum):
    """A closed set."""

    RED = "red"


class Part(Struct, frozen=True, kw_only=True, rename="camel"):
    """A part."""

    two_words: str
    origin: str = field(name="from")


class Whole(ResultDocument, frozen=True, kw_only=True, tag="kitgen/whole/v1"):
    """A document."""

    parts: tuple[Part, ...]
    by_name: Mapping[str, Colour]
    absent: str | None = None
    unset: int | UnsetType = UNSET


def written(**given: object) -> JsonObject:
    data: JsonObject = json.loads(safe_json(Whole(**{"parts": (), "by_name": {}, **given})))
    return data


def test_a_document_opens_with_its_form_and_keeps_the_order_of_its_fields() -> None:
    assert [*written()] == ["schema", "parts", "byName", "absent"]
    assert written()["schema"] == "kitgen/whole/v1"


def test_what_is_unset_is_left_out_and_what_is_absent_is_null() -> None:
    assert written()["absent"] is None
    assert written(unset=0)["unset"] == 0


def test_records_within_are_written_by_the_names_of_their_keys() -> None:
    found = written(parts=(Part(two_words="a", origin="b"),), by_name={"c": Colour.RED})
    assert found["parts"] == [{"twoWords": "a", "from": "b"}]
    assert found["byName"] == {"c": "red"}


def test_passwords_in_addresses_are_hidden_at_any_depth() -> None:
    text = safe_json(Whole(parts=(Part(two_words="https://me:hunter2@example.com", origin=""),), by_name={}))
    assert "hunter2" not in text


@rows("name", DOCUMENTS)
def test_every_key_of_a_document_is_described(name: str) -> None:
    schema = output_schema(name)
    assert [key for key, given in schema["properties"].items() if not given.get("description")] == []


def objects(schema: JsonObject) -> list[JsonObject]:
    return [schema, *schema.get("$defs", {}).values()]


@rows("name", DOCUMENTS)
def test_no_document_has_other_keys_than_those_of_its_record(name: str) -> None:
    assert all(each["additionalProperties"] is False for each in objects(output_schema(name)))
    assert all({*each["required"]} <= {*each["properties"]} for each in objects(output_schema(name)))
