"""Look into data that may have any shape."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Finding, Origin, Path
from kitgen.kit.foreign_objects import documents_of
from kitgen.kit.manifests import Intake
from kitgen.release.downstream.records import AGAINST_SHAPE, DownstreamFile
from kitgen.text.wording import shown
from kitgen.text.yaml import Json, JsonObject

GITHUB = "github.com/"


def documents(file: DownstreamFile, intake: Intake) -> tuple[list[tuple[JsonObject, Origin]], list[Finding]]:
    """Return the documents of a file that are mappings, and why it cannot be read."""
    found, wrong = documents_of(file.name, file.text, intake)
    whole = ((each, Origin(file.name, document=number)) for number, each in enumerate(found))
    return [(each, origin) for each, origin in whole if isinstance(each, dict)], wrong


def inside(data: Json, *path: str) -> Json:
    """Return what stands at a path; None if nothing does."""
    for step in path:
        data = data.get(step) if isinstance(data, dict) else None
    return data


def text(data: Json, *path: str) -> str:
    """Return the text or number at a path, without space around it; empty if there is none."""
    found = inside(data, *path)
    plain = isinstance(found, str | int | float) and not isinstance(found, bool)
    return str(found).strip() if plain else ""


def named(data: Json, *path: str) -> dict[str, JsonObject]:
    """Return the mappings in a mapping, by their keys."""
    found = inside(data, *path)
    items = found.items() if isinstance(found, dict) else ()
    return {str(key): each for key, each in items if isinstance(each, dict)}


def listed(data: Json, *path: str) -> Iterator[tuple[int, JsonObject]]:
    """Yield the mappings in a list, with their places."""
    found = inside(data, *path)
    for index, each in enumerate(found if isinstance(found, list) else ()):
        if isinstance(each, dict):
            yield index, each


def misshapen(data: Json, path: Path, expected: str, origin: Origin) -> Finding:
    """Return that something has another shape than its readers expect."""
    found = inside(data, *map(str, path))
    message = f"found {shown(found, reveal=False)}, expected {expected}"
    return AGAINST_SHAPE(message, path).at(origin)


def repository_of(address: str) -> str:
    """Return the owner and the name in the address of a repository; other texts stay."""
    return address.partition(GITHUB)[2].strip("/").removesuffix(".git") if GITHUB in address else address
