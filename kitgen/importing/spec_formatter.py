"""Format a spec: small values on one line, big ones as a block."""

from __future__ import annotations

from kitgen.crd.format import render_scalar, render_string
from kitgen.importing.older_spec import Expression
from kitgen.text.patterns import compile_late
from kitgen.text.yaml import Json, JsonObject
from kitgen.text.yaml.writer import dump_key, dump_plain_value

WIDTH = 100
SPACED = 3
"""From so many lines on, a section stands apart from the others."""
LITERAL = "$literal"
OPENING = compile_late(r"\{(?=[{%#])")
"""What begins something of a template."""
FREE = ("config", "objects", "merge", "value")
"""What may be of any form."""
PLAIN = compile_late(
    r"[1-9][0-9]*(ms|[smhd]|[KMGTP]i?)"
    r"|[a-z][a-z0-9.-]*(/[A-Za-z0-9._-]+)+(:[A-Za-z0-9._-]+)?(@sha256:[0-9a-f]{64})?"
)
"""Amounts, durations and images."""
BLOCKS = frozenset(
    {
        *("images", "permissions", "containers", "roles", "services", "features", "bindings", "keys"),
        *("serviceAccounts", "fields", "values", "components", "versions", "properties", "objects", "$add"),
        *("spec", "groups", "patches", "deployment", "webhooks", "runtimeImages"),
    }
)
"""Keys whose mappings people read line by line."""


def render_spec(data: JsonObject, schema: str) -> str:
    """Return the text of a spec, with the line that names its schema for editors."""
    parts: list[str] = []
    apart = False
    for key, value in escape_spec(data).items():
        text = _format_entry(key, value, 0)
        tall = text.count("\n") >= SPACED
        parts.append(("\n" if parts and (tall or apart) else "") + text)
        apart = tall
    return f"# yaml-language-server: $schema={schema}\n" + "".join(parts)


def escape_spec(data: JsonObject) -> JsonObject:
    """Return a spec, or what a target sets, in which braces of a tree are no expressions."""
    return {key: _escape_section(key, value) for key, value in data.items()}


def _escape_section(key: str, value: Json) -> Json:
    """Return a section in which braces of a tree are no expressions; where only texts may stand, by one."""
    if key == "features" and isinstance(value, dict):
        return {name: escape_spec(part) if isinstance(part, dict) else part for name, part in value.items()}
    if key == "crds":  # schemas, in which nothing is computed
        return value
    if key in ("patches", "ops") and isinstance(value, list):
        return [escape_spec(each) for each in value]
    return wrap_literals(value) if key in FREE else _escape_braces(value)


def _escape_braces(value: Json) -> Json:
    """Return a value whose texts with braces are expressions that give just that text."""
    if isinstance(value, dict):
        return {key: _escape_braces(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_escape_braces(each) for each in value]
    if not _has_braces(value):
        return value
    return Expression(OPENING.sub('{{ "{" }}', value))


def wrap_literals(value: Json) -> Json:
    """Return a value in which braces of a tree are no expressions."""
    if isinstance(value, str):
        return {LITERAL: value} if _has_braces(value) else value
    items = list(value.values() if isinstance(value, dict) else value if isinstance(value, list) else ())
    texts = all(isinstance(each, str) and not isinstance(each, Expression) for each in items)
    if texts and any(map(_has_braces, items)):
        return {LITERAL: value}
    if isinstance(value, dict):
        return {key: wrap_literals(each) for key, each in value.items()}
    return [wrap_literals(each) for each in value] if isinstance(value, list) else value


def _has_braces(value: Json) -> bool:
    return isinstance(value, str) and "{{" in value and not isinstance(value, Expression)


def _format_scalar(text: str, *, flow: bool) -> str:
    """Write a text without quotes where every reader takes it for that text."""
    if PLAIN.fullmatch(text):
        return text
    if text.startswith("--") and render_scalar(text[2:], flow=True) == text[2:] and " " not in text:
        return text
    return render_scalar(text, flow=flow)


def _format_text(text: str, indent: int, used: int) -> str:
    short = _format_scalar(text, flow=False)
    fits = " " not in text or isinstance(text, Expression) or len(short) + used < WIDTH
    return short if "\n" not in text and fits else render_string(text, indent, used)


def _format_entry(key: str, value: Json, indent: int) -> str:
    """Write a key and its value, with the line break at the end."""
    pad = " " * indent
    start = pad + dump_key(render_scalar(key, flow=False), f"\n{pad}")
    return start + _format_value(value, indent, len(start), block=key in BLOCKS)


def _format_value(value: Json, indent: int, used: int, *, block: bool = False) -> str:
    if isinstance(value, str):
        return f" {_format_text(value, indent, used)}\n"
    if not isinstance(value, dict | list):
        return f" {dump_plain_value(value)}\n"
    short = _format_flow(value)
    fits = used + 1 + len(short) <= WIDTH
    if not value or (fits and not (block and isinstance(value, dict)) and _is_small(value)):
        return f" {short}\n"
    if isinstance(value, dict):
        return "\n" + "".join(_format_entry(key, each, indent + 2) for key, each in value.items())
    return "\n" + "".join(_format_item(each, indent) for each in value)


def _format_item(value: Json, indent: int) -> str:
    start = f"{' ' * indent}- "
    if isinstance(value, str):
        return f"{start}{_format_text(value, indent, indent + 2)}\n"
    if not isinstance(value, dict | list) or not value:
        return f"{start}{_format_flow(value)}\n"
    short = _format_flow(value)
    if indent + 2 + len(short) <= WIDTH and _is_small(value):
        return f"{start}{short}\n"
    if isinstance(value, dict):
        inner = "".join(_format_entry(key, each, indent + 2) for key, each in value.items())
    else:
        inner = "".join(_format_item(each, indent + 2) for each in value)
    return start + inner[indent + 2 :]


def _is_small(value: Json, depth: int = 0) -> bool:
    """Return whether a value is easy to read on one line."""
    if isinstance(value, str):
        return "\n" not in value
    if isinstance(value, dict):
        return depth < 3 and all(_is_small(each, depth + 1) for each in value.values())
    if isinstance(value, list):
        many = len(value) > 1 and any(isinstance(each, dict | list) for each in value)
        return depth < 3 and not many and all(_is_small(each, depth + 1) for each in value)
    return True


def _format_flow(value: Json) -> str:
    if isinstance(value, dict):
        keys = (dump_key(render_scalar(key, flow=True), " ") for key in value)
        return (
            "{"
            + ", ".join(f"{key} {_format_flow(each)}" for key, each in zip(keys, value.values(), strict=True))
            + "}"
        )
    if isinstance(value, list):
        return "[" + ", ".join(map(_format_flow, value)) + "]"
    return _format_scalar(value, flow=True) if isinstance(value, str) else dump_plain_value(value)
