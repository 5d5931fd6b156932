"""`remove`: what a spec does not take over from the one that it builds on."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Chapter, Path, Problem, Rule, Step, near, path_of, pointer
from kitgen.load.merging import (
    Said,
    is_permissions,
    listing,
    mapping,
    name_of,
    resources,
    turned_on,
    without_resources,
)
from kitgen.yamlio import Json, JsonObject

REMOVE_NOTHING = Rule(
    id="remove-nothing",
    chapter=Chapter.SPEC,
    checks="What a spec removes is there in the one that it builds on.",
    fix="Take the name that the hint offers, or leave it out.",
)

REMOVE_SET = Rule(
    id="remove-set",
    chapter=Chapter.SPEC,
    checks="Nothing is both removed and set in one spec.",
    fix="Do one of both: what is set replaces what was there, and maps are merged.",
)


def remove(old: Said, own: JsonObject, texts: list[str]) -> tuple[Said, list[Problem]]:
    """Return what is left of a spec without some paths, and what is wrong with those."""
    problems = []
    for index, text in enumerate(texts):
        wanted = path_of(text)
        path, missing = _find(old.data, tuple(map(str, wanted)))
        if missing is not None or not path:
            hint = missing or "a path leads to what goes, such as /images/manager"
            message = f"found {text!r}, which is not there to be removed"
            problems.append(REMOVE_NOTHING(message, ("remove", index), hint))
            continue
        if is_set(own, path):
            message = f"found {text!r}, which this file sets too"
            hint = "what is set here replaces what was there"
            problems.append(REMOVE_SET(message, ("remove", index), hint))
            continue
        old = _without(old, path)
    return old, problems


def _find(data: Json, steps: tuple[str, ...], path: Path = ()) -> tuple[Path, str | None]:
    """Follow steps as far as there is something; return the way, and None or a hint of what is missing.

    A name with slashes may stand as it is: the shortest that is there is taken.
    """
    while steps:
        names = list(_names(data, path))
        for size in range(1, len(steps) + 1):
            if (name := "/".join(steps[:size])) in names:
                break
        else:
            hint = near("/".join(steps), names) or near(steps[0], names)
            known = ", ".join(names[:8])
            return path, hint or (f"{pointer(path) or 'it'} has {known}" if known else "there is nothing")
        data, path, steps = _step(data, path, name), (*path, name), steps[size:]
    return path, None


def _names(data: Json, path: Path) -> Iterator[str]:
    """Yield what can be named in a value."""
    if isinstance(data, dict):
        yield from data
        if is_permissions(path):
            yield from (each for key in data for each in resources(key) if each not in data)
    elif isinstance(data, list):
        for item in data:
            if isinstance(name := item if isinstance(item, str) else name_of(item, path), str):
                yield name


def _step(data: Json, path: Path, name: str) -> Json:
    if isinstance(data, dict):
        return data.get(name)  # one resource of several has nothing below
    return next(item for item in data if name in (item, name_of(item, path)))


def _without(said: Said, path: Path, done: int = 0) -> Said:
    here, name, last = path[:done], path[done], done + 1 == len(path)
    if isinstance(said.data, list):
        items = [said.part(index) for index in range(len(said.data))]
        is_it = [name in (_text(each.data), name_of(each.data, here)) for each in items]
        kept = [
            _without(each, path, done + 1) if hit else each
            for each, hit in zip(items, is_it, strict=True)
            if not (hit and last)
        ]
        return listing(kept, said.origin)
    if is_permissions(here) and name not in said.data:
        return mapping(without_resources(said, (str(name),)), said.origin)
    parts = {
        key: _without(part, path, done + 1) if key == name else part
        for key, part in said.parts.items()
        if not (key == name and last)
    }
    return mapping(parts, said.origin)


def _text(item: Json) -> Step | None:
    return item if isinstance(item, str) else None


def is_set(data: Json, path: Path) -> bool:
    """Tell whether a file says something of what is at a path: of it, of a part of it, or instead of it."""
    here: Path = ()
    for step in path:
        if isinstance(data, dict) and is_permissions(here):
            return any(step in (key, *resources(key)) for key in data)
        if isinstance(data, dict):
            if step not in data:
                return False
            data = data[str(step)]
        elif isinstance(data, list) and (turned_on(here) or _is_named(data, here)):
            found = [item for item in data if step in (_text(item), name_of(item, here))]
            if not found:
                return False
            data = found[0]
        else:
            return True  # a value of its own takes the place of all that was there
        here = (*here, step)
    return True


def _is_named(items: list[Json], path: Path) -> bool:
    return all(name_of(item, path) is not None for item in items)
