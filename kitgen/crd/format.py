"""Format a declaration: small schemas on one line, big ones as a block."""

from __future__ import annotations

import re
from textwrap import wrap

from kitgen.text.patterns import compile_late
from kitgen.text.yaml import Json, JsonObject
from kitgen.text.yaml.writer import NOT_LITERAL, dump_key, dump_literal, dump_plain_value, dump_quoted

WIDTH = 110
NARROW = 40
"""How much room a text gets at least, however far it is indented."""
HEAD = "# yaml-language-server: $schema=../../../../schemas/crd.json\n"
ORDER = {
    key: index
    for index, key in enumerate(
        (
            *("group", "names", "scope", "metadata", "conversion", "preserveUnknownFields", "more"),
            *("descriptions", "types", "versions", "served", "storage", "deprecated", "deprecationWarning"),
            *("columns", "selectableFields", "subresources", "envelope", "schema"),
            *("kind", "plural", "singular", "listKind", "shortNames", "categories"),
            *("description", "title", "name", "$type", "$use", "type", "format", "jsonPath", "rule"),
            *("message", "$remove", "$set", "$add", "nullable", "default", "enum", "minimum", "maximum"),
            *("minLength", "maxLength", "pattern", "minItems", "maxItems", "required", "items"),
            "additionalProperties",
        )
    )
}
LATE = {"properties": 2, "x-kubernetes-validations": 1}
BLOCKED = frozenset({"properties", "$set", "$add", "types", "versions", "schema"})
# Words and numbers that a reader may take for something else.
RESERVED = compile_late(
    r"(y|yes|n|no|on|off|true|false|null|nan|inf|~)$|[-+.]?[0-9]|[-+.](inf|nan)", re.IGNORECASE
)
# A question mark inside a flow is a key's mark to PyYAML's own parser.
FLOW_PLAIN = compile_late(r"[A-Za-z_/$.][A-Za-z0-9_/$.*^()+;|@=~!<>\\ -]*$")
BLOCK_PLAIN = compile_late(r"[A-Za-z_/$.\\^(][A-Za-z0-9_/$.*^()+;|@=~!<>?\\,\[\]{}\"'#& -]*$")
ESCAPE = compile_late(r"\\(x[0-9a-f]?|u[0-9a-f]{0,3}|U[0-9a-f]{0,7})?$")
UNSAFE = compile_late(r" #| $|  ")


def render_declaration(data: JsonObject) -> str:
    """Return the text of a declaration, with the line that names its schema for editors."""
    return HEAD + _render_mapping(data, 0)[1:] + "\n"


class LineCounter:
    """Tells about how many lines a value takes below its key; a value is looked at once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Json, int]] = {}

    def count_lines(self, value: Json) -> int:
        """Return the lines of a value that will not change any more."""
        if isinstance(value, str):
            return value.count("\n") + len(value) // WIDTH
        if not isinstance(value, dict | list) or not value:
            return 0
        if id(value) not in self._known:
            items = value.values() if isinstance(value, dict) else value
            small = not _needs_block(value, names=False) and len(render_flow(value)) <= WIDTH - 20
            self._known[id(value)] = (
                value,
                0 if small else sum(1 + self.count_lines(item) for item in items),
            )
        return self._known[id(value)][1]


def sort_entries(data: JsonObject, *, names: bool) -> list[tuple[str, Json]]:
    """Return entries in reading order; names of fields and versions keep theirs."""
    if names:
        return list(data.items())
    return sorted(data.items(), key=lambda item: (LATE.get(item[0], 0), ORDER.get(item[0], len(ORDER))))


def _render_mapping(data: JsonObject, indent: int, *, names: bool = False) -> str:
    pad = "\n" + " " * indent
    parts = []
    for key, value in sort_entries(data, names=names):
        shown = dump_key(render_scalar(key, flow=False), pad)
        named = key in ("properties", "versions", "types", "$set", "$add") and not names
        parts.append(f"{pad}{shown}{_render_value(value, indent, indent + len(shown), names=named)}")
    return "".join(parts)


def _render_value(value: Json, indent: int, used: int, *, names: bool = False) -> str:
    """Write what follows a key: on the same line if it is small and fits, else below."""
    if not isinstance(value, str | dict | list):
        return " " + dump_plain_value(value)
    if not isinstance(value, str) and (not _needs_block(value, names=names) or not value):
        text = render_flow(value)
        if not value or len(text) + used + 1 <= WIDTH:
            return " " + text
    if isinstance(value, dict):
        return _render_mapping(value, indent + 2, names=names)
    if isinstance(value, list):
        return _render_sequence(value, indent)
    text = render_string(value, indent, used)
    return f"\n{' ' * (indent + 2)}{text}" if text.startswith('"') and "\n" in text else f" {text}"


def _render_sequence(value: list[Json], indent: int) -> str:
    return "".join(f"\n{' ' * indent}- {_render_item(item, indent)}" for item in value)


def _render_item(item: Json, indent: int) -> str:
    if isinstance(item, str):
        return render_string(item, indent, indent + 2)
    small = render_flow(item)
    if not item or indent + 2 + len(small) <= WIDTH or not isinstance(item, dict | list):
        return small
    block = (
        _render_mapping(item, indent + 2) if isinstance(item, dict) else _render_sequence(item, indent + 2)
    )
    return block.lstrip("\n ")


def _needs_block(value: Json, *, names: bool, depth: int = 0) -> bool:
    """Return whether a value is better shown as a block: fields, exceptions, or much nesting."""
    if isinstance(value, dict):
        return (
            (names and bool(value))
            or depth > 3
            or any(isinstance(item, str) and "\n" in item for item in value.values())
            or any(
                (key in BLOCKED and bool(item)) or _needs_block(item, names=False, depth=depth + 1)
                for key, item in value.items()
            )
        )
    if isinstance(value, list):
        return any(_needs_block(item, names=False, depth=depth + 1) for item in value) or (
            depth == 0 and len(value) > 1 and isinstance(value[0], dict)
        )
    return False


def render_flow(value: Json) -> str:
    """Write a value on one line."""
    if isinstance(value, dict):
        inner = ", ".join(
            f"{dump_key(render_scalar(key, flow=True), ' ')} {render_flow(item)}"
            for key, item in sort_entries(value, names=False)
        )
        return "{" + inner + "}"
    if isinstance(value, list):
        return "[" + ", ".join(render_flow(item) for item in value) + "]"
    return render_scalar(value, flow=True) if isinstance(value, str) else dump_plain_value(value)


def render_scalar(text: str, *, flow: bool) -> str:
    """Write a string so that every reader takes it for that string."""
    unquoted = FLOW_PLAIN if flow else BLOCK_PLAIN
    if unquoted.fullmatch(text) and not RESERVED.match(text) and not UNSAFE.search(text):
        return text
    if text.isprintable() and text.isascii() and "'" not in text and ("\\" in text or '"' in text):
        return f"'{text}'"
    return dump_quoted(text)


def render_string(text: str, indent: int, used: int) -> str:
    """Write a string below or after a key, in several lines when one is too short for it."""
    if "\n" not in text:
        short = render_scalar(text, flow=False)
        if len(short) + used + 1 <= WIDTH or len(short) <= NARROW:
            return short
    pad = " " * (indent + 2)
    room = max(WIDTH - len(pad), NARROW)
    if (block := _render_block(text, pad, room)) is not None:
        return block
    return _render_quoted(text, pad, room)


def _render_block(text: str, pad: str, room: int) -> str | None:
    """Write a text as a literal or folded block, if that gives back exactly the same."""
    body = text.removesuffix("\n")
    if NOT_LITERAL.search(text) or not text.strip():
        return None
    if "\n" in body or (text != body and ("  " in body or len(body) <= room)):
        return dump_literal(text, len(pad))
    if "\t" in text or "  " in body or body != body.strip():
        return None
    lines = wrap(body, room, break_long_words=False, break_on_hyphens=False)
    chomp, fits = "-" if text == body else "", all(len(line) <= room for line in lines)
    return f">{chomp}\n" + "\n".join(pad + line for line in lines) if fits else None


def _render_quoted(text: str, pad: str, room: int) -> str:
    """Write a text in double quotes, cut where a line ends."""
    rest = dump_quoted(text)[1:-1]
    rows: list[str] = []
    while len(rest) > room - 2:
        cut = room - 2
        # A cut must not split an escape, and a blank at the start of a line would be lost.
        while cut and (rest[cut] in " \t" or ESCAPE.search(rest[max(cut - 10, 0) : cut])):
            cut -= 1
        if not cut:
            break
        rows.append(rest[:cut])
        rest = rest[cut:]
    rows.append(rest)
    return '"' + ("\\\n" + pad).join(rows) + '"'
