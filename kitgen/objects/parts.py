"""Images that are written in parts: registry, repository, name, and what says which one it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from kitgen.findings import Path
from kitgen.objects.mentions import NO_IMAGES, is_host, is_named
from kitgen.objects.reference import is_tagged
from kitgen.objects.saying import MARKS, holds_image
from kitgen.yamlio import JsonObject

TAGS = ("tag", "imageTag", "newTag", "imageVersion", "defaultImageVersion")
REPOSITORIES = ("repository", "imageRepository", "imageRepo", "newName", "repo")
NAMES = ("image", "baseImage", "imageName")
PARTS = frozenset({*REPOSITORIES, *NAMES, "name"})
"""Fields that an image can begin in, of which others say the rest."""
RUNNING = frozenset(
    {
        *("imagePullPolicy", "command", "args", "env", "envFrom", "ports", "resources", "volumeMounts"),
        *("securityContext", "workingDir"),
    }
)
"""What stands beside the image of something that runs it."""
VERSION = re.compile(r"v?[0-9]+\.[0-9][\w.-]*|sha256:[0-9a-f]{64}", re.ASCII)
"""A version that may well be the tag, though it can be that of something else."""
SHA = re.compile(r"[0-9a-f]{64}", re.ASCII)


class Around(NamedTuple):
    """What is said of a mapping by those that it is in."""

    of_images: bool = False
    """Whether something above it is called after images."""
    hub: str = ""
    """The registry and organisation of images that only have a name."""
    tag: str = ""


def joined(parts: JsonObject, around: Around) -> Iterator[tuple[Path, str]]:
    """Yield the images of fields that are called so, with the parts beside them, or what parts alone make."""
    tag, version = _tag(parts), _text(parts, "version")
    repository = next((key for key in REPOSITORIES if _text(parts, key)), "")
    names = [key for key in NAMES if isinstance(parts.get(key), str)]
    for name in names:
        if not is_tagged(parts[name]):
            yield from _of_name(parts, name, repository, tag or version, around)
        elif is_named(parts[name]):
            yield (name,), parts[name]
    if names:
        return
    if not repository and around.of_images and _text(parts, "name"):
        repository = "name"
    if repository:
        registry = _text(parts, "registry") or _text(parts, "imageRegistry")
        whole = _whole(registry, _text(parts, repository), tag or (version if around.of_images else ""))
        host = whole.partition("/")[0]
        known = around.of_images or (tag and is_host(host) and host not in NO_IMAGES)
        if known and (repository != "name" or is_tagged(whole)) and is_named(whole):
            yield (repository,), whole


def _of_name(
    parts: JsonObject, name: str, repository: str, tag: str, around: Around
) -> Iterator[tuple[Path, str]]:
    """Yield an image whose name stands by itself, with what is beside it and above it."""
    said = _text(parts, name)
    sure = not RUNNING.isdisjoint(parts) or holds_image(name, said)
    above = "" if is_host(said.partition("/")[0]) else _text(parts, repository) or _text(parts, "registry")
    around = below(around, parts)
    if above and is_named(whole := _whole(above, said, tag)):
        said = whole
    elif said in MARKS:
        return
    elif around.hub and "/" not in said:
        said, sure = _whole(around.hub, said, around.tag), False
    elif _tag(parts) or ("/" in said and VERSION.fullmatch(tag)):
        said = _whole("", said, tag)
    if is_named(said, sure=sure):
        yield (name,), said


def is_part(parts: JsonObject, key: str, around: Around) -> bool:
    """Tell whether a field has only a part of an image, to which those beside and above it belong."""
    if key not in PARTS:
        return False
    made = joined(parts, around._replace(of_images=True))
    return any(path == (key,) and whole != parts[key] for path, whole in made)


def below(around: Around, mapping: JsonObject) -> Around:
    """Return what is said of all that is in a mapping."""
    hub, tag = _text(mapping, "hub"), _text(mapping, "tag")
    return around._replace(hub=hub, tag=tag) if hub and tag else around


def _tag(parts: JsonObject) -> str:
    """Return what says which image it is: a digest, else a tag."""
    digest = _text(parts, "digest") or _text(parts, "sha")
    if SHA.fullmatch(digest):
        return f"sha256:{digest}"
    return digest or next(filter(None, (_text(parts, key) for key in TAGS)), "")


def _whole(registry: str, name: str, tag: str) -> str:
    named = f"{registry.rstrip('/')}/{name}" if registry else name
    return f"{named}{'@' if tag.startswith('sha256:') else ':'}{tag}" if tag else named


def _text(parts: JsonObject, key: str) -> str:
    """Return a part as text; empty if it is none."""
    found = parts.get(key)
    return str(found) if isinstance(found, str | int | float) and not isinstance(found, bool) else ""
