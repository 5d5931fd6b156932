"""Paths inside a schema, as people write them.

`spec.containers[].ports` is a field, `[]` the items of a list, `{}` the values of a map, and
`#required` a keyword of the schema before it. A name with other characters is quoted: `spec."a.b"`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

from kitgen.text.patterns import compile_late
from kitgen.text.values import map_at
from kitgen.text.yaml import Json, JsonObject

Steps = tuple[str, ...]

PLAIN = r'[^.\[\]{}"#\s]+'
STEP = compile_late(
    rf'\[\]|\{{\}}|#(?P<keyword>.+)|(?P<dot>\.?)(?P<name>{PLAIN}|"(?:[^"\\]|\\.)*")', re.DOTALL
)
JUNCTORS = ("allOf", "anyOf", "oneOf")
SIGNS = {"items": "[]", "additionalProperties": "{}"}


class PathError(ValueError):
    """The text is no path."""


def parse_path(text: str) -> Steps:
    """Return the steps through the schema, such as properties, spec, items; empty means the whole."""
    steps: list[str] = []
    at = 0
    while at < len(text):
        if not (match := STEP.match(text, at)) or (match["name"] and bool(match["dot"]) != bool(at)):
            raise PathError(text)
        if match["name"]:
            steps += ["properties", _unquote(match["name"])]
        else:
            steps.append(match["keyword"] or ("items" if match[0] == "[]" else "additionalProperties"))
        at = match.end()
    return tuple(steps)


def _unquote(name: str) -> str:
    if not name.startswith('"'):
        return name
    try:
        return str(json.loads(name))
    except ValueError:
        raise PathError(name) from None


def format_path(steps: Steps) -> str:
    """Write steps as a path; the other way round of `parse_path`."""
    text = ""
    for keyword, name in _split_steps(steps):
        if keyword == "properties":
            shown = (
                name if name.isalnum() or re.fullmatch(PLAIN, name) else json.dumps(name, ensure_ascii=False)
            )
            text += ("." if text else "") + shown
        else:
            text += SIGNS.get(keyword, f"#{name}")
    return text


def is_schema(steps: Steps) -> bool:
    """Return whether the steps end at a schema, and not at a keyword of one."""
    return all(keyword for keyword, _ in _split_steps(steps))


def field_of(steps: Steps) -> str:
    """Return the name of the last field that steps lead to or through."""
    return next((name for keyword, name in reversed([*_split_steps(steps)]) if keyword == "properties"), "")


def _split_steps(steps: Steps) -> Iterator[tuple[str, str]]:
    """Yield the keyword and the name of each schema on the way; a keyword of the last one has none."""
    rest = iter(steps)
    for step in rest:
        if step in SIGNS:
            yield step, ""
        elif step == "properties" and (name := next(rest, None)) is not None:
            yield step, name
        else:
            yield "", step


def list_child_schemas(schema: JsonObject) -> Iterator[tuple[Steps, JsonObject]]:
    """Yield the schemas right below one, with the steps to them."""
    for name, below in map_at(schema, "properties").items():
        if isinstance(below, dict):
            yield ("properties", name), below
    for keyword in SIGNS:
        if isinstance(below := schema.get(keyword), dict):
            yield (keyword,), below


def walk_schemas(schema: JsonObject, steps: Steps = ()) -> Iterator[tuple[Steps, JsonObject]]:
    """Yield a schema and all below it, each with the steps to it."""
    yield steps, schema
    for more, below in list_child_schemas(schema):
        yield from walk_schemas(below, (*steps, *more))


def map_child_schemas(schema: JsonObject, change: Callable[[Steps, JsonObject], Json]) -> JsonObject:
    """Return a schema with those right below it changed; `change` gets the steps to one, and it."""
    out = dict(schema)
    if isinstance(schema.get("properties"), dict):
        out["properties"] = dict(schema["properties"])
    for steps, below in list_child_schemas(schema):
        (out["properties"] if len(steps) > 1 else out)[steps[-1]] = change(steps, below)
    return out
