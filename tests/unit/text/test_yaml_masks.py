"""Values are left out of a text, and all that stays is on its line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from textwrap import dedent

from hypothesis import assume, example, given
from hypothesis import strategies as st
from some import rows

from kitgen.findings import Path
from kitgen.text.yaml import (
    Dialect,
    Json,
    YamlError,
    build_line_finder,
    dump_yaml_documents,
    read_yaml_documents,
)
from kitgen.text.yaml.masks import Keys, blank_lines, mask_values

PIECES = (
    "a: ", "b: ", "b:", "- ", "- a: ", "- b:", "k", ": ", "x", "it's", "'x'", '"x', 'x"', "1", "~", "|", "|-",
    ">", "{}", "[]", "[x]", "{b: ", "{a: x, b: ", "}", ", ", '"b":', "[", "]", "#", " # c", "---", "!!str ",
    "é", "\r", "\u2028", " ",
)  # fmt: skip
LINES = st.builds(
    "{}{}".format,
    st.sampled_from(["", "", " ", "  ", "  ", "    "]),
    st.lists(st.sampled_from(PIECES), max_size=4).map("".join),
)
TEXTS = st.lists(LINES, max_size=9).map("\n".join)
WORDS = st.sampled_from(["a", "b", "c d", "e: f", "", "g\nh\n", "#", "é", "x" * 90])
DATA = st.recursive(
    st.one_of(WORDS, st.integers(), st.none()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(WORDS, inner, max_size=4)),
    max_leaves=20,
)


def keeps(keys: Keys, is_scalar: bool) -> bool:
    return "b" not in keys


def without(value: Json) -> Json:
    if isinstance(value, list):
        return [without(item) for item in value]
    if isinstance(value, dict):
        return {key: None if key == "b" else without(item) for key, item in value.items()}
    return value


def places(value: Json, path: Path = ()) -> Iterator[Path]:
    yield path
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, item in pairs:
        yield from places(item, (*path, step))


def hold(text: str) -> None:
    documents = read_yaml_documents(text, dialect=Dialect.KUBECTL)
    left = mask_values(text, keeps)
    kept = [without(each) for each in documents]
    assert read_yaml_documents(left, dialect=Dialect.KUBECTL) == kept
    wanted = [(number, path) for number, each in enumerate(kept) for path in places(each)]
    before, after = build_line_finder(text, wanted), build_line_finder(left, wanted)
    assert [after(*place) for place in wanted] == [before(*place) for place in wanted]


@given(TEXTS)
@example("b:\n- x\n- y\na: z\n")
@example("- b: |\n    x\n\n    y\n  a: z\n")
@example("b: {}# a")
@example("b: \r- \na: ")
@example('{"b":{"x":["y"]},"a":1}')
@example("a:\n  b:\n    x: y\n    # a comment\n  k: x\n---\nb: x")
def test_what_stays_is_read_as_before_and_on_its_line(text: str) -> None:
    try:
        read_yaml_documents(text, dialect=Dialect.KUBECTL)
    except YamlError:
        assume(False)
    hold(text)


@given(st.lists(DATA, min_size=1, max_size=3))
def test_so_it_is_with_what_programs_write(documents: list[Json]) -> None:
    hold(dump_yaml_documents(documents))
    for each in documents:
        hold(json.dumps(each))
        hold(json.dumps(each, indent=2))


def test_nothing_is_left_of_what_is_not_kept() -> None:
    text = dedent("""\
        a: x
        b:
          c: hunter2
          d: [hunter2]
        e: [{b: "hunter2
          hunter2", a: y}]
        """)
    left = mask_values(text, keeps)
    assert left == "a: x\nb:\n   \n\ne: [{b:  ~ \n          , a: y}]\n"


@rows("text", ["a: [x\nb: hunter2\n", "b: \x01\n", "b: \ud800\n", "? [a]\n: hunter2\n"])
def test_of_a_text_that_cannot_be_read_only_its_lines_are_left(text: str) -> None:
    assert mask_values(text, keeps) == blank_lines(text) == "\n" * text.count("\n")
