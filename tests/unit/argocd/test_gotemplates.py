"""Templates: what they read, what Go would refuse, and what plain ones become."""

from __future__ import annotations

import string
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from some import first

from kitgen.argocd.go_templates.parse import parse, parse_flat
from kitgen.argocd.go_templates.template import GoTemplate, MissingKeyError


def certain(template: GoTemplate) -> list[str]:
    return [".".join(each.path) for each in template.reads if each.certain]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no template", []),
        ("{{.a}}", ["a"]),
        ("{{ .a.b }}-{{ $.c }}", ["a.b", "c"]),
        ('{{ .a | default "x" | upper }}', ["a"]),
        ('{{ index .labels "a-b" }}', ["labels"]),
        ('{{ (index .a "b").c }}', ["a"]),
        ("{{ if .a }}{{ .b }}{{ else if .c }}{{ .d }}{{ else }}{{ .e }}{{ end }}{{ .f }}", ["a", "f"]),
        ("{{ range $i, $each := .a }}{{ .b }}{{ $each.c }}{{ $.d }}{{ else }}{{ .e }}{{ end }}", ["a"]),
        ("{{ with .a }}{{ .b }}{{ $.c }}{{ else with .d }}{{ .e }}{{ end }}", ["a"]),
        ("{{ $x := .a }}{{ $x.b }}{{ $x = .c }}", ["a", "c"]),
        ('{{ and .a .b }}{{ or (eq .c "d") .e }}', ["a", "c"]),
        ('{{ define "t" }}{{ .a }}{{ $.b }}{{ end }}{{ template "t" .c }}', ["c"]),
        ('{{ block "t" .a }}{{ .b }}{{ end }}', ["a"]),
        ("{{ if $x := .a }}{{ else }}{{ $x }}{{ end }}", ["a"]),
        ("{{ $ := .a }}{{ $.b }}", ["a"]),
        ('{{/* .a */}}{{ "{{ .b }}" }}{{ `}}` }}{{ \'"\' }}', []),
        ("{{- /* .a */ -}} {{ .b }}", ["b"]),
        ("{{ printf `%d` -1.5e+3 0x1F .5 }}{{ true }}{{ eq nil .a }}", ["a"]),
        ("{{ .a\n| quote }}", ["a"]),
    ],
)
def test_reads(text: str, expected: list[str]) -> None:
    found = parse(text)
    assert found.problem is None
    assert certain(found) == expected


def test_reads_that_depend_on_others_are_known_as_such() -> None:
    found = parse("{{ if .a }}{{ .b }}{{ $.c }}{{ end }}{{ range .d }}{{ .e }}{{ end }}")
    assert found.fields == (("a",), ("b",), ("c",), ("d",))
    assert [each.plain for each in found.reads] == [False, True, True, False]


def test_calls_are_known_by_name() -> None:
    assert [each.name for each in parse('{{ name | upper }}{{ list "a" }}').calls] == [
        "name",
        "upper",
        "list",
    ]


@pytest.mark.parametrize(
    ("text", "message", "offset"),
    [
        ("a {{ .b", "found an opening {{ that nothing closes", 2),
        ("{{ .a-b }}", "found '-' right behind .a", 5),
        ("{{ }}", "found no value for a command", 3),
        ("{{ .a | }}", "found no value for a command", 8),
        ("{{ if }}{{ end }}", "found no value for if", 6),
        ("{{ if .a }}", "found {{if}} without an end", 0),
        ("{{ end }}", "found {{end}}, but nothing is open", 0),
        ("{{ else }}", "found {{else}}, expected it once, after if, with or range", 0),
        (
            "{{ if .a }}{{ else }}{{ else }}{{ end }}",
            "found {{else}}, expected it once, after if, with or range",
            21,
        ),
        ("{{ range .a }}{{ else if .b }}{{ end }}", "found 'if' after else", 22),
        ("{{ break }}", "found {{break}} outside of range", 0),
        ("{{ (.a }}", "found an opening parenthesis that nothing closes", 3),
        ("{{ .a) }}", "found ')', expected }}", 5),
        ('{{ "a }}', "found '\"', which no template has there", 3),
        ("{{ {{ .a }} }}", "found '{', which no template has there", 3),
        ("{{ $a }}", "found the variable $a, which nothing declares", 3),
        ("{{ $a = 1 }}", "found the variable $a, which nothing declares", 3),
        ("{{ range $a, .b }}{{ end }}", "found a comma, expected two variables and :=", 9),
        ("{{ if $a := .b }}{{ end }}{{ $a }}", "found the variable $a, which nothing declares", 29),
        ("{{ .a.b end }}", "found 'end', expected a value", 8),
        ('{{ "a".b }}', "found .b right behind a value without fields", 6),
        ('{{ .a"b" }}', "found '\"' right behind .a", 5),
        ('{{ "a""b" }}', "found '\"b\"' right behind a value", 6),
        ("{{ template .a }}", "found no name after template", 12),
        ("{{/* a }}", "found a comment that nothing closes", 0),
        ("{{/* a */ .b }}", "found a comment with something behind it", 0),
        ("{{" + "(" * 101, "found more than 100 parentheses in each other", 102),
        ("{{if 1}}" * 101, "found more than 100 blocks in each other", 800),
    ],
)
def test_what_go_refuses(text: str, message: str, offset: int) -> None:
    problem = parse(text + ("}}" if text.endswith("(") else "")).problem
    assert problem is not None
    assert (problem.message, problem.offset) == (message, offset)


@pytest.mark.parametrize(
    ("text", "params", "expected"),
    [
        ("plain", {}, "plain"),
        ("{{ .a }}-{{ .b.c }}", {"a": "x", "b": {"c": "y"}}, "x-y"),
        ("x {{- .a -}} y", {"a": "-"}, "x-y"),
        ("{{ .a }} {{ .b }}", {"a": True, "b": 8080}, "true 8080"),
        ("{{ .a }} {{ .b }}", {"a": 1_000_000, "b": -0.5}, "1e+06 -0.5"),
        ("{{ .a }} {{ .b }}", {"a": 0.00001, "b": 0}, "1e-05 0"),
        ("{{ .a }}", {"a": 1234567.5}, "1.2345675e+06"),
        ("{{ .a }}", {"a": ["x"]}, None),
        ("{{ .a }}", {"a": None}, None),
        ("{{ .a.b }}", {"a": "x"}, None),
        ("{{ .a | upper }}", {"a": "x"}, None),
    ],
)
def test_filled(text: str, params: dict[str, object], expected: str | None) -> None:
    assert parse(text).filled(params) == expected


@pytest.mark.parametrize(
    ("params", "path"), [({}, ("a",)), ({"a": {}}, ("a", "b")), ({"a": {"b": {}}}, ("a", "b", "c"))]
)
def test_a_key_that_is_missing_is_named(params: dict[str, object], path: tuple[str, ...]) -> None:
    with pytest.raises(MissingKeyError) as caught:
        parse("{{ .a.b.c }}").filled(params)
    assert caught.value.path == path


def test_flat_keys() -> None:
    found = parse_flat("{{a.b}}-{{ metadata.labels.a/b }} {{}}")
    assert found.fields == (("a.b",), ("metadata.labels.a/b",))
    assert found.filled({"a.b": "x", "metadata.labels.a/b": "y"}) == "x-y {{}}"
    with pytest.raises(MissingKeyError):
        found.filled({"a.b": "x"})
    assert parse_flat("{{a}} {{b").problem is not None
    assert parse_flat("a {{b").problem is None  # Argo CD takes it for a text


NAMES = st.text(string.ascii_letters, min_size=1, max_size=3)
PARTS = st.lists(st.tuples(st.booleans(), NAMES), max_size=8)


@given(PARTS)
def test_plain_templates_are_what_they_say(parts: list[tuple[bool, str]]) -> None:
    text = "".join(f"{{{{ .{name} }}}}" if is_field else name for is_field, name in parts)
    params = {name: f"<{name}>" for _, name in parts}
    assert parse(text).filled(params) == "".join(params[name] if field else name for field, name in parts)


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
        assert found.problem is None or 0 <= found.problem.offset <= len(found.text)
        assert found.pieces is None or found.problem is None


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
