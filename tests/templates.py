"""The output forms of kubectl that runbooks use: JSONPath, Go templates and columns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

PART = re.compile(r"\{\{(.*?)\}\}|\{((?:\"(?:\\.|[^\"])*\"|[^{}\"])*)\}", re.DOTALL)


def field(path: str, value: Any) -> Any:
    """Return what stands at a path such as `.metadata.name`."""
    for step in re.split(r"(?<!\\)\.", path.strip(".")) if path.strip(".") else ():
        value = value.get(step.replace("\\.", ".")) if isinstance(value, dict) else None
    return value


def json_path(text: str, value: Any) -> str:
    """Fill a JSONPath template: fields, texts, and one range over a list."""
    head, _, rest = text.partition("{range .items[*]}")
    inner, _, tail = rest.partition("{end}")
    body = "".join(_filled(inner, each) for each in value["items"]) if rest else ""
    return _filled(head, value) + body + _filled(tail, value)


def _filled(text: str, value: Any) -> str:
    import json

    def said(match: re.Match[str]) -> str:
        word = match[2]
        if word.startswith('"'):
            return str(json.loads(word))
        found = field(word, value)
        return "" if found is None else found if isinstance(found, str) else json.dumps(found)

    return PART.sub(said, text)


def columns(said: str, bodies: Iterable[Any], *, headers: bool) -> str:
    """Return a line for each object, with the fields that columns name."""
    pairs = [each.split(":", 1) for each in said.split(",")]
    lines = [[name for name, _ in pairs]] if headers else []
    for body in bodies:
        found = [field(path, body) for _, path in pairs]
        lines.append(["<none>" if each in (None, [], {}) else str(each) for each in found])
    return "".join("   ".join(each) + "\n" for each in lines)


def go_template(text: str, value: Any) -> str:
    """Fill a Go template of ranges, conditions, variables, fields and texts."""
    parts = re.split(r"\{\{(.*?)\}\}", text)
    words = [("", each) if at % 2 == 0 else ("do", each.strip()) for at, each in enumerate(parts)]
    return "".join(_block(iter(words), value, {}))


def _block(words: Iterator[tuple[str, str]], dot: Any, names: dict[str, Any]) -> Iterator[str]:
    for kind, text in words:
        verb, _, rest = text.partition(" ")
        if not kind:
            yield text
        elif verb == "end":
            return
        elif verb in ("range", "if"):
            inner = _inner(words)
            found = _value(rest, dot, names)
            for each in (found or []) if verb == "range" else [dot] if found else []:
                yield from _block(iter(inner), each, dict(names))
        elif ":=" in text:
            names[verb] = _value(text.split(":=")[1].strip(), dot, names)
        else:
            found = _value(text, dot, names)
            yield "<no value>" if found is None else str(found)


def _inner(words: Iterator[tuple[str, str]]) -> list[tuple[str, str]]:
    found, depth = [], 1
    for each in words:
        verb = each[1].split(" ")[0] if each[0] else ""
        depth += (verb in ("range", "if")) - (verb == "end")
        if not depth:
            return found
        found.append(each)
    raise ValueError("a block has no end")


def _value(word: str, dot: Any, names: dict[str, Any]) -> Any:
    import json

    if word.startswith('"'):
        return json.loads(word)
    name, _, path = word.partition(".")
    return field(path, names[name] if name else dot)
