"""Field paths of kustomize's replacements and field specs, such as `containers.[name=x].image`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from kitgen.findings import Path, Step
from kitgen.text.patterns import compile_late
from kitgen.text.values import text_entries_at, value_at
from kitgen.text.yaml import Json, JsonObject

# kustomize takes the value for a pattern, found anywhere; more of patterns is not understood alike.
PLAIN = compile_late(r"\^?[\w./:@ -]*\$?", re.ASCII)


def split_field_path(field: str) -> list[str]:
    """Split a field path at its dots, but not at an escaped one or one in brackets."""
    steps: list[str] = []
    opened = False
    for piece in field.split("."):
        if steps and steps[-1].endswith("\\"):
            steps[-1] = f"{steps[-1][:-1]}.{piece}"
        elif opened:
            steps[-1] += f".{piece}"
        else:
            steps.append(piece)
        opened = steps[-1].startswith("[") and not steps[-1].endswith("]")
    return steps


def resolve_field_path(body: JsonObject, field: str) -> Path:
    """Return the one place in an object that a field path leads to; a LookupError says why there is none."""
    found: Path = ()
    for text in split_field_path(field):
        found = (*found, _resolve_step(value_at(body, *found), text))
    return found


def _resolve_step(value: Json, text: str) -> Step:
    inside = text[1:-1] if text.startswith("[") and text.endswith("]") else ""
    if isinstance(value, dict) and (inside or text) in value:
        return inside or text
    if isinstance(value, list):
        if "=" in inside:
            return _find_element(value, inside)
        # So long a number would cost more to read than any list is long.
        if text.isdecimal() and text.isascii() and len(text) < 10 and int(text) < len(value):
            return int(text)
    raise LookupError(f"found nothing at {text!r}")


def _find_element(values: list[Json], inside: str) -> int:
    """Return the only element that kustomize would take for the one with this field."""
    key, _, wanted = inside.partition("=")
    if not PLAIN.fullmatch(wanted):
        raise LookupError(f"found a pattern in [{inside}], expected a value")
    texts = text_entries_at([value_at(each, key) if key else each for each in values])
    matches = [index for index, text in texts if re.search(wanted, text)]
    if len(matches) != 1:
        raise LookupError(f"found {len(matches)} elements that [{inside}] matches, expected one")
    return matches[0]


def find_values(value: Json, way: str, *, create: bool = False) -> list[tuple[Path, Json]]:
    """Return where a way such as `spec/ports[]/name` leads, through all lists, and what is there.

    It is None where a map is to be made, which never makes the lists that it would be in.
    """
    return list(_find_values(value, tuple(way.split("/")), (), create))


def _find_values(value: Json, way: tuple[str, ...], here: Path, create: bool) -> Iterator[tuple[Path, Json]]:
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _find_values(item, way, (*here, index), create)
    elif not way:
        yield here, value
    elif isinstance(value, dict):
        key = way[0].removesuffix("[]")
        if value.get(key) is not None:
            yield from _find_values(value[key], way[1:], (*here, key), create)
        elif create and not any(step.endswith("[]") for step in way):
            yield (*here, *way), None


def replace_values(body: Json, values: Mapping[Path, Json]) -> Json:
    """Return a value with other ones at some paths, none inside another."""
    return apply_changes(body, {path: partial(_replace_value, value) for path, value in values.items()})


def _replace_value(new: Json, _: Json) -> Json:
    return new


def apply_change(value: Json, path: Path, change: Callable[[Json], Json]) -> Json:
    """Return a value with what is at a path, None if there is nothing, changed; only the way is copied."""
    return apply_changes(value, {path: change})


def apply_changes(value: Json, changes: Mapping[Path, Callable[[Json], Json]]) -> Json:
    """Return a value with many changes, none inside another; a list is copied once for all of its items."""
    if () in changes:
        return changes[()](value)
    below: dict[Step, dict[Path, Callable[[Json], Json]]] = {}
    for path, change in changes.items():
        below.setdefault(path[0], {})[path[1:]] = change
    if isinstance(value, list):
        items = list(value)
        for step, inner in below.items():
            items[int(step)] = apply_changes(items[int(step)], inner)
        return items
    have = {} if value is None else value
    return {**have, **{step: apply_changes(have.get(step), inner) for step, inner in below.items()}}
