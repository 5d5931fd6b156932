"""Edit top-level values and list items of a YAML file that people own, and no other byte of it.

The file may have any layout: blocks or flows, quotes, comments, CRLF. The result is parsed again, and is
returned only if it means exactly what was intended.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import yaml

from kitgen.findings.errors import KitgenError
from kitgen.text.yaml.data import Json, JsonObject
from kitgen.text.yaml.entries import compose_nodes, find_last_leaf
from kitgen.text.yaml.reader import read_yaml
from kitgen.text.yaml.rules import YamlError
from kitgen.text.yaml.writer import dump_yaml

QUOTES = ('"', "'")


class SpliceError(ValueError):
    """Says that a text is laid out so that a part of it cannot be changed alone."""


def set_value(text: str, key: str, value: str | int, *, below: str = "") -> str:
    """Return a text with a plain value at a key; a new key goes below another."""
    if read_yaml(text).get(key) == value:
        return text
    try:
        return put_value(text, key, value, below=below)
    except SpliceError:

        def put(data: Any) -> None:
            data[key] = to_quoted_string(value) if isinstance(value, str) else value

        return edit_yaml(text, put, f"put {key!r} into a text")


def edit_yaml(text: str, edit: Callable[[Any], None], what: str) -> str:
    """Return a text of any layout with an edit of its data; comments stay, and so do quotes."""
    from io import StringIO

    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 4096
    try:
        data = yaml.load(text)
    except YAMLError as error:
        raise KitgenError(
            f"cannot {what} of so unusual a layout: {str(error).splitlines()[0]}",
            hint="write it in a plainer way",
        ) from error
    edit(data)
    out = StringIO()
    yaml.dump(data, out)
    return out.getvalue()


def to_quoted_string(text: str) -> Any:
    """Return a text that an edit of data puts into double quotes."""
    from ruamel.yaml.scalarstring import DoubleQuotedScalarString

    return DoubleQuotedScalarString(text)


def put_value(text: str, key: str, value: str | int, *, below: str) -> str:
    """Return a text with a plain value at a key, in the quotes that it had; a new key goes below another."""
    if (found := _find_pair(_compose_root(text), key)) is None:
        return put_entry(text, key, value, below=below)
    start, end = found[1].start_mark.index, found[1].end_mark.index
    old = text[start:end]
    changed = text[:start] + _format_like(found[1], value) + old[len(old.rstrip()) :] + text[end:]
    return _validate_edit(changed, {**read_yaml(text), key: value}, key)


def put_entry(text: str, key: str, value: Json, *, below: str) -> str:
    """Return a text with one more key, behind another one that holds no more than a word."""
    root = _compose_root(text)
    if (place := _find_pair(root, below)) is None:
        raise SpliceError(below)
    name, node = place
    if root.flow_style:
        changed = _insert_text(text, node.end_mark.index, f", {key}: {_format_flow(value)}")
    else:
        changed = _insert_below(text, node, dump_yaml({key: value}).splitlines(), name.start_mark.column)
    return _validate_edit(changed, {**read_yaml(text), key: value}, key)


def put_items(text: str, key: str, items: Sequence[Json], *, at: int | None = None) -> str:
    """Return a text with more items in a list that is not empty, before the one at an index or behind all."""
    node, data = _find_list(text, key), read_yaml(text)
    if not node.value:
        raise SpliceError(key)
    at = len(node.value) if at is None else at
    beside = node.value[max(at - 1, 0)]
    if node.flow_style:
        written = ", ".join(_format_like(beside, each) for each in items)
        place, more = (beside.end_mark, f", {written}") if at else (beside.start_mark, f"{written}, ")
        changed = _insert_text(text, place.index, more)
    else:
        lines, column = (
            [line for each in items for line in _format_item(beside, each)],
            node.start_mark.column,
        )
        if at:
            changed = _insert_below(text, beside, lines, column)
        else:
            changed = _insert_text(
                text, text.rfind("\n", 0, node.start_mark.index) + 1, _indent_lines(text, lines, column)
            )
    return _validate_edit(changed, {**data, key: [*data[key][:at], *items, *data[key][at:]]}, key)


def drop_item(text: str, key: str, at: int) -> str:
    """Return a text without one item of a list; with the last one the key goes too."""
    root, node, data = _compose_root(text), _find_list(text, key), read_yaml(text)
    left = [each for index, each in enumerate(data[key]) if index != at]
    spans = [(each.start_mark.index, _find_end(text, each)) for each in node.value]
    flow, index = node.flow_style, at
    if not left:
        spans = [(one.start_mark.index, _find_end(text, other)) for one, other in root.value]
        flow, index = root.flow_style, [one.value for one, _ in root.value].index(key)
    changed = _remove_span(text, spans, index) if flow else _remove_lines(text, *spans[index])
    want = {**data, key: left} if left else {each: value for each, value in data.items() if each != key}
    return _validate_edit(changed, want, key)


def _compose_root(text: str) -> yaml.MappingNode:
    try:
        root = compose_nodes(text)
    except yaml.YAMLError as error:
        raise SpliceError("") from error
    if not isinstance(root, yaml.MappingNode):
        raise SpliceError("")
    return root


def _find_pair(root: yaml.MappingNode, key: str) -> tuple[Any, Any] | None:
    return next(((name, node) for name, node in root.value if name.value == key), None)


def _find_list(text: str, key: str) -> yaml.SequenceNode:
    if (place := _find_pair(_compose_root(text), key)) is None or not isinstance(place[1], yaml.SequenceNode):
        raise SpliceError(key)
    return place[1]


def _validate_edit(text: str, want: JsonObject, key: str) -> str:
    """Return a text that says what it is to say."""
    try:
        if read_yaml(text) == want:
            return text
    except YamlError:
        pass
    raise SpliceError(key)


def _format_like(beside: Any, value: Json) -> str:
    """Return a value in one line, a word in the quotes of the one beside it."""
    quoted = isinstance(value, str) and isinstance(beside, yaml.ScalarNode) and beside.style in QUOTES
    return f"{beside.style}{value}{beside.style}" if quoted else _format_flow(value)


def _format_item(beside: Any, value: Json) -> list[str]:
    """Return the lines of an item of a block."""
    if isinstance(value, str) and isinstance(beside, yaml.ScalarNode):
        return [f"- {_format_like(beside, value)}"]
    return dump_yaml([value]).splitlines()


def _format_flow(value: Json) -> str:
    """Write a value in one line."""
    match value:
        case dict():
            return f"{{{', '.join(f'{key}: {_format_flow(each)}' for key, each in value.items())}}}"
        case list():
            return f"[{', '.join(map(_format_flow, value))}]"
        case str() if _is_plain(value):
            return value
        case _:
            return json.dumps(value, ensure_ascii=False)


def _is_plain(value: str) -> bool:
    """Return whether a word needs no quotes in a flow, whoever reads it."""
    text, want = f"{{a: [{value}, b]}}", {"a": [value, "b"]}
    try:
        return bool(read_yaml(text) == want) and bool(yaml.safe_load(text) == want)
    except (YamlError, yaml.YAMLError):
        return False


def _find_end(text: str, node: Any) -> int:
    """Return where a node ends; that of a block would come after the comments behind it."""
    return len(text[: find_last_leaf(node).end_mark.index].rstrip())


def _insert_text(text: str, at: int, more: str) -> str:
    return text[:at] + more + text[at:]


def _indent_lines(text: str, lines: Sequence[str], column: int) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    return "".join(f"{' ' * column}{line}{newline}" for line in lines)


def _insert_below(text: str, node: Any, lines: Sequence[str], column: int) -> str:
    """Put lines behind that in which a node ends."""
    if (line := text.find("\n", _find_end(text, node))) < 0:
        return text + _indent_lines(text, ["", *lines], column).lstrip(" ")
    return _insert_text(text, line + 1, _indent_lines(text, lines, column))


def _remove_lines(text: str, start: int, end: int) -> str:
    line = text.find("\n", end)
    return text[: text.rfind("\n", 0, start) + 1] + (text[line + 1 :] if line >= 0 else "")


def _remove_span(text: str, spans: Sequence[tuple[int, int]], at: int) -> str:
    """Cut a part of a flow, with the comma before it, or else with the one behind."""
    if at:
        return text[: spans[at - 1][1]] + text[spans[at][1] :]
    return text[: spans[0][0]] + text[spans[1][0] if len(spans) > 1 else spans[0][1] :]
