"""Simple block YAML is read without a parser, and comes out as the parser has it."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from some import rows

from kitgen.findings import Path
from kitgen.text.yaml import (
    Dialect,
    Json,
    Values,
    YamlError,
    build_line_finder,
    dump_yaml_documents,
    read_yaml_documents,
)
from kitgen.text.yaml.blocks import DEEPEST, MOST_LINES, read_blocks
from kitgen.text.yaml.builder import MAX_NODES, _Builder
from kitgen.text.yaml.reader import split_documents

MOST = MAX_NODES[Dialect.KUBECTL]
PIECES = (
    "a: ", "b:", "- ", "- a: ", "- b:", "k", ": ", ":", "x", "x y", "it's", "'x", "x'", '"x', 'x"', "\\",
    "\\ x", '"\\n"', "'a''b'", '"\\x41"', "1", "010", "1e3", "yes", "~", "|", "|-", "|+", "|2", ">", "{}",
    "[]", "[x]", "#", " # c", "---", "...", "%", "&a ", "*a", "!!str ", "? ", "<<: ", "\t", "é", "\r",
    "\u2028", "\ufeff", "\xa0", "\x7f", " ",
    "{a: 1}", "{a: b, ", "c: d}", "[1, x y]", "[", "]", "{", "}", ", ", "[a, # c", "{'a': \"b\"}", "{b: [",
    '"a": ', "a#b: ", "a,b: ", "a: &x", "b: &x", "b: *x", "*x", ">-", "a: >", "1e", "y", "a: {}", "a: b # c",
)  # fmt: skip
LINES = st.builds(
    "{}{}".format,
    st.sampled_from(["", "", " ", "  ", "  ", "    "]),
    st.lists(st.sampled_from(PIECES), max_size=3).map("".join),
)
TEXTS = st.builds(
    "{}{}".format, st.lists(LINES, max_size=9).map("\n".join), st.sampled_from(["\n", "\n", ""])
)
WORDS = st.one_of(
    st.sampled_from(
        ["yes", "1", "", "a: b", " a", "b ", "#", "- x", "a\n b\n", "x\n\n", "\ty", "'", '"', "\\"]
    ),
    st.text(max_size=9),
    st.text("ab '\"\\:#\n", min_size=60, max_size=200),
)
DATA = st.recursive(
    st.one_of(WORDS, st.integers(), st.booleans(), st.none()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(WORDS, inner, max_size=4)),
    max_leaves=20,
)


def result(documents: Any) -> object:
    """Return what came out, with its types, or what was wrong."""
    try:
        return repr(documents())
    except YamlError as error:
        return [(each.rule.id, each.message, each.path, each.hint, each.line) for each in error.problems]


def read_and_parsed(text: str, dialect: Dialect = Dialect.KUBECTL) -> tuple[object, object]:
    """Return what the reader makes of a text, and what the parser alone does, each with its size."""
    values = Values(MOST)
    read = result(lambda: read_yaml_documents(text, dialect=dialect, values=values))
    builder = _Builder(dialect)

    def parse() -> list[Json]:
        found = builder.read_documents(text)
        if builder.problems:
            raise YamlError(builder.problems)
        return found

    parsed = result(parse)
    return (read, MOST - values.left), (parsed, builder.nodes)


@given(TEXTS, st.sampled_from(Dialect))
def test_any_lines_are_read_as_the_parser_reads_them(text: str, dialect: Dialect) -> None:
    read, parsed = read_and_parsed(text, dialect)
    assert read == parsed


@given(
    st.lists(DATA, max_size=3),
    st.sampled_from([20, 80, 10_000]),
    st.sampled_from([None, "'", '"', "|", ">"]),
    st.sampled_from([None, True, False]),
)
def test_what_writers_write_is_read_as_the_parser_reads_it(
    data: list[Json], width: int, style: str, flow: bool | None
) -> None:
    texts = [
        yaml.safe_dump_all(
            data, width=width, default_style=style, allow_unicode=True, default_flow_style=flow
        )
    ]
    with suppress(ValueError):  # half a character
        texts.append(dump_yaml_documents(data))
    for text in texts:
        for dialect in (Dialect.KUBECTL, Dialect.SPEC):
            read, parsed = read_and_parsed(text, dialect)
            assert read == parsed


SIMPLE = """\
# a comment
apiVersion: v1
items:
- name: one
  text: |
    two lines
      and a third: one

  kept: |+
    a

  none: |-
    b
- {}
- []
- 'it''s'
- "a\\tb\\"c\\\\"
- folded over
  lines: no
nested:
    wide:
      - 1
      - 1.5
      - true
    empty:
    description: goes on
      and on - with 'quotes' and # no

      comment
    quoted: 'goes on

      and ''on'''
    escaped: "goes on \\
      \\ and on
      and on"
"""


def test_what_programs_print_needs_no_parser() -> None:
    text = SIMPLE.replace("  lines: no\n", "  lines\n").replace("and # no", "and#no")
    (parsed,) = _Builder(Dialect.KUBECTL).read_documents(text)
    read = read_blocks(text)
    assert read is not None
    assert read.data == parsed
    assert read_blocks(SIMPLE) is None


@rows("text", [
        "a: 1\na: 2\n", "yes: 1\n", "1: a\n", "<<: {}\n", "a: &b c\n", "a: [b\nc]\n", "a: {b}\n",
        "a: !!str 1\n", "? a\n: b\n", "a: b #c\n  d\n", "a: |2\n   b\n", "a: >\n  b\n   c\n",
        "a:\n  b: c\n  d\n", "a\n", "- - a\n", "-\n",
        "a: b", "a:\tb\n", "a: '\n", 'a: "\\x41"\n', "--- a\n", "a: b\n c: d\n", "a: |\n\n  b\n", "a: b: c\n",
        "a: |\nb: c\n",
        "a: b\n# c\n  d\n", "a: 'b'\n  c\n", "a: @b\n", "a:  b\n", "a: b \n", "a: 'b' \n", "- a\nb: c\n",
    ])  # fmt: skip
def test_all_else_is_left_to_the_parser(text: str) -> None:
    assert read_blocks(text) is None
    read, parsed = read_and_parsed(text)
    assert read == parsed


SPEC = """\
# what people write
component: kueue # the one
span: {kubernetes: ">=1.27 <=1.30", own: [a b, 'c, d', {e: -1}]}
long: [
  one, two,  # and
  three
]
folded: >-
  over two
  lines

  and more
open:
  goes on
  here
"<0.8.0": {}
core/pods,pods[x]#y: get
probe: &probe
  port: 8080
same: *probe
"""


def test_what_people_write_needs_no_parser() -> None:
    (parsed,) = _Builder(Dialect.SPEC).read_documents(SPEC)
    read = read_blocks(SPEC, strict=True)
    assert read is not None
    assert read.data == parsed
    assert read.data["same"] is read.data["probe"]


@rows("text", ["a: yes\n", "a: [010]\n", "a:\n  2020-01-01\n", "a: b\n  c\nd: y\n"])
def test_words_that_readers_disagree_about_are_left_to_the_parser(text: str) -> None:
    assert read_blocks(text, strict=True) is None


@rows(
    "text",
    ["a: *b\n", "a: &b\n  c: *b\n", "a: &b\n  c: 1\nd: &b\n", "a: &b\n" + "- 1\n" * 2000 + "c: *b\n"],
)
def test_odd_names_are_left_to_the_parser(text: str) -> None:
    assert read_blocks(text) is None
    read, parsed = read_and_parsed(text)
    assert read == parsed


def test_what_is_deep_or_long_is_left_to_the_parser() -> None:
    deep = "".join(f"{' ' * depth}a:\n" for depth in range(DEEPEST + 2))
    assert read_blocks(deep) is None
    assert read_blocks("a: b\n" + "\n" * MOST_LINES) is None


def test_documents_are_told_apart_by_their_markers() -> None:
    text = "# no\n\n---\na: 1\n--- # two\nb: |\n  ---\n---x: 1\n---\n"
    parts = split_documents(text)
    assert parts is not None
    assert [(part.text[:5], part.before) for part in parts] == [("---\na", 2), ("--- #", 4), ("---\n", 8)]
    assert list(split_documents("# no\n") or [0]) == []
    assert list(split_documents("") or [0]) == []


@rows(
    "text",
    ["%YAML 1.1\n---\na\n", "a\n...\nb\n", "a\r\n---\r\nb\r\n", "\ufeffa\n", "a\x85---\n", "a\u2028--- b\n"],
)
def test_only_the_parser_knows_odd_documents(text: str) -> None:
    assert split_documents(text) is None


def test_values_of_simple_documents_count_together() -> None:
    text = "a: 1\n---\nb:\n- c: 1\n- {}\n"
    values = Values(7)
    read_yaml_documents(text, dialect=Dialect.KUBECTL, values=values)
    assert values.left == 0
    with pytest.raises(YamlError) as caught:
        read_yaml_documents(text, dialect=Dialect.KUBECTL, values=Values(6))
    assert caught.value.problems[0].line == 5


def test_an_empty_value_is_one_of_its_own() -> None:
    ((first, second),) = read_yaml_documents("- {}\n- {}\n", dialect=Dialect.KUBECTL)
    assert first is not second


def paths_in(value: Json, path: Path = ()) -> list[Path]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(each for key, item in items for each in paths_in(item, (*path, key)))]


@given(st.lists(DATA, max_size=4), st.sampled_from([80, 10_000]))
def test_lines_are_those_of_the_whole_text(data: list[Json], width: int) -> None:
    text = yaml.safe_dump_all(data, width=width, explicit_start=True)
    documents = read_yaml_documents(text, dialect=Dialect.KUBECTL)
    places = [(number, path) for number, each in enumerate(documents) for path in paths_in(each)]
    whole = build_line_finder(f"%YAML 1.1\n{text}", places)
    parts = build_line_finder(text, places)
    assert [parts(*place) for place in places] == [whole(*place) - 1 for place in places]
    assert all(build_line_finder(text, [place])(*place) == parts(*place) for place in places[-3:])
