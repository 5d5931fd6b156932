"""The JSON Schemas that kitgen ships, by name.

They are package data that never changes while the program runs, so every layer may ask for them. A
name is a path below `schemas/` without its ending, such as `component`.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from kitgen.errors import KitgenError
from kitgen.yamlio import JsonObject


@cache
def folder() -> Path:
    """Return where the schemas are."""
    package = Path(__file__).resolve().parent.parent
    # A wheel carries the schemas inside the package; a checkout has them at its top for people to find.
    for place in (package / "schemas", package.parent / "schemas"):
        if place.is_dir():
            return place
    raise KitgenError("the schemas of kitgen are not installed", hint="install kitgen again")


@cache
def names() -> tuple[str, ...]:
    """Return the names of all schemas, sorted."""
    root = folder()
    return tuple(sorted(path.relative_to(root).with_suffix("").as_posix() for path in root.rglob("*.json")))


@cache
def schema(name: str) -> JsonObject:
    """Return a schema; callers share it and must not change it."""
    import orjson

    name = name.removesuffix(".json")
    if name not in names():
        raise KitgenError(f"there is no schema {name!r}", hint=f"known are {', '.join(names())}")
    data: JsonObject = orjson.loads((folder() / f"{name}.json").read_bytes())
    return data
