"""What a file tells of one image, and what is wrong with that."""

from __future__ import annotations

import re
from typing import TypeAlias

from msgspec import Struct

from kitgen.findings import Finding, Origin, Problem, problem
from kitgen.kube.image_reference import LENGTHS, ImageReference, parsed, wrong_digest
from kitgen.text.wording import cut, shown
from kitgen.text.yaml import Json

PLATFORM = re.compile(r"[a-z0-9]{1,30}(?:/[a-z0-9]{1,30}){1,2}", re.ASCII)


class ImageDigest(Struct, frozen=True, kw_only=True):
    """An image and a digest, as a file tells them."""

    image: ImageReference | None = None
    """With its tag, or the repository alone where the file says no tag; None if it names no image at all."""
    digest: str
    platform: str = ""
    """Whose digest it is: all, or one such as linux/amd64; empty when the file does not say."""
    source: str
    """The program that told it; empty when the file does not say."""
    copied: bool = False
    """Whether the image is named by where it was copied to: its own name may be the end of that."""
    version: str = ""
    """The version of the bundle that lists it."""
    package: str = ""
    """The package of that bundle, if it says so."""
    origin: Origin


Found: TypeAlias = ImageDigest | Finding


def told(
    image: Json,
    digest: Json,
    source: str,
    origin: Origin,
    *,
    platform: str = "",
    tag: str = "",
    copied: bool = False,
    version: str = "",
    package: str = "",
) -> Found:
    """Return what is told of an image, or what is wrong with it; what says a digest by itself loses it."""
    if not isinstance(digest, str) or (wrong := _digest(digest)):
        return problem(
            "digest-form",
            wrong if isinstance(digest, str) else f"found {shown(digest, reveal=False)}, expected a digest",
        ).at(origin)
    if image is None:
        return ImageDigest(digest=digest, platform=platform, source=source, origin=origin)
    if isinstance(parts := named(image), Problem):
        return parts.at(origin)
    parts = parts._replace(digest="", tag=tag or parts.tag)
    return ImageDigest(
        image=parts,
        digest=digest,
        platform=platform,
        source=source,
        copied=copied,
        version=version,
        package=package,
        origin=origin,
    )


def named(image: Json) -> ImageReference | Problem:
    """Return an image as nodes read it, or why it is none."""
    if not isinstance(image, str):
        return problem("digest-form", f"found {shown(image, reveal=False)}, expected an image")
    parts = parsed(image)
    return (
        parts
        if isinstance(parts, ImageReference)
        else problem("digest-form", f"{cut(image)} is no image: {parts}")
    )


def platform_of(*parts: Json) -> str:
    """Write a platform such as linux/amd64; empty if the parts are none."""
    written = "/".join(part for part in parts if isinstance(part, str) and part)
    return written if PLATFORM.fullmatch(written) else ""


def _digest(digest: str) -> str:
    algorithm = digest.partition(":")[0]
    return wrong_digest(digest) or (
        "" if algorithm in LENGTHS else f"found the digest {cut(digest)}, expected one by sha256 or sha512"
    )
