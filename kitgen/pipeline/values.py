"""Values as `kitgen why` shows them: short, and never a secret."""

from __future__ import annotations

import json
import re

from kitgen.findings import Path
from kitgen.objects import value_at
from kitgen.pipeline.fields import document
from kitgen.schema.wording import hides, is_secret, is_secretive
from kitgen.yamlio import Json, JsonObject, dump

HIDDEN = "(hidden)"
LONGEST = 160
LABELLED = {"name", "path", "operator", "values", "effect"}
"""One of these stands beside a `key` that is the name of something."""
ASSIGNMENT = re.compile(r"(\s*(?:- )?[\"']?(-{0,2}[A-Za-z][\w.-]*)[\"']?\s*[=:]\s*)(?!true$|false$)(\S.*)")
FLAG = re.compile(r"--?([A-Za-z][\w.-]*)")
LOGIN = re.compile(r"(?<=://)[^/\s@]*:[^/\s@]*(?=@)")
PRIVATE_KEY = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY")


def told(body: JsonObject, path: Path) -> Json:
    """Return the value at a path with what may be a secret left out."""
    value: Json = redacted(body)
    for step in path:
        if value == HIDDEN:
            return HIDDEN
        inner = document(value)
        value = value_at(redacted(inner) if inner is not value else inner, (step,))
    return value


def redacted(value: Json) -> Json:
    """Return a copy of a value without texts that names, or the kind of an object, say are secret."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list):
        before = [None, *value]
        return [HIDDEN if _asks(last) else redacted(item) for last, item in zip(before, value, strict=False)]
    if isinstance(value, dict):
        return {key: _field(value, key) for key in value}
    return value


def _field(above: JsonObject, key: str) -> Json:
    value = above[key]
    if above.get("kind") == "Secret" and key in ("data", "stringData"):
        return dict.fromkeys(value, HIDDEN) if isinstance(value, dict) else HIDDEN
    if isinstance(value, bool | dict) or value is None or not hides(above, key) or _only_names(above, key):
        return redacted(value)
    if isinstance(value, list):
        return [redacted(item) if isinstance(item, dict | list) else HIDDEN for item in value]
    return HIDDEN


def _only_names(above: JsonObject, key: str) -> bool:
    """Tell whether a field that sounds secret only says where one is, or how Kubernetes treats something."""
    if key == "value":
        return False
    labels = key == "key" and bool(LABELLED & above.keys())
    return (
        labels
        or not is_secret(key)
        or key.startswith("x-kubernetes-")
        or key.endswith(("LabelKeys", "ogyKey"))
    )


def _asks(argument: Json) -> bool:
    """Tell whether an argument is a flag whose value comes next, and is secret."""
    match = FLAG.fullmatch(argument) if isinstance(argument, str) else None
    return match is not None and is_secret(match[1])


def _text(text: str) -> str:
    """Return a text without the secrets that it assigns to names, or that a document in it holds."""
    text = LOGIN.sub(HIDDEN, text)
    if not is_secretive((text,)):
        return text
    if PRIVATE_KEY.search(text):
        return HIDDEN
    inner = document(text) if "\n" in text or text.startswith(("{", "[")) else text
    if inner is text:
        return "\n".join(map(_line, text.split("\n")))
    safe = redacted(inner)
    if safe == inner:
        return text
    return dump(safe) if "\n" in text else json.dumps(safe, ensure_ascii=False)


def _line(line: str) -> str:
    match = ASSIGNMENT.fullmatch(line)
    return f"{match[1]}{HIDDEN}" if match and is_secret(match[2]) else line


def compact(value: Json) -> str:
    """Write a value in one short line."""
    if isinstance(value, str) and "\n" in value:
        return f"a text of {len(value.splitlines())} lines"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
