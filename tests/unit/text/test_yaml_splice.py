"""What a YAML file says at its top is changed alone: every other byte stays."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from some import rows

from kitgen.text.yaml import read_yaml
from kitgen.text.yaml.edits import SpliceError, drop_item, put_entry, put_items, put_value

BLOCK = """\
# head
name: a   # one
size: 'v1'  # two

list:
# first
- v1
# second
- "v2" # why

# tail
other: {a: [1, 2]}
"""
FLOW = "{name: a, size: \"v1\", list: ['v1', 'v2'], other: {a: [1, 2]}} # end"
TEXTS = [BLOCK, BLOCK.replace("\n", "\r\n"), BLOCK.replace("\n-", "\n  -"), BLOCK.rstrip("\n"), FLOW]
each_text = pytest.mark.parametrize("text", TEXTS, ids=["block", "crlf", "indented", "no newline", "flow"])


@each_text
def test_a_value_keeps_its_quotes_and_its_neighbours(text: str) -> None:
    changed = put_value(text, "size", "v2.0", below="name")
    assert changed == text.replace("size: 'v1'", "size: 'v2.0'").replace('size: "v1"', 'size: "v2.0"')


@each_text
def test_a_new_key_comes_below_another(text: str) -> None:
    changed = put_value(text, "more", "v3", below="size")
    assert [*read_yaml(changed)][:2] == ["name", "size"]
    assert read_yaml(changed) == {**read_yaml(text), "more": "v3"}
    added = [line for line in changed.splitlines(keepends=True) if line not in text]
    assert "".join(added) in ("more: v3\n", "more: v3\r\n", changed)


@each_text
@pytest.mark.parametrize("at", [0, 1, 2, None])
def test_an_item_comes_at_its_place(text: str, at: int | None) -> None:
    changed = put_items(text, "list", ["v9"], at=at)
    want = ["v1", "v2"]
    want.insert(2 if at is None else at, "v9")
    assert read_yaml(changed) == {**read_yaml(text), "list": want}
    assert changed.count("#") == text.count("#")


@each_text
@given(
    st.lists(
        st.dictionaries(st.sampled_from("abc"), st.text(max_size=20), min_size=1), min_size=1, max_size=3
    )
)
def test_what_was_put_in_comes_out_again(text: str, items: list[dict[str, str]]) -> None:
    try:
        changed = put_entry(text, "new", list(items), below="size")
        more = put_items(changed, "new", [{"a": "b"}])
    except SpliceError:  # a character that no YAML has
        return
    assert read_yaml(more) == {**read_yaml(text), "new": [*items, {"a": "b"}]}
    for _ in items:
        more = drop_item(more, "new", 0)
    assert drop_item(more, "new", 0) == text


@rows("word", ['a?"', "a?!", "a?,b", "a?b"])
def test_a_word_is_quoted_where_any_reader_needs_it(word: str) -> None:
    changed = put_entry(FLOW, "new", [{"a": word}], below="size")
    assert f"{{a: {json.dumps(word)}}}" in changed
    assert read_yaml(put_items(changed, "new", ["b"]))["new"] == [{"a": word}, "b"]


@rows("text", ['{name: a?"}', "{name: a?!}"])
def test_what_only_some_readers_take_is_changed_too(text: str) -> None:
    assert put_value(text, "name", "b", below="name") == "{name: b}"


def test_comments_stay_when_items_go() -> None:
    assert drop_item(BLOCK, "list", 1) == BLOCK.replace('- "v2" # why\n', "")
    assert drop_item(FLOW, "list", 0) == FLOW.replace("'v1', ", "")
    assert drop_item(drop_item(FLOW, "list", 1), "list", 0) == FLOW.replace(", list: ['v1', 'v2']", "")


@rows(
    "text",
    ["name: &a v1\nsize: *a\n", "[a]", "name: b\n", "name: b\nsize: [v1]\n", "? name\n: b\n? size\n: v1\n"],
)
def test_what_cannot_be_changed_alone_is_said(text: str) -> None:
    for change in (
        lambda: put_items(text, "size", ["v2"]) if "[v1]" not in text else put_items(text, "name", ["v2"]),
        lambda: drop_item(text, "name", 0),
        lambda: put_entry(text, "new", "a", below="nobody"),
    ):
        with pytest.raises(SpliceError):
            change()


def test_a_value_that_others_share_is_not_changed() -> None:
    with pytest.raises(SpliceError):
        put_value("name: &a v1\nsize: *a\n", "size", "v2", below="name")
