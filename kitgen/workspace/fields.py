"""Fields as people name them (JSON pointer, dotted path or its end), and short values without secrets."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

from kitgen.findings import Path, Step, format_pointer, parse_pointer, parse_step, suggest_word
from kitgen.findings.errors import UsageError
from kitgen.kube.manifest import existing_value
from kitgen.text.credentials import HIDDEN
from kitgen.text.patterns import compile_late
from kitgen.text.secrets import parse_document, redact_value
from kitgen.text.values import entries_at
from kitgen.text.wording import format_count, join_words
from kitgen.text.yaml import Json, JsonObject

PIECE = compile_late(
    r"""\.?(?:(?P<mark>["'])(?P<quoted>(?:(?!(?P=mark)).)*)(?P=mark)"""
    r"""|\[(?P<sign>["'])(?P<inner>(?:(?!(?P=sign)).)*)(?P=sign)\]"""
    r"""|\[(?P<key>[^\]=]+)=(?P<value>[^\]]*)\]|\[(?P<index>\d+)\]"""
    r"""|(?P<plain>(?!["'])(?:\\.|[^.\[\\])+))""",
    re.DOTALL,
)
MAX_SHOWN = 5
LONGEST_KEY = 12
"""How many pieces between dots a key may have without quotes."""


class FieldStep(NamedTuple):
    """A step as it is written."""

    text: str
    """A key, or the index of an item."""
    value: str | None = None
    """Stands for the item of a list that has this value at the key."""
    quoted: bool = False
    """Whether it is a key for sure, and no part of another one."""


def parse_field(field: str) -> tuple[FieldStep, ...]:
    """Read a field: `/spec/replicas`, `metadata.labels."a.b/c"`, `containers[0]`, `containers[name=x]`."""
    if field.startswith("/"):
        return tuple(FieldStep(str(step)) for step in parse_pointer(field))
    steps = []
    at = 0
    while at < len(field):
        if (match := PIECE.match(field, at)) is None or match.end() == at:
            raise UsageError(
                f"cannot read the field {field!r} from {field[at:]!r} on",
                hint='such as spec.containers[0].image or metadata.labels."a.b/c"',
            )
        at = match.end()
        steps.append(_build_step(match))
    return tuple(steps)


def _build_step(match: re.Match[str]) -> FieldStep:
    if match["key"] is not None:
        return FieldStep(match["key"], value=match["value"].strip("\"'"))
    if match["mark"] or match["sign"]:
        return FieldStep(match["quoted"] if match["mark"] else match["inner"], quoted=True)
    return FieldStep(match["index"] or re.sub(r"\\(.)", r"\1", match["plain"]))


def find_field(body: JsonObject, field: str, what: str) -> Path:
    """Return the one place that a field names, from the top or as the end of a path."""
    steps = parse_field(field)
    whole = _resolve_steps(body, steps)
    anywhere = () if field.startswith("/") or whole is not None else _find_paths(body, steps)
    found = [whole] if whole is not None else list(anywhere)
    if len(found) == 1:
        return found[0]
    if found:
        shown = join_words([format_pointer(path) for path in found], most=MAX_SHOWN)
        raise UsageError(f"{what} has more than one field {field!r}", hint=f"write more of it: {shown}")
    keys = dict.fromkeys(
        key for _, value in _walk_containers(body) if isinstance(value, dict) for key in value
    )
    unknown = next((each.text for each in steps if each.text not in keys and not each.text.isdecimal()), "")
    raise UsageError(f"{what} has no field {field!r}", hint=suggest_word(unknown, list(keys)))


def _find_paths(body: JsonObject, steps: tuple[FieldStep, ...]) -> Iterator[Path]:
    """Yield where steps lead from anywhere in a body."""
    for path, value in _walk_containers(body):
        below = _resolve_steps(value, steps) if isinstance(value, dict) else None
        if below is not None:
            yield (*path, *below)


def _walk_containers(body: JsonObject) -> Iterator[tuple[Path, Json]]:
    """Yield every map and list of a body, and of the documents that its texts hold."""
    todo: list[tuple[Path, Json]] = [((), body)]
    while todo:
        path, value = todo.pop()
        yield path, value
        inside: list[tuple[Step, Json]] = list(value.items() if isinstance(value, dict) else enumerate(value))
        opened = [
            (step, parse_document(item) if _is_document(item) else item) for step, item in reversed(inside)
        ]
        todo += [((*path, step), item) for step, item in opened if isinstance(item, dict | list)]


def _is_document(value: Json) -> bool:
    """Return whether a text looks like a document, and not like a word with a colon in it."""
    return isinstance(value, str) and ("\n" in value or value.startswith(("{", "[")))


def _resolve_steps(value: Json, steps: tuple[FieldStep, ...]) -> Path | None:
    """Return where steps lead from here; None when they lead nowhere."""
    if not steps:
        return ()
    value = parse_document(value)
    for size in range(1, min(len(steps), LONGEST_KEY) + 1):
        step = _find_step(value, steps[:size])
        rest = None if step is None else _resolve_steps(value[step], steps[size:])
        if step is not None and rest is not None:
            return (step, *rest)
    return None


def _find_step(value: Json, steps: tuple[FieldStep, ...]) -> Step | None:
    """Return the key or index that some steps are together: a key may hold dots."""
    first = steps[0]
    if isinstance(value, dict):
        key = ".".join(step.text for step in steps)
        together = len(steps) == 1 or not any(step.quoted for step in steps)
        return key if together and key in value and all(step.value is None for step in steps) else None
    if not isinstance(value, list) or len(steps) > 1 or first.quoted:
        return None
    if first.value is not None:
        named = [(at, each) for at, each in entries_at(value) if first.text in each]
        same = [at for at, each in named if str(each[first.text]) == first.value]
        return same[0] if len(same) == 1 else None
    index = parse_step(first.text)
    return index if isinstance(index, int) and index < len(value) else None


LONGEST = 160


def get_redacted_value(body: JsonObject, path: Path) -> Json:
    """Return the value at a path with what may be a secret left out."""
    value: Json = redact_value(body)
    for step in path:
        if value == HIDDEN:
            return HIDDEN
        inner = parse_document(value)
        value = existing_value(redact_value(inner) if inner is not value else inner, (step,))
    return value


def format_value(value: Json) -> str:
    """Write a value in one short line."""
    if isinstance(value, str) and "\n" in value:
        return f"a text of {format_count(len(value.splitlines()), 'line')}"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
