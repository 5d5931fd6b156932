"""Templates of ApplicationSets: the fields that they read, and what they become."""

from __future__ import annotations

import string
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from some import first

from kitgen.argocd.go_templates import parse, parse_flat


@pytest.mark.parametrize(
    ("text", "fields", "words"),
    [
        ("no template", [], []),
        ("{{.a}}", ["a"], []),
        ("{{ .a.b }}-{{ $.c }}-{{- .a.b -}}", ["a.b", "c"], []),
        ("{{ name }}", [], ["name"]),
        ('{{ .a }}{{ .b | default "x" }}', [], []),
        ("{{ if .a }}{{ .b }}{{ end }}", [], ["end"]),
        ('{{ index .labels "a-b" }}', [], []),
        ("{{ .a-b }}", [], []),
        ("{{ }}", [], []),
    ],
)
def test_fields_and_words(text: str, fields: list[str], words: list[str]) -> None:
    found = parse(text)
    assert found.unclosed is None
    assert [".".join(each) for each in found.fields] == fields
    assert [*found.words] == words


@pytest.mark.parametrize(("text", "offset"), [("a {{ .b", 2), ("{{ .a }} {{ .b", 9), ("{{ {{ .a }} }}", 0)])
def test_an_opening_without_an_end_is_a_problem(text: str, offset: int) -> None:
    assert parse(text).unclosed == offset


@pytest.mark.parametrize(
    ("text", "params", "expected"),
    [
        ("plain", {}, "plain"),
        ("{{ .a }}-{{ .b.c }}", {"a": "x", "b": {"c": "y"}}, "x-y"),
        ("x {{- .a -}} y", {"a": "-"}, "x-y"),
    ],
)
def test_plain_fields_are_filled_in(text: str, params: dict[str, object], expected: str) -> None:
    assert parse(text).fill(params) == expected


def test_flat_keys() -> None:
    found = parse_flat("{{a.b}}-{{ metadata.labels.a/b }} {{}}")
    assert found.fields == (("a.b",), ("metadata.labels.a/b",))
    assert found.fill({"a.b": "x", "metadata.labels.a/b": "y"}) == "x-y {{}}"
    assert parse_flat("{{a}} {{b").unclosed == 6
    assert parse_flat("a {{b").unclosed is None  # Argo CD takes it for a text


NAMES = st.text(string.ascii_letters, min_size=1, max_size=3)
PARTS = st.lists(st.tuples(st.booleans(), NAMES), max_size=8)


@given(PARTS)
def test_plain_templates_are_what_they_say(parts: list[tuple[bool, str]]) -> None:
    text = "".join(f"{{{{ .{name} }}}}" if is_field else name for is_field, name in parts)
    params = {name: f"<{name}>" for _, name in parts}
    assert parse(text).fill(params) == "".join(params[name] if field else name for field, name in parts)


SNIPPETS = st.sampled_from(
    [
        *(
            "{{",
            "}}",
            "{{- ",
            " -}}",
            ".",
            ".a",
            "$",
            "$x",
            ":=",
            "=",
            "|",
            ",",
            "(",
            ")",
            " ",
            "\n",
            '"',
            "`",
        ),
        *("'", "if ", "else ", "range ", "with ", "end", "define ", "template ", "block ", "break", "1", "é"),
        *('"s"', "/*", "*/", "nil", "and ", "-", "\\", "\x00", "f "),
    ]
)


@given(st.lists(SNIPPETS, max_size=40).map("".join) | st.text())
def test_any_text_is_read(text: str) -> None:
    for found in (parse(text), parse_flat(text), parse(f"{{{{{text}}}}}")):
        assert found.unclosed is None or 0 <= found.unclosed <= len(found.text)
        assert not (found.pieces and found.unclosed is not None)


@pytest.mark.parametrize(
    "piece",
    first(
        [
            "{{ .a | f }} ",
            "{{if .a}}{{end}}",
            "{{/*",
            "{{",
            '{{"',
            "{{ $x := 1 }}",
            "{{ $ }}",
            "{{ (((.a))) }}",
            "{{ .a.b",
            "'",
        ],
        3,
    ),
)
def test_reading_takes_time_as_the_text_is_long(piece: str) -> None:
    start = time.process_time()
    parse(piece * (200_000 // len(piece)))
    assert time.process_time() - start < 5
