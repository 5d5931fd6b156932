"""Exports come one object at a time, in whatever form kubectl prints them."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from typing import Any, BinaryIO, cast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from some import rows

from kitgen.kit.foreign_objects import ForeignObject, parse_foreign_objects
from kitgen.migrate.exports import blocks
from kitgen.migrate.exports.blocks import ExportBlocks
from kitgen.migrate.exports.reader import find_lines, read_objects_at_once, read_piece
from kitgen.migrate.exports.spool import Spool
from kitgen.migrate.exports.yaml_stream import ExportPiece, OddExportError
from kitgen.text.yaml import dump_yaml, dump_yaml_documents

BODIES: list[dict[str, Any]] = [
    {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {"text": text}}
    for name, text in (("one", "a\n- b\n\n---x\n"), ("two", "- c"), ("three", ""), ("four", "ünï"))
]
LIST = {"apiVersion": "v1", "items": BODIES, "kind": "List", "metadata": {"resourceVersion": ""}}
INDENTED = "apiVersion: v1\nkind: List\nitems:\n\n" + "".join(
    f"  {line}\n" if line else "\n" for line in dump_yaml(BODIES).splitlines()
)
FORMS = {
    "list": dump_yaml(LIST),
    "list with markers": f"---\n{dump_yaml(LIST)}---\n",
    "indented list": INDENTED,
    "documents": dump_yaml_documents(BODIES),
    "documents with comments": "# first\n\n"
    + dump_yaml_documents(BODIES).replace("---\n", "# more\n--- # next\n"),
    "windows": dump_yaml(LIST).replace("\n", "\r\n"),
    "json": json.dumps(LIST, indent=4),
    "compact json": json.dumps(LIST),
    "objects in a row": "".join(json.dumps(each) for each in BODIES),
    "lists within lists": json.dumps({**LIST, "items": [LIST | {"items": BODIES[:3]}, BODIES[3]]}),
    "two lists": dump_yaml_documents([LIST | {"items": BODIES[:2]}, LIST | {"items": BODIES[2:]}]),
}


class SpoolFile:
    """A file that is gone with its last reference."""

    def __init__(self, data: bytes) -> None:
        with tempfile.TemporaryFile() as file:
            file.write(data)
            file.flush()
            self.handle = os.dup(file.fileno())

    def __del__(self) -> None:
        os.close(self.handle)

    def fileno(self) -> int:
        return self.handle


def spool(text: str | bytes) -> Spool:
    data = text.encode() if isinstance(text, str) else text
    return Spool(name="-", file=cast("BinaryIO", SpoolFile(data)), size=len(data))


def read_by_piece(given: Spool) -> Iterator[tuple[ExportPiece, list[ForeignObject]]]:
    parts = ExportBlocks(given)
    says = False
    for number in range(len(parts)):
        for piece in parts.read(number):
            if (found := read_piece(given, piece)) is not None:
                says = True
                yield piece, found
    if not says:
        raise OddExportError


def objects(given: Spool) -> list[ForeignObject]:
    return [each for _, some in read_by_piece(given) for each in some]


def bodies(text: str | bytes) -> list[Any]:
    return [each.body for each in objects(spool(text))]


@rows("form", FORMS)
def test_every_form_has_the_same_objects_in_the_same_places(form: str) -> None:
    text = FORMS[form]
    found = objects(spool(text))
    assert [each.body for each in found] == BODIES
    usual = parse_foreign_objects({"-": text}).objects if form != "objects in a row" else ()
    for each, same in zip(found, usual, strict=False):
        assert each.origin == same.origin


@rows("form", FORMS)
def test_lines(form: str) -> None:
    text = FORMS[form]
    for piece, some in read_by_piece(spool(text)):
        for each in some:
            (line,) = find_lines(piece, [(*each.origin.path, "metadata", "name")])
            assert each.body["metadata"]["name"] in text.splitlines()[line - 1]


@rows(
    "text",
    [
        "items:\n- a: 'x\n- b'\nkind: List\n",
        "items:\n- a: 1\nkind: Pod\n",
        "items:\n- a: 1\nkind: PodList\napiVersion: v1\n",
        "items:\n- {a: &x 1, apiVersion: v1, kind: A}\n- {a: *x, apiVersion: v1, kind: A}\nkind: List\n",
        "items:\n- a: 1\nitems:\n- b: 1\nkind: List\n",
        "%YAML 1.1\n---\na: b\n",
        "a: b\n...\nc: d\n",
        "--- {a: b}\n",
        "\ufeffa: b\n",
        "[1, 2]",
        '{"a": 1, "a": 2}',
        '{"items": [{"apiVersion": "v1", "kind": "A"}], "kind": "Pod"}',
        '{"items": [{"apiVersion": "v1", "kind": "A"}, ], "kind": "List"}',
        '{"a": ',
        '{"a": 1}\n---\n{"b": 2}\n',
        '{"a":' * 300 + "1" + "}" * 300,
        b"a: \xff\n",
    ],
)
def test_what_is_read_as_a_whole(text: str | bytes) -> None:
    with pytest.raises(OddExportError):
        bodies(text)


def test_the_whole_says_where_it_is_wrong() -> None:
    given = spool(dump_yaml(LIST) + "\tx\n")
    with pytest.raises(OddExportError) as odd:
        objects(given)
    found, findings, _ = read_objects_at_once(given, odd.value)
    assert not found
    assert findings[0].rule.id == "yaml-syntax"


def test_what_is_too_large_for_a_whole() -> None:
    given = Spool(name="-", file=spool("[]").file, size=2**40)
    found, findings, _ = read_objects_at_once(given, OddExportError())
    assert not found
    assert [each.rule.id for each in findings] == ["file-size"]


@rows("text", ["", "# nothing\n", "---\n---\n", "   ", "\ufeff", "null\n"])
def test_nothing_at_all_is_an_error(text: str) -> None:
    given = spool(text)
    with pytest.raises(OddExportError) as odd:
        objects(given)
    found, findings, _ = read_objects_at_once(given, odd.value)
    assert not found
    assert [(each.rule.id, each.origin.line) for each in findings] == [("export-empty", 1)]


@rows("kind", ["List", "PodList"])
def test_no_objects_are_no_error(kind: str) -> None:
    assert bodies(f"apiVersion: v1\nitems: []\nkind: {kind}\n") == []
    assert bodies(json.dumps({"apiVersion": "v1", "items": [], "kind": kind})) == []


@rows(
    ("items", "path", "message"),
    [
        ({"items": None}, ("items",), "found nothing, expected a list of objects"),
        ({"items": {"a": 1}}, ("items",), "found a mapping, expected a list of objects"),
        ({"items": "s3cret"}, ("items",), "found a string, expected a list of objects"),
        ({}, ("kind",), "found a list without items, expected a list of objects"),
    ],
)
@rows("kind", ["List", "PodList"])
def test_a_list_without_a_list(kind: str, items: Any, path: Any, message: str) -> None:
    body = {"apiVersion": "v1", "kind": kind, **items}
    for text in (dump_yaml(body), json.dumps(body), dump_yaml_documents([BODIES[0], body])):
        *_, last = objects(spool(text))
        assert [(each.rule.id, each.path, each.message) for each in last.problems] == [
            ("export-list", path, message)
        ]
    inner, pod = objects(spool(dump_yaml({"apiVersion": "v1", "items": [body, BODIES[0]], "kind": "List"})))
    assert (inner.origin.path, pod.body) == (("items", 0), BODIES[0])
    assert inner.problems
    (alone,) = read_objects_at_once(spool(dump_yaml(body)), OddExportError())[0]
    assert alone.problems == last.problems


@rows("more", [{"metadata": {"name": "x"}}, {"spec": {}}])
def test_a_kind_that_is_only_called_list(more: Any) -> None:
    body = {"apiVersion": "example.com/v1", "kind": "AllowList", **more}
    assert bodies(dump_yaml(body)) == [body]


def test_a_problem_of_an_item_has_its_line() -> None:
    text = dump_yaml(LIST).replace("    name: two", "    name: two\n    name: two")
    with pytest.raises(OddExportError) as odd:
        bodies(text)
    (problem,) = odd.value.problems
    assert text.splitlines()[problem.line - 1] == "    name: two"


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=20)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(st.lists(VALUES, min_size=1, max_size=4), st.sampled_from(["yaml", "json", "pretty", "documents"]))
@example([2**63 + 1], "yaml")
def test_any_values_come_back(values: list[Any], form: str) -> None:
    some = [{"apiVersion": "v1", "kind": "A", "spec": value} for value in values]
    data = {"apiVersion": "v1", "items": some, "kind": "List"}
    match form:
        case "yaml":
            text = dump_yaml(data)
        case "documents":
            text = dump_yaml_documents(some)
        case _:
            text = json.dumps(data, indent=4 if form == "pretty" else None)
    try:
        found = objects(spool(text))
    except OddExportError as odd:
        found = read_objects_at_once(spool(text), odd)[0]
    assert [each.body for each in found] == some


@given(st.text(alphabet="a:-\n {}[]\"'#&*!|>%", max_size=60))
def test_any_text_is_read_as_the_usual_reader_does_or_as_a_whole(text: str) -> None:
    try:
        found = bodies(text)
    except OddExportError:
        return
    usual = parse_foreign_objects({"-": text})
    assert not usual.findings
    assert found == [each.body for each in usual.objects]


@rows("form", FORMS)
@rows("size", [1, 40, 200])
def test_blocks_are_read_in_any_order(form: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "SIZE", size)
    given = spool(FORMS[form])
    parts = ExportBlocks(given)
    numbers = range(len(parts))
    found = {number: [*parts.read(number)] for number in (*numbers[1::2], *numbers[::2], *numbers[::-1])}
    whole = [piece for number in numbers for piece in found[number]]
    assert all(parts.find_piece(number, 0) == some[0] for number, some in found.items() if some)
    monkeypatch.setattr(blocks, "SIZE", 10**6)
    assert whole == [*ExportBlocks(given).read(0)]
    assert len(whole) > 1
