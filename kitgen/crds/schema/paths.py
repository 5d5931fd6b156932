"""Paths inside a schema, as people write them.

`spec.containers[].ports` is a field, `[]` the items of a list, `{}` the values of a map, and
`#required` a keyword of the schema before it. A name with other characters is quoted: `spec."a.b"`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from kitgen.yamlio import Json, JsonObject

Steps = tuple[str, ...]

NAME = re.compile(r'[^.\[\]{}"#\s]+|"(?:[^"\\]|\\.)*"')
QUOTED_OR_MARK = re.compile(r'"(?:[^"\\]|\\.)*"|#')
PLAIN_NAME = re.compile(r'[^.\[\]{}"#\s]+$')


class PathError(ValueError):
    """The text is no path."""


def parse(text: str) -> Steps:
    """Return the steps through the schema, such as properties, spec, items; empty means the whole."""
    field, mark, keyword = _split_keyword(text)
    steps: list[str] = []
    at = 0
    while at < len(field):
        if field.startswith("[]", at):
            steps.append("items")
            at += 2
        elif field.startswith("{}", at):
            steps.append("additionalProperties")
            at += 2
        else:
            if field[at] == "." and at:
                at += 1
            elif at:
                raise PathError(text)
            match = NAME.match(field, at)
            if not match:
                raise PathError(text)
            steps += ["properties", _unquote(match[0])]
            at = match.end()
    if mark and not keyword:
        raise PathError(text)
    return (*steps, keyword) if mark else tuple(steps)


def _split_keyword(text: str) -> tuple[str, str, str]:
    """Split at the first # that stands outside quotes."""
    for match in QUOTED_OR_MARK.finditer(text):
        if match[0] == "#":
            return text[: match.start()], "#", text[match.end() :]
    return text, "", ""


def _unquote(name: str) -> str:
    if not name.startswith('"'):
        return name
    try:
        return str(json.loads(name))
    except ValueError:
        raise PathError(name) from None


def write(steps: Steps) -> str:
    """Write steps as a path; the other way round of `parse`."""
    parts: list[str] = []
    index = 0
    while index < len(steps):
        step = steps[index]
        last = index + 1 == len(steps)
        if step == "properties" and not last:
            name = steps[index + 1]
            shown = name if PLAIN_NAME.fullmatch(name) else json.dumps(name, ensure_ascii=False)
            parts.append(("." if parts else "") + shown)
            index += 2
        elif step in ("items", "additionalProperties"):
            parts.append("[]" if step == "items" else "{}")
            index += 1
        else:
            parts.append("#" + step)
            index += 1
    return "".join(parts)


def is_schema(steps: Steps) -> bool:
    """Tell whether the steps end at a schema, and not at a keyword of one."""
    index = 0
    while index < len(steps):
        if steps[index] == "properties" and index + 1 < len(steps):
            index += 2
        elif steps[index] in ("items", "additionalProperties"):
            index += 1
        else:
            return False
    return True


def get(schema: Json, steps: Steps) -> Json:
    """Return what the steps lead to; raise KeyError when it is not there."""
    for step in steps:
        if not isinstance(schema, dict):
            raise KeyError(step)
        schema = schema[step]
    return schema


def children(schema: JsonObject) -> Iterator[tuple[Steps, JsonObject]]:
    """Yield the schemas right below one, with the steps to them."""
    for name, below in (schema.get("properties") or {}).items():
        if isinstance(below, dict):
            yield ("properties", name), below
    for keyword in ("items", "additionalProperties"):
        if isinstance(schema.get(keyword), dict):
            yield (keyword,), schema[keyword]
