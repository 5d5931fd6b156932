"""What the writer writes, every reader takes back to the same data."""

import math
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st
from nasty_strings import STRINGS
from some import rows
from yaml_readers import READERS

from kitgen.text import yaml

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
LINES = st.text("ab \n\t#:-'\"\\|>é", max_size=16)
STRING = st.sampled_from(STRINGS) | LINES | TEXT
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
SCALAR = STRING | st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | FLOATS
JSON = st.recursive(
    SCALAR, lambda item: st.lists(item, max_size=4) | st.dictionaries(STRING, item, max_size=4), max_leaves=12
)


def same(one: Any, other: Any) -> bool:
    """Compare data, types included: to Python 1, 1.0 and True are one."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float):
        return one == other and math.copysign(1, one) == math.copysign(1, other)
    return bool(one == other)


def places(text: str) -> list[Any]:
    """Put a text wherever one can stand."""
    return [text, [text], {text: text}, {"a": [[text, text], {"b": text, text: [text]}]}]


@rows("reader", READERS)
def test_nasty_strings_stay_themselves(reader: str) -> None:
    read = READERS[reader]
    changed = {
        text: found
        for text in STRINGS
        for data in places(text)
        if not same(found := read(yaml.dump_yaml(data)), data)
    }
    assert changed == {}


@rows("reader", READERS)
def test_any_data_reads_back(reader: str) -> None:
    @given(JSON)
    @example({"a": 1e16, "b": 1e-7, "c": -0.0, "d": 1.5e300, "e": -(2**63)})
    @example({"k" * 2000: {"a" * 1023: ["b"]}, "é" * 600: None})
    @example([[[[]], {}], [{"a": [{"b": "x\ny\n"}]}], ["  x\ny"]])
    def check(data: Any) -> None:
        assert same(READERS[reader](yaml.dump_yaml(data)), data)

    check()


@given(st.integers())
@example(2**63 + 1)
@example(-(2**63) - 1)
@example(10**40 + 1)
def test_whole_numbers_of_any_size_read_back(number: int) -> None:
    text = yaml.dump_yaml({"a": number, "b": [number]})
    assert same(yaml.read_yaml(text, dialect=yaml.Dialect.KUBECTL), {"a": number, "b": [number]})


@given(st.lists(JSON, max_size=3))
def test_several_documents_read_back(documents: list[Any]) -> None:
    text = yaml.dump_yaml_documents(documents)
    assert same(yaml.read_yaml_documents(text), documents)
    assert same(yaml.read_yaml_documents(text, dialect=yaml.Dialect.KUBECTL), documents)


@given(st.dictionaries(STRING, JSON, min_size=1, max_size=4), JSON)
def test_shared_mapping_is_written_as_a_plain_one(part: dict[str, Any], other: Any) -> None:
    def around(inner: Any) -> Any:
        return {"a": inner, "b": [inner, [inner, {"c": inner}]], "d": {"e": {"f": inner}}, "g": other}

    shared = yaml.SharedMapping(part, "part")
    assert yaml.dump_yaml(around(shared)) == yaml.dump_yaml(around(part))
    assert yaml.dump_yaml(shared) == yaml.dump_yaml(part)
    assert yaml.dump_yaml(around(shared)) == yaml.dump_yaml(around(part))


@given(JSON)
def test_text_is_canonical(data: Any) -> None:
    text = yaml.dump_yaml(data)
    assert yaml.dump_yaml(yaml.read_yaml(text)) == text
    assert text.endswith("\n")
