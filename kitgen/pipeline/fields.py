"""Fields as people name them: a JSON pointer, a path with dots, or the end of one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from kitgen.errors import UsageError
from kitgen.findings import Path, Step, near, path_of, pointer, step_of
from kitgen.objects import value_at
from kitgen.schema.wording import choice, counted
from kitgen.yamlio import Dialect, Json, JsonObject, YamlError
from kitgen.yamlio import read as read_yaml

PIECE = re.compile(
    r"""\.?(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'"""
    r"""|\[(?:"(?P<inner>[^"]*)"|'(?P<quoted>[^']*)'|(?P<key>[^\]=]+)=(?P<value>[^\]]*)|(?P<index>\d+))\]"""
    r"""|(?P<plain>(?!["'])(?:\\.|[^.\[\\])+))"""
)
MOST = 5
LONGEST_KEY = 12
"""How many pieces between dots a key may have without quotes."""


@dataclass(frozen=True, slots=True)
class Match:
    """A step to the item of a list that has this value."""

    key: str
    value: str


Wanted: TypeAlias = Step | Match


@dataclass(frozen=True, slots=True)
class Quoted:
    """A key that was quoted, and so is no number and no part of another key."""

    text: str


def parse(field: str) -> tuple[Wanted | Quoted, ...]:
    """Read a field: `/spec/replicas`, `metadata.labels."a.b/c"`, `containers[0]`, `containers[name=x]`."""
    if field.startswith("/"):
        return path_of(field)
    steps: list[Wanted | Quoted] = []
    at = 0
    while at < len(field):
        match = PIECE.match(field, at)
        if match is None or match.end() == at:
            hint = 'such as spec.containers[0].image or metadata.labels."a.b/c"'
            raise UsageError(f"cannot read the field {field!r} from {field[at:]!r} on", hint=hint)
        at = match.end()
        steps.append(_step(match))
    return tuple(steps)


def _step(match: re.Match[str]) -> Wanted | Quoted:
    if match["key"] is not None:
        return Match(match["key"], match["value"].strip("\"'"))
    if match["index"] is not None:
        return int(match["index"])
    if match["plain"] is not None:
        return step_of(re.sub(r"\\(.)", r"\1", match["plain"]))
    return Quoted(
        next(match[name] for name in ("double", "single", "inner", "quoted") if match[name] is not None)
    )


def document(value: Json) -> Json:
    """Return the YAML or JSON document that a text holds, if it holds one."""
    try:
        found = read_yaml(value, dialect=Dialect.KUBECTL) if isinstance(value, str) else value
    except YamlError:
        return value
    return found if isinstance(found, dict | list) else value


def follow(body: Json, path: Path) -> Json:
    """Return the value at a path, which may lead on into the document that a text holds."""
    for step in path:
        body = value_at(document(body), (step,))
    return body


def find(body: JsonObject, field: str, what: str) -> Path:
    """Return the one place that a field names, from the top or as the end of a path."""
    steps = parse(field)
    whole = _walk(body, steps)
    anywhere = () if field.startswith("/") or whole is not None else _places(body, steps)
    found = [whole] if whole is not None else list(anywhere)
    if len(found) == 1:
        return found[0]
    if found:
        shown = choice([pointer(path) for path in found], most=MOST)
        raise UsageError(f"{what} has more than one field {field!r}", hint=f"write more of it: {shown}")
    raise UsageError(
        f"{what} has no field {field!r}", hint=_nearest(body, steps, from_top=field.startswith("/"))
    )


def _places(body: JsonObject, steps: tuple[Wanted | Quoted, ...]) -> Iterator[Path]:
    """Yield where steps lead from anywhere in a body."""
    for path, value in _inside(body):
        below = _walk(value, steps) if isinstance(value, dict) else None
        if below is not None:
            yield (*path, *below)


def _inside(body: JsonObject) -> Iterator[tuple[Path, Json]]:
    """Yield every map and list of a body, and of the documents that its texts hold."""
    todo: list[tuple[Path, Json]] = [((), body)]
    while todo:
        path, value = todo.pop()
        yield path, value
        inside: list[tuple[Step, Json]] = list(value.items() if isinstance(value, dict) else enumerate(value))
        opened = [(step, document(item) if _is_document(item) else item) for step, item in reversed(inside)]
        todo += [((*path, step), item) for step, item in opened if isinstance(item, dict | list)]


def _is_document(value: Json) -> bool:
    """Tell whether a text looks like a document, and not like a word with a colon in it."""
    return isinstance(value, str) and ("\n" in value or value.startswith(("{", "[")))


def _walk(value: Json, steps: tuple[Wanted | Quoted, ...]) -> Path | None:
    """Return where steps lead from here; None when they lead nowhere."""
    if not steps:
        return ()
    value = document(value)
    for size in range(1, min(len(steps), LONGEST_KEY) + 1):
        step = _one(value, steps[:size])
        rest = None if step is None else _walk(value[step], steps[size:])
        if step is not None and rest is not None:
            return (step, *rest)
    return None


def _one(value: Json, steps: tuple[Wanted | Quoted, ...]) -> Step | None:
    """Return the key or index that some steps are together: a key may hold dots."""
    first = steps[0]
    if isinstance(value, dict):
        plain = [step for step in steps if isinstance(step, str | int)]
        key = first.text if isinstance(first, Quoted) else ".".join(map(str, plain))
        alone = len(steps) == 1 or len(plain) == len(steps)
        return key if alone and not isinstance(first, Match) and key in value else None
    if isinstance(value, list) and len(steps) == 1:
        if isinstance(first, int):
            return first if first < len(value) else None
        if isinstance(first, Match):
            same = [i for i, item in enumerate(value) if _has(item, first)]
            return same[0] if len(same) == 1 else None
    return None


def _has(item: Json, wanted: Match) -> bool:
    return isinstance(item, dict) and wanted.key in item and str(item[wanted.key]) == wanted.value


def _nearest(body: JsonObject, steps: tuple[Wanted | Quoted, ...], *, from_top: bool) -> str:
    """Return a hint: what is there, where the steps lead no further."""
    for size in range(len(steps) - 1, -1, -1):
        whole = _walk(body, steps[:size])
        found = [whole] if whole is not None else list(_places(body, steps[:size]))
        if len(found) != 1:
            continue
        value, step = document(follow(body, found[0])), steps[size]
        if isinstance(value, list):
            return _items(value, step, pointer(found[0]))
        if isinstance(value, dict):
            text = step.text if isinstance(step, Quoted) else str(step)
            known = list(value) if size or from_top else _keys(body)
            return near(text, known) or f"{pointer(found[0]) or 'it'} has {choice(list(value), last='and')}"
        return f"{pointer(found[0])} is a plain value"
    return ""


def _keys(body: JsonObject) -> list[str]:
    """Return every key of a body, since the first step of a field may be one from anywhere."""
    return list(dict.fromkeys(key for _, value in _inside(body) if isinstance(value, dict) for key in value))


def _items(values: list[Json], step: Wanted | Quoted, where: str) -> str:
    if isinstance(step, Match):
        known = [str(item[step.key]) for item in values if isinstance(item, dict) and step.key in item]
        if hint := near(step.value, known):
            return hint
        if known:
            return f"{where} has {choice(known, last='and')}"
    return f"{where} has {counted(len(values), 'item')}"
