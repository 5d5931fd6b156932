"""Plain lists of images, and what `oc image mirror` and `skopeo sync` read."""

from __future__ import annotations

from collections.abc import Sequence

from kitgen.emit.kustomize.files import comment
from kitgen.emit.mirror.places import Place
from kitgen.yamlio import JsonObject


def image_lines(places: Sequence[Place]) -> str:
    """Return the images, one a line."""
    return "".join(f"{each.source}\n" for each in places)


def mapping(places: Sequence[Place]) -> str:
    """Return where each image is copied to, one a line; no copy is named twice, for that is an error."""
    lines: list[str] = []
    copied: set[str] = set()
    for each in places:
        if each.copy in copied:
            lines.append(comment(f"{each.source} is the same as the one before it"))
        else:
            lines.append(f"{each.source}={each.copy}\n")
        copied.add(each.copy)
    return "".join(lines)


def skopeo_sync(places: Sequence[Place]) -> JsonObject:
    """Return the images by registry and path, without any login."""
    found: JsonObject = {}
    for each in places:
        paths = found.setdefault(each.source.host, {"images": {}})["images"]
        paths.setdefault(each.source.path, []).append(each.source.version)
    return found
