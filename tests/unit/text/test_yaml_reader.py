"""The reader's strictness, and the lines that it gives."""

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from kitgen.text import yaml as yamlio
from kitgen.text.yaml import Dialect, builder

BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join(['*' + old] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


class PureParser(yaml.reader.Reader, yaml.scanner.Scanner, yaml.parser.Parser):
    """What the reader falls back to where PyYAML came without libyaml."""

    def __init__(self, stream: str) -> None:
        yaml.reader.Reader.__init__(self, stream)
        yaml.scanner.Scanner.__init__(self)
        yaml.parser.Parser.__init__(self)


@pytest.fixture(params=["libyaml", "pure"], autouse=True)
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "pure":
        monkeypatch.setattr(builder, "Parser", PureParser)


def problems(text: str, **options: Any) -> list[tuple[str, int, tuple[str | int, ...]]]:
    with pytest.raises(yamlio.YamlError) as caught:
        yamlio.read_yaml_documents(text, **options)
    return [(problem.rule.id, problem.line, problem.path) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("text", "rule", "line", "path"),
    [
        ("a: 1\nb:\n  c: 1\n  c: 2\n", "yaml-duplicate", 4, ("b", "c")),
        ("a:\n- {b: 1, b: 2}\n", "yaml-duplicate", 2, ("a", 0, "b")),
        ("a:\n\tb: 1\n", "yaml-syntax", 2, ("a",)),
        ("\ta: 1\n", "yaml-syntax", 1, ()),
        ("a: 1\nb: [1, 2\nc: 3\n", "yaml-syntax", 3, ("b", 1)),
        ("a: 1\nb: 'x\n", "yaml-syntax", 3, ("b",)),
        ("a: *b\n", "yaml-syntax", 1, ("a",)),
        ("a: &x [*x]\n", "yaml-syntax", 1, ("a", 0)),
        ("a: &x 1\nb: &x [*x]\n", "yaml-syntax", 2, ("b", 0)),
        ("a: 1\nb: \x07\n", "yaml-syntax", 2, ()),
        ("a: 1\n\nb: \x00\n", "yaml-syntax", 3, ()),
        ("a: 1\nb: '\ud800'\n", "yaml-syntax", 2, ()),
        ("a: 1\nb: !!binary aGk=\n", "yaml-tag", 2, ("b",)),
        ("a: !thing {b: 1}\n", "yaml-tag", 1, ("a",)),
        ("a: !!python/object/apply:os.system [ls]\n", "yaml-tag", 1, ("a",)),
        ("a:\n  1: x\n", "yaml-key", 2, ("a", "1")),
        ("true: x\n", "yaml-key", 1, ("true",)),
        ("~: x\n", "yaml-key", 1, ("~",)),
        ("? [a]\n: b\n", "yaml-key", 1, ("",)),
        ("a: b\nyes: x\n", "yaml-ambiguous", 2, ("yes",)),
        ("a: &x {b: 1}\nc:\n  <<: *x\n", "yaml-ambiguous", 3, ("c", "<<")),
    ],
    ids=ascii,
)
def test_problem(text: str, rule: str, line: int, path: tuple[str | int, ...]) -> None:
    found = problems(text)
    assert found[0][0] == rule
    assert abs(found[0][1] - line) <= (1 if "'x" in text else 0)  # the end of the text has two lines
    assert found[0][2] == path


def test_every_problem_is_told() -> None:
    found = problems("a: yes\nb: 010\nb: 1\nc: !x y\nd: [1\n")
    assert [rule for rule, _, _ in found] == [
        "yaml-ambiguous",
        "yaml-ambiguous",
        "yaml-duplicate",
        "yaml-tag",
        "yaml-syntax",
    ]


AMBIGUOUS = [
    *(
        "y",
        "Y",
        "yes",
        "Yes",
        "YES",
        "n",
        "N",
        "no",
        "No",
        "NO",
        "on",
        "On",
        "ON",
        "off",
        "Off",
        "OFF",
        "=",
        "<<",
    ),
    *(
        "010",
        "08",
        "0o7",
        "0b1",
        "0x1f",
        "1_000",
        "1:30",
        "1e3",
        "1.5e3",
        "2001-01-01",
        "2001-01-01T00:00:00Z",
        ".inf",
    ),
    *("-.INF", ".nan", "+0o7", "1_0.5", ".5_0.5", "9223372036854775808", "9" * 5000, "1e999"),
]


def test_ambiguous_words_must_be_quoted() -> None:
    taken = [word for word in AMBIGUOUS if problems(f"a: [{word}]\n") != [("yaml-ambiguous", 1, ("a", 0))]]
    assert taken == []
    for word in AMBIGUOUS:
        assert yamlio.read_yaml(f"a: ['{word}', \"{word}\"]\n") == {"a": [word, word]}


PLAIN = {
    **{"true": True, "False": False, "null": None, "~": None, "": None, "0": 0, "-12": -12, "+1": 1},
    **{"1.5": 1.5, "-.5": -0.5, "1.": 1.0, "1.5e+3": 1500.0},
    **{"9223372036854775807": 2**63 - 1, "-9223372036854775808": -(2**63)},
    **{text: text for text in ("v1", "1.2.3", "500m", ".", "²", "tRue")},
    **{"'-'": "-", "!!str 1": "1", "'yes'": "yes"},
}


def test_plain_values() -> None:
    found = {text: yamlio.read_yaml(f"a: {text}\n")["a"] for text in PLAIN}
    assert found == PLAIN
    assert {text: type(value) for text, value in found.items()} == {
        text: type(value) for text, value in PLAIN.items()
    }


def test_alias_bomb_is_refused_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    found = problems(BOMB)
    assert found[-1][0] == "yaml-limit"
    monkeypatch.setattr(builder, "MAX_ALIASED", 5)
    assert problems("a: &a [1, 2]\nb: [*a, *a]\n") == [("yaml-limit", 2, ("b", 1))]
    assert yamlio.read_yaml("a: &a {b: 1}\nc: *a\n") == {"a": {"b": 1}, "c": {"b": 1}}


@pytest.mark.parametrize(
    "text", ["[" * 3_000, "{a: " * 3_000, "- " * 3_000 + "a"], ids=["list", "map", "dash"]
)
def test_depth_is_limited(text: str) -> None:
    assert problems(text)[-1][0] == "yaml-limit"


def test_depth_at_the_limit_is_fine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(builder, "MAX_DEPTH", 3)
    assert yamlio.read_yaml("[" * 3 + "]" * 3) == [[[]]]
    assert problems("[" * 4 + "]" * 4) == [("yaml-limit", 1, ())]


def test_documents() -> None:
    assert yamlio.read_yaml_documents("") == []
    assert yamlio.read_yaml_documents("# nothing\n") == []
    assert yamlio.read_yaml_documents("---\n---\na: 1\n...\n") == [None, {"a": 1}]
    assert yamlio.read_yaml("") is None
    with pytest.raises(yamlio.YamlError, match="found 2 documents, expected one"):
        yamlio.read_yaml("a: 1\n---\nb: 2\n")


def test_byte_order_mark_and_line_ends() -> None:
    assert yamlio.read_yaml("\ufeffa: 1\n") == {"a": 1}
    assert yamlio.read_yaml("a: 1\r\nb: |\r\n  x\r\n  y\r\n") == {"a": 1, "b": "x\ny\n"}
    assert problems("a: 1\r\nb: yes\r\n") == [("yaml-ambiguous", 2, ("b",))]


def test_message_holds_little_of_the_value() -> None:
    with pytest.raises(yamlio.YamlError) as caught:
        yamlio.read_yaml("a: " + "9" * 5000)
    assert len(str(caught.value)) < 150


def test_kubectl_dialect() -> None:
    text = "a: &x {b: yes, c: 1}\nd: {<<: *x, c: 2}\ne: {<<: [{f: 1}, {f: 2, g: 3}]}\n"
    text += "on: 010\n1.50: [0o10, 1_000, 1:30]\n"
    assert yamlio.read_yaml(text, dialect=Dialect.KUBECTL) == {
        "a": {"b": True, "c": 1},
        "d": {"b": True, "c": 2},
        "e": {"f": 1, "g": 3},
        "true": 8,
        "1.5": [8, 1000, "1:30"],
    }
    assert problems("a: {<<: [1]}\n", dialect=Dialect.KUBECTL) == [("yaml-merge", 1, ("a", "<<"))]
    tagged = "a: &x {b: 1}\nc:\n  !!merge <<: *x\n  d: 2\n"
    assert yamlio.read_yaml(tagged, dialect=Dialect.KUBECTL)["c"] == {"b": 1, "d": 2}
    assert problems(tagged)[0][0] == "yaml-key"
    assert problems("~: 1\n", dialect=Dialect.KUBECTL) == [("yaml-key", 1, ("~",))]
    assert yamlio.read_yaml('{"<<": {a: 1}}', dialect=Dialect.KUBECTL) == {"<<": {"a": 1}}


LINED = """\
# a comment
a:
  b: 1
  c:
  - x
  # another
  - d: 1
    e: |
      long

  -
    f: 1
g: {h: [1,
  2]}
"""


def test_lines() -> None:
    wanted = {
        (): 2,
        ("a",): 2,
        ("a", "b"): 3,
        ("a", "c"): 4,
        ("a", "c", 0): 5,
        ("a", "c", 1): 7,
        ("a", "c", 1, "e"): 8,
        ("a", "c", 2): 12,
        ("g", "h", 1): 14,
        ("a", "missing", "deep"): 2,
        ("a", "c", 9): 4,
    }
    assert yamlio.find_lines(LINED, set(wanted)) == wanted


def test_lines_of_a_later_document_and_after_a_break() -> None:
    assert yamlio.find_lines("a: 1\n---\nb: 1\na: 2\n", {("a",)}, document=1) == {("a",): 4}
    broken = "a: 1\nb:\n  c: yes\n  c: 2\nd: [1\ne: 2\n"
    assert yamlio.find_lines(broken, {("b", "c"), ("d", 0), ("e",)}) == {
        ("b", "c"): 3,
        ("d", 0): 5,
        ("e",): 1,
    }
    assert yamlio.find_lines("", {("a",)}) == {("a",): 1}
    assert yamlio.find_lines("\x00", {("a",)}) == {("a",): 1}


PIECES = st.sampled_from(
    [
        *(
            "a",
            "b: ",
            "- ",
            "\n",
            "  ",
            "\t",
            "{",
            "}",
            "[",
            "]",
            ",",
            "&a ",
            "*a",
            "!x ",
            "!!str ",
            "<<: ",
            "? ",
            "|",
            ">",
        ),
        *(
            '"',
            "'",
            "#",
            " #",
            "---\n",
            "...\n",
            "%YAML 1.1\n",
            "\x00",
            "\ufeff",
            "\ud800",
            "010",
            "1e3",
            "yes",
            "~",
        ),
        *("0x_", "9" * 30, "\\", "\\u", "é", "😀", "\r", "\x85", "\u2028", "@", "`", "-", ".", "+.", "_"),
    ]
)


@given(st.lists(PIECES | st.text(max_size=3), max_size=25).map("".join), st.sampled_from(list(Dialect)))
def test_any_text_gives_data_or_problems(text: str, dialect: Dialect) -> None:
    try:
        yamlio.read_yaml_documents(text, dialect=dialect)
    except yamlio.YamlError as error:
        assert error.problems
        assert all(problem.line >= 1 for problem in error.problems)
    assert all(line >= 1 for line in yamlio.find_lines(text, {("a",), ("b", 0)}).values())


@pytest.mark.parametrize("text", ["!!binary aGk=", "!!int '12'", "!!null x", "!!timestamp x", "!x y"])
def test_a_type_other_than_text_is_a_finding(text: str) -> None:
    with pytest.raises(yamlio.YamlError) as error:
        yamlio.read_yaml(f"a: {text}", dialect=Dialect.KUBECTL)
    assert [each.rule.id for each in error.value.problems] == ["yaml-tag"]
