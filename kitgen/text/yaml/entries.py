"""Split a YAML text into its entries, each with its lines and the comments above it."""

from __future__ import annotations

from typing import Any

from kitgen.text.yaml.data import Json
from kitgen.text.yaml.reader import read_yaml


class YamlEntry:
    """A key of a map or an item of a list, as it is written; both are in block style."""

    __slots__ = ("_last", "_node", "_text", "column", "data", "first", "lead")

    def __init__(self, text: Text, node: Any, data: Json, start: tuple[int, int], above: int) -> None:
        self._text, self._node, self.data = text, node, data
        self.first, self.column = start
        self.lead = text.lines[above + 1 : self.first]
        """The lines between it and what stands above."""
        self._last = _find_last_line(node)

    @property
    def has_comment(self) -> bool:
        """Return whether a comment stands above."""
        return any(line.strip() for line in self.lead)

    def indent_lines(self, indent: int) -> list[str]:
        """Return its lines, moved to another column."""
        return shift_lines(self._text.lines[self.first : self._last + 1], self.column, indent)

    def indent_first_line(self, indent: int) -> list[str]:
        """Return its first line, which has the key, if what it holds starts below that."""
        return shift_lines(self._text.lines[self.first : self.first + 1], self.column, indent)

    @property
    def inner_indent(self) -> int | None:
        """Return how much further right its parts stand; None if they are not on lines of their own."""
        node = self._node
        if node.start_mark.line == self.first or getattr(node, "flow_style", True):
            return None
        return int(node.start_mark.column) - self.column

    @property
    def entries_by_key(self) -> dict[str, YamlEntry]:
        """Return the entries of a map."""
        return (
            {}
            if self.inner_indent is None
            else self._text.build_map_entries(self._node, self.data, self.first)
        )

    @property
    def items(self) -> list[YamlEntry]:
        """Return the entries of a list."""
        return (
            []
            if self.inner_indent is None
            else self._text.build_list_entries(self._node, self.data, self.first)
        )

    @property
    def item_entries_by_key(self) -> dict[str, YamlEntry]:
        """Return the entries of a map that is an item of a list; the first stands behind the dash."""
        if getattr(self._node, "flow_style", True):
            return {}
        return self._text.build_map_entries(self._node, self.data, self.first - 1)


class Text:
    """A text that holds one map."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self._root = compose_nodes(text)
        self._data = read_yaml(text)

    @property
    def entries(self) -> dict[str, YamlEntry]:
        """Return the entries of the map."""
        return {} if self._root.flow_style else self.build_map_entries(self._root, self._data, -1)

    @property
    def tail_lines(self) -> list[str]:
        """Return what stands below the last entry."""
        return self.lines[_find_last_line(self._root) + 1 :]

    def build_map_entries(self, node: Any, data: Json, above: int) -> dict[str, YamlEntry]:
        """Return the entries of a map in block style."""
        found = {}
        for name, value in node.value if isinstance(data, dict) else ():
            mark = name.start_mark
            found[name.value] = YamlEntry(self, value, data.get(name.value), (mark.line, mark.column), above)
            above = _find_last_line(value)
        return found

    def build_list_entries(self, node: Any, data: Json, above: int) -> list[YamlEntry]:
        """Return the entries of a list in block style."""
        found = []
        for value, part in zip(node.value if isinstance(data, list) else (), data, strict=False):
            found.append(YamlEntry(self, value, part, (value.start_mark.line, node.start_mark.column), above))
            above = _find_last_line(value)
        return found


def compose_nodes(text: str) -> Any:
    """Return the tree of nodes of a text, each with its marks."""
    import yaml

    # As the reader has it: Python's own loader takes less, no {a: b?"}.
    return yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def find_last_leaf(node: Any) -> Any:
    """Return the part that a node ends with; the marks of blocks lead to what comes next."""
    while not getattr(node, "flow_style", True) and node.value:
        last = node.value[-1]
        node = last[1] if isinstance(last, tuple) else last
    return node


def _find_last_line(node: Any) -> int:
    """Return the last line that a node has a part in."""
    node = find_last_leaf(node)
    end = node.end_mark
    return int(end.line) - (1 if end.line > node.start_mark.line and end.column == 0 else 0)


def shift_lines(lines: list[str], column: int, indent: int) -> list[str]:
    """Return lines that start at a column, at another one."""
    return [f"{' ' * indent}{_drop_indent(line, column)}" if line.strip() else "" for line in lines]


def _drop_indent(line: str, column: int) -> str:
    return line.lstrip() if line[:column].strip() not in ("", "-") else line[column:]
