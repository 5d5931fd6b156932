"""Ways into objects, as kustomize's field specs have them, and changes at the end of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from kitgen.findings import Path, Step
from kitgen.yamlio import Json


def places(value: Json, way: str, *, create: bool = False) -> list[tuple[Path, Json]]:
    """Return where a way such as `spec/ports[]/name` leads, through all lists, and what is there.

    It is None where a map is to be made, which never makes the lists that it would be in.
    """
    return list(_places(value, tuple(way.split("/")), (), create))


def _places(value: Json, way: tuple[str, ...], here: Path, create: bool) -> Iterator[tuple[Path, Json]]:
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _places(item, way, (*here, index), create)
    elif not way:
        yield here, value
    elif isinstance(value, dict):
        key = way[0].removesuffix("[]")
        if value.get(key) is not None:
            yield from _places(value[key], way[1:], (*here, key), create)
        elif create and not any(step.endswith("[]") for step in way):
            yield (*here, *way), None


def changed(value: Json, path: Path, change: Callable[[Json], Json]) -> Json:
    """Return a value with what is at a path, None if there is nothing, changed; only the way is copied."""
    if not path:
        return change(value)
    if isinstance(value, list):
        index = int(path[0])
        return [*value[:index], changed(value[index], path[1:], change), *value[index + 1 :]]
    have = {} if value is None else value
    return {**have, path[0]: changed(have.get(path[0]), path[1:], change)}


def changed_at(value: Json, changes: Mapping[Path, Callable[[Json], Json]]) -> Json:
    """Return a value with many changes, none inside another; a list is copied once for all of its items."""
    if () in changes:
        return changes[()](value)
    below: dict[Step, dict[Path, Callable[[Json], Json]]] = {}
    for path, change in changes.items():
        below.setdefault(path[0], {})[path[1:]] = change
    if isinstance(value, list):
        items = list(value)
        for step, inner in below.items():
            items[int(step)] = changed_at(items[int(step)], inner)
        return items
    have = {} if value is None else value
    return {**have, **{step: changed_at(have.get(step), inner) for step, inner in below.items()}}
