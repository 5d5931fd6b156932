"""Format a declaration: small schemas on one line, big ones as a block."""

from __future__ import annotations

import re
from textwrap import wrap

from kitgen.text.yaml import Json, JsonObject
from kitgen.text.yaml.writer import NOT_LITERAL, literal, plain, quoted, with_colon

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
RESERVED = re.compile(
    r"(y|yes|n|no|on|off|true|false|null|nan|inf|~)$|[-+.]?[0-9]|[-+.](inf|nan)", re.IGNORECASE
)
# A question mark inside a flow is a key's mark to PyYAML's own parser.
FLOW_PLAIN = re.compile(r"[A-Za-z_/$.][A-Za-z0-9_/$.*^()+;|@=~!<>\\ -]*$")
BLOCK_PLAIN = re.compile(r"[A-Za-z_/$.\\^(][A-Za-z0-9_/$.*^()+;|@=~!<>?\\,\[\]{}\"'#& -]*$")
ESCAPE = re.compile(r"\\(x[0-9a-f]?|u[0-9a-f]{0,3}|U[0-9a-f]{0,7})?$")
UNSAFE = re.compile(r" #| $|  ")


def write(data: JsonObject) -> str:
    """Return the text of a declaration, with the line that names its schema for editors."""
    return HEAD + _mapping(data, 0)[1:] + "\n"


class LineCounter:
    """Tells about how many lines a value takes below its key; a value is looked at once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Json, int]] = {}

    def lines(self, value: Json) -> int:
        """Return the lines of a value that will not change any more."""
        if isinstance(value, str):
            return value.count("\n") + len(value) // WIDTH
        if not isinstance(value, dict | list) or not value:
            return 0
        if id(value) not in self._known:
            items = value.values() if isinstance(value, dict) else value
            small = not _has_blocks(value, names=False) and len(flow(value)) <= WIDTH - 20
            self._known[id(value)] = (value, 0 if small else sum(1 + self.lines(item) for item in items))
        return self._known[id(value)][1]


def ordered(data: JsonObject, *, names: bool) -> list[tuple[str, Json]]:
    """Return entries in reading order; names of fields and versions keep theirs."""
    if names:
        return list(data.items())
    return sorted(data.items(), key=lambda item: (LATE.get(item[0], 0), ORDER.get(item[0], len(ORDER))))


def _mapping(data: JsonObject, indent: int, *, names: bool = False) -> str:
    pad = "\n" + " " * indent
    parts = []
    for key, value in ordered(data, names=names):
        shown = with_colon(scalar(key, flow=False), pad)
        named = key in ("properties", "versions", "types", "$set", "$add") and not names
        parts.append(f"{pad}{shown}{_value(value, indent, indent + len(shown), names=named)}")
    return "".join(parts)


def _value(value: Json, indent: int, used: int, *, names: bool = False) -> str:
    """Write what follows a key: on the same line if it is small and fits, else below."""
    if not isinstance(value, str | dict | list):
        return " " + plain(value)
    if not isinstance(value, str) and (not _has_blocks(value, names=names) or not value):
        text = flow(value)
        if not value or len(text) + used + 1 <= WIDTH:
            return " " + text
    if isinstance(value, dict):
        return _mapping(value, indent + 2, names=names)
    if isinstance(value, list):
        return _sequence(value, indent)
    text = text_of(value, indent, used)
    return f"\n{' ' * (indent + 2)}{text}" if text.startswith('"') and "\n" in text else f" {text}"


def _sequence(value: list[Json], indent: int) -> str:
    return "".join(f"\n{' ' * indent}- {_item(item, indent)}" for item in value)


def _item(item: Json, indent: int) -> str:
    if isinstance(item, str):
        return text_of(item, indent, indent + 2)
    small = flow(item)
    if not item or indent + 2 + len(small) <= WIDTH or not isinstance(item, dict | list):
        return small
    block = _mapping(item, indent + 2) if isinstance(item, dict) else _sequence(item, indent + 2)
    return block.lstrip("\n ")


def _has_blocks(value: Json, *, names: bool, depth: int = 0) -> bool:
    """Return whether a value is better shown as a block: fields, exceptions, or much nesting."""
    if isinstance(value, dict):
        return (
            (names and bool(value))
            or depth > 3
            or any(isinstance(item, str) and "\n" in item for item in value.values())
            or any(
                (key in BLOCKED and bool(item)) or _has_blocks(item, names=False, depth=depth + 1)
                for key, item in value.items()
            )
        )
    if isinstance(value, list):
        return any(_has_blocks(item, names=False, depth=depth + 1) for item in value) or (
            depth == 0 and len(value) > 1 and isinstance(value[0], dict)
        )
    return False


def flow(value: Json) -> str:
    """Write a value on one line."""
    if isinstance(value, dict):
        inner = ", ".join(
            f"{with_colon(scalar(key, flow=True), ' ')} {flow(item)}"
            for key, item in ordered(value, names=False)
        )
        return "{" + inner + "}"
    if isinstance(value, list):
        return "[" + ", ".join(flow(item) for item in value) + "]"
    return scalar(value, flow=True) if isinstance(value, str) else plain(value)


def scalar(text: str, *, flow: bool) -> str:
    """Write a string so that every reader takes it for that string."""
    unquoted = FLOW_PLAIN if flow else BLOCK_PLAIN
    if unquoted.fullmatch(text) and not RESERVED.match(text) and not UNSAFE.search(text):
        return text
    if text.isprintable() and text.isascii() and "'" not in text and ("\\" in text or '"' in text):
        return f"'{text}'"
    return quoted(text)


def text_of(text: str, indent: int, used: int) -> str:
    """Write a string below or after a key, in several lines when one is too short for it."""
    if "\n" not in text:
        short = scalar(text, flow=False)
        if len(short) + used + 1 <= WIDTH or len(short) <= NARROW:
            return short
    pad = " " * (indent + 2)
    room = max(WIDTH - len(pad), NARROW)
    if (block := _block(text, pad, room)) is not None:
        return block
    return _broken(text, pad, room)


def _block(text: str, pad: str, room: int) -> str | None:
    """Write a text as a literal or folded block, if that gives back exactly the same."""
    body = text.removesuffix("\n")
    if NOT_LITERAL.search(text) or not text.strip():
        return None
    if "\n" in body or (text != body and ("  " in body or len(body) <= room)):
        return literal(text, len(pad))
    if "\t" in text or "  " in body or body != body.strip():
        return None
    lines = wrap(body, room, break_long_words=False, break_on_hyphens=False)
    chomp, fits = "-" if text == body else "", all(len(line) <= room for line in lines)
    return f">{chomp}\n" + "\n".join(pad + line for line in lines) if fits else None


def _broken(text: str, pad: str, room: int) -> str:
    """Write a text in double quotes, cut where a line ends."""
    rest = quoted(text)[1:-1]
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
