"""Words of an older spec as its file has them: what is said again keeps its expressions.

Changes are found in values that are computed. Before they are written, they are held against what the older
spec says: a value that it has too stands there as it stands in the file, and paths lead by the names there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kitgen.findings import Path
from kitgen.importer.expression import Expression
from kitgen.load.merging import name_of
from kitgen.yamlio import Json


def as_written(value: Json, old: Json, raw: Json, path: Path) -> Json:
    """Return what is said at a path with the expressions that a file has for the same values.

    `old` is what the older spec says there, and `raw` the same with its expressions.
    """
    if isinstance(value, str):
        return Expression(raw) if value == old and isinstance(raw, str) and raw != old else value
    if isinstance(value, dict) and isinstance(old, dict) and isinstance(raw, dict):
        return {
            key: as_written(each, old[key], raw[key], (*path, key)) if key in old and key in raw else each
            for key, each in value.items()
        }
    if isinstance(value, list) and isinstance(old, list) and isinstance(raw, list) and len(old) == len(raw):
        return list(_items(value, list(zip(old, raw, strict=True)), path))
    return value


def _items(items: Sequence[Json], known: Sequence[tuple[Json, Json]], path: Path) -> Iterator[Json]:
    """Yield the items of a list, each held against what it was, or what stood in its place."""
    names = {_name(old, path): (old, raw) for old, raw in known}
    come = {_name(each, path) for each in items}
    gone = iter([pair for name, pair in names.items() if name not in come])
    for item in items:
        old, raw = names.get(_name(item, path)) or next(gone, (None, None))
        yield as_written(item, old, raw, (*path, _name(item, path)))


def _name(item: Json, path: Path) -> str:
    """Return what tells an item of a list from others."""
    return name_of(item, path) or repr(item)


def path_as_written(way: str, old: Json, raw: Json, path: Path) -> str:
    """Return a way from a path on, such as `remove` has it, by the names that a file has."""
    for name, said, below, inner in _below(old, raw, path):
        step, written = (each.replace("~", "~0") for each in (name, said))
        if way == step:
            return written
        if way.startswith(f"{step}/"):
            return f"{written}/{path_as_written(way[len(step) + 1 :], below, inner, (*path, name))}"
    return way


def _below(old: Json, raw: Json, path: Path) -> Iterator[tuple[str, str, Json, Json]]:
    """Yield what stands in a map or a list: its name, the name in the file, and both forms of it."""
    if isinstance(old, dict) and isinstance(raw, dict):
        yield from ((key, key, each, raw[key]) for key, each in old.items() if key in raw)
    elif isinstance(old, list) and isinstance(raw, list) and len(old) == len(raw):
        for each, said in zip(old, raw, strict=True):
            name, written = name_of(each, path), name_of(said, path)
            if name is not None and written is not None:
                yield name, written, each, said
