"""References to images: a tag or a digest says which one it is."""

from __future__ import annotations

import re

from kitgen.findings import Problem, Rule
from kitgen.schema.wording import cut, shown

TAG = re.compile(r"\w[\w.-]{0,127}\Z", re.ASCII)
DIGEST = re.compile(r"(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})\Z")


def wrong_image(image: str, rule: Rule) -> Problem | None:
    """Return how a reference to an image breaks the rule that it be a good one; None when it is."""
    name, at, digest = image.partition("@")
    base, colon, tag = name.rpartition("/")[2].partition(":")
    if at:
        message = f"found the digest {cut(digest)}, expected sha256: and 64 hexadecimal digits"
        return None if DIGEST.match(digest) else rule(message)
    if not base or any(letter.isspace() for letter in image):
        return rule(f"found {shown(image)}, expected an image")
    if not colon:
        message = f"found the image {cut(image)}, expected one with a tag or a digest"
        return rule(message, hint=f"such as {cut(f'{image}:v1.0.0')}")
    message = f"found the tag {cut(tag)}, expected letters, digits, ., - and _"
    return None if TAG.match(tag) else rule(message)
