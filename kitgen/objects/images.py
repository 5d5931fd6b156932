"""References to images: a tag or a digest says which one it is."""

from __future__ import annotations

import re

from kitgen.schema.wording import cut, shown

TAG = re.compile(r"\w[\w.-]{0,127}\Z", re.ASCII)
DIGEST = re.compile(r"(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})\Z")


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
