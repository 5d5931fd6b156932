"""Ranges of Kubernetes minors."""

from __future__ import annotations

import itertools
import re

import orjson
import pytest
from kits import PROJECT

from docs.definition_index import INDEX, indexed
from kitgen.kube import definitions
from kitgen.kube.definitions import Texts, definition_texts, format_minors, list_minors, parse_minors


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (">=1.27 <=1.32", (27, 28, 29, 30, 31, 32)),
        (">= 1.27, <= 1.29", (27, 28, 29)),
        (">1.27 <1.30", (28, 29)),
        ("1.30", (30,)),
        ("=1.30", (30,)),
        (">=1.25 <=1.25", (25,)),
    ],
)
def test_ranges(text: str, expected: tuple[int, ...]) -> None:
    assert parse_minors(text) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "found no first minor, expected one such as >=1.25"),
        (">=1.27", "found no last minor, expected one such as <=1"),
        ("<=1.27", "found no first minor"),
        (">=1.27.1 <=1.32", "found '>=1.27.1', expected a minor with a comparison"),
        ("latest", "found 'latest'"),
        (">=2.1 <=2.3", "found '>=2.1'"),
        (">=1.30 <=1.27", "found a range that holds no minor, from 1.30 to 1.27"),
        (">=1.20 <=1.27", "found the unknown minor 1.20, expected one of 1.25 to"),
        (">=1.27 <=1.99", "found the unknown minor 1.99"),
    ],
)
def test_wrong_ranges(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)):
        parse_minors(text)


def test_spans() -> None:
    assert format_minors([27]) == "1.27"
    assert format_minors([28, 27]) == "1.27 to 1.28"
    assert format_minors([25, 27, 28, 30]) == "1.25, 1.27 to 1.28 and 1.30"
    assert parse_minors(f">=1.{list_minors()[0]} <=1.{list_minors()[-1]}") == list_minors()


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("minor", [list_minors()[0], list_minors()[-1]])
def test_texts_hold_what_the_definitions_hold(minor: int, strict: bool) -> None:
    folder = f"v1.{minor}.0-local" + ("-strict" if strict else "")
    whole = orjson.loads((definitions._find_schemas_folder() / folder / "_definitions.json").read_bytes())[
        "$defs"
    ]
    texts = definition_texts(minor, strict=strict)
    assert {name: orjson.loads(text) for name, text in texts.items()} == whole


def test_the_index_is_what_is_installed() -> None:
    assert (PROJECT / INDEX).read_text(encoding="utf-8") == indexed(), "run make docs"


def test_a_file_that_is_not_in_the_index_is_searched() -> None:
    path = definitions.find_definition_files()[0]
    known, searched = definition_texts(list_minors()[0], strict=False), Texts(path.read_bytes())
    assert searched.places == known.places


def test_kinds_of_a_file_that_is_not_in_the_index_are_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    known = definitions.list_kinds(list_minors()[0])
    monkeypatch.setattr(definitions, "_recall_file", lambda *_: None)
    assert [*definitions.list_kinds.__wrapped__(list_minors()[0]).items()] == [*known.items()]
    assert definitions.list_forms.__wrapped__(list_minors()[0]) == definition_texts(list_minors()[0])
    assert definitions.find_unfit_types.__wrapped__(list_minors()[0]) is None


def test_another_layout_of_the_file_is_read_all_the_same() -> None:
    whole = {
        "a.b.C": {"type": "object"},
        "a.b.D": {"properties": {"c": {"$ref": "#/$defs/a.b.C"}}},
        "a.E": {},
    }
    more = {"$id": "x", "a": {"b": {"c": {}}}, "$defs": whole, "d": {"e": {}}}
    for each, option in itertools.product(({"$defs": whole}, more), (0, orjson.OPT_INDENT_2)):
        texts = Texts(orjson.dumps(each, option=option))
        assert {name: orjson.loads(text) for name, text in texts.items()} == whole
        assert dict(texts.find_key(b'"type"')).keys() == {"a.b.C"}
