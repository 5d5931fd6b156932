"""What a file tells of one image, and what is wrong with that."""

from __future__ import annotations

import re
from typing import TypeAlias

from msgspec import Struct

from kitgen.findings import Finding, Origin, make_problem
from kitgen.kube.image_reference import LENGTHS, ImageReference, check_digest, parse_reference_or_error
from kitgen.text.patterns import compile_late
from kitgen.text.values import text_at
from kitgen.text.wording import describe_value, quote_text
from kitgen.text.yaml import Json, JsonObject

PLATFORM = compile_late(r"[a-z0-9]{1,30}(?:/[a-z0-9]{1,30}){1,2}", re.ASCII)


class ImageDigest(Struct, frozen=True, kw_only=True):
    """An image and a digest, as a file tells them."""

    image: ImageReference | None = None
    """With its tag, or the repository alone where the file says no tag; None if it names no image at all."""
    digest: str
    platform: str = ""
    """Whose digest it is: all, or one such as linux/amd64; empty when the file does not say."""
    source: str
    """The program that told it; empty when the file does not say."""
    version: str = ""
    """The version of the bundle that lists it."""
    package: str = ""
    """The package of that bundle, if it says so."""
    origin: Origin


Found: TypeAlias = ImageDigest | Finding


def build_image_digest(
    image: Json,
    digest: Json,
    source: str,
    origin: Origin,
    *,
    platform: str = "",
    tag: str = "",
    version: str = "",
    package: str = "",
) -> Found:
    """Return what is told of an image, or what is wrong with it; what says a digest by itself loses it."""
    parts = None if image is None else _parse_image(image)
    if wrong := _find_digest_fault(digest) or (parts if isinstance(parts, str) else ""):
        return make_problem("digest-form", wrong).to_finding(origin)
    return ImageDigest(
        image=parts._replace(digest="", tag=tag or parts.tag) if isinstance(parts, ImageReference) else None,
        digest=digest,
        platform=platform,
        source=source,
        version=version,
        package=package,
        origin=origin,
    )


def _parse_image(image: Json) -> ImageReference | str:
    """Return an image as nodes read it, or why it is none."""
    if not isinstance(image, str):
        return f"found {describe_value(image, reveal=False)}, expected an image"
    parts = parse_reference_or_error(image)
    return parts if isinstance(parts, ImageReference) else f"{quote_text(image)} is no image: {parts}"


def format_platform(config: JsonObject) -> str:
    """Write a platform such as linux/amd64; empty if a configuration names none."""
    written = "/".join(filter(None, (text_at(config, key) for key in ("os", "architecture"))))
    return written if PLATFORM.fullmatch(written) else ""


def _find_digest_fault(digest: Json) -> str:
    if not isinstance(digest, str):
        return f"found {describe_value(digest, reveal=False)}, expected a digest"
    known = digest.partition(":")[0] in LENGTHS
    expected = "" if known else f"found the digest {quote_text(digest)}, expected one by sha256 or sha512"
    return check_digest(digest) or expected
