"""The family of images: what containers run."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.check.context import Context, Hit, is_crd, mappings
from kitgen.findings import Path
from kitgen.wording import cut, shown
from kitgen.yamlio import JsonObject

CONTAINERS = ("containers", "initContainers", "ephemeralContainers")
TAG = re.compile(r"\w[\w.-]{0,127}\Z", re.ASCII)
DIGEST = re.compile(r"(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})\Z")


def check(context: Context) -> Iterator[Hit]:
    """Yield every container whose image may be another one tomorrow."""
    for target, manifest in context.objects():
        for path, image in images(manifest.body):
            if problem := wrong_image(image):
                message, hint = problem
                yield Hit(
                    rule="image-tag", target=target, manifest=manifest, path=path, message=message, hint=hint
                )


def images(body: JsonObject) -> Iterator[tuple[Path, str]]:
    """Yield the images of all containers in an object, with their paths."""
    if is_crd(body):
        return
    for path, mapping in mappings(body):
        for name in CONTAINERS:
            items = mapping.get(name)
            for index, item in enumerate(items if isinstance(items, list) else ()):
                if isinstance(item, dict) and isinstance(item.get("image"), str):
                    yield (*path, name, index, "image"), item["image"]


def wrong_image(image: str) -> tuple[str, str] | None:
    """Say what is wrong with a reference to an image, with a hint; None when it is right."""
    name, at, digest = image.partition("@")
    if at:
        if DIGEST.match(digest):
            return None
        return f"found the digest {cut(digest)}, expected sha256: and 64 hexadecimal digits", ""
    last = name.rpartition("/")[2]
    base, colon, tag = last.partition(":")
    if not base or any(letter.isspace() for letter in image):
        return f"found {shown(image)}, expected an image", ""
    if not colon:
        return (
            f"found the image {cut(image)}, expected one with a tag or a digest",
            f"such as {cut(f'{image}:v1.0.0')}",
        )
    if not TAG.match(tag):
        return f"found the tag {cut(tag)}, expected letters, digits, ., - and _", ""
    return None
