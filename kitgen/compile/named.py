"""The images that an object runs or names, with the places that name them."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from kitgen.findings import Origin, Path
from kitgen.objects import Manifest
from kitgen.objects.loose import loosely
from kitgen.objects.mentions import is_whole, mappings, mentions, named_in, values_in
from kitgen.yamlio import Json

UNSEEN = ("Secret", "CustomResourceDefinition")
"""What holds secrets, and what only looks like objects."""


class Use(StrEnum):
    """How an image is named."""

    CONTAINER = "container"
    INIT = "init container"
    VARIABLE = "variable"
    ARGUMENT = "argument"
    PARAMETER = "params.env"
    CONFIG = "configuration"
    TEXT = "text"
    BUNDLE = "bundle"
    """Of the OLM bundle alone."""
    EXAMPLE = "example"
    """In an example of the bundle, which people may make as it is."""
    TEST = "test"
    """In a test of the bundle, which no cluster runs by itself."""
    CATALOG = "catalog"
    RUNTIME = "run time"
    """No object names it: code, an SDK or users do."""


OPTIONAL = frozenset({Use.EXAMPLE, Use.TEST})
"""What nothing runs unless people ask for it."""


def named_by(manifest: Manifest) -> Iterator[tuple[str, str, Use, Origin]]:
    """Yield the images that an object runs or names: each with its place, how, and where that is said."""
    body, identity = manifest.body, manifest.id
    if identity.kind in UNSEEN:
        return
    seen: set[Path] = set()
    for each in mentions(mappings(body)):
        seen.add(each.path)
        place = f"{identity}/{place_of(body, each.path)}"
        yield each.image, place, _use(each.path), manifest.origin(each.path)
    told: set[tuple[Path, str]] = set()
    for path, image in (*loosely(body), *texts_of(manifest)):
        if path in seen or (path, image) in told:
            continue
        told.add((path, image))
        yield image, f"{identity}/{place_of(body, path)}", Use.TEXT, manifest.origin(path)


def texts_of(manifest: Manifest) -> Iterator[tuple[Path, str]]:
    """Yield the images that texts of an object name, with their places."""
    for path, text in values_in(manifest.body):
        if isinstance(text, str) and path:
            values = manifest.id.kind == "ConfigMap"
            yield from ((path, image) for image in said_in(str(path[-1]), text, values=values))


def said_in(key: str, text: str, *, values: bool = True) -> list[str]:
    """Return the images that a text under a key names; where texts are values, it may be one itself."""
    whole = [text.strip()] if values and is_whole(text.strip()) else []
    return named_in(f"{key}={text}") or whole


def _use(path: Path) -> Use:
    if "env" in path:
        return Use.VARIABLE
    if "relatedImages" in path:
        return Use.BUNDLE
    if path[-1] != "image":
        return Use.ARGUMENT
    return Use.CONTAINER if "initContainers" not in path else Use.INIT


def place_of(body: Json, path: Path) -> str:
    """Write a place by the names of what it is in: manager for its image, manager/env/NAME for a variable."""
    names: list[str] = []
    value = body
    for step in path:
        value = value[step]
        name = value.get("name") if isinstance(value, dict) and isinstance(step, int) else None
        if isinstance(name, str):
            names.append(name)
        elif names and isinstance(step, str) and step not in ("image", "value"):
            names.append(step)
    return "/".join(names) or "/".join(map(str, path))
