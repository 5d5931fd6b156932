"""References to images: nodes read them, and a tag or a digest says which one it is."""

from __future__ import annotations

from kitgen.findings import Problem, Rule
from kitgen.objects.reference import LENGTHS, parsed
from kitgen.schema.wording import cut, shown


def wrong_image(image: str, rule: Rule) -> Problem | None:
    """Return how a reference to an image breaks the rule that it be a good one; None when it is."""
    if not image or any(letter.isspace() for letter in image):
        return rule(f"found {shown(image)}, expected an image")
    parts = parsed(image)
    if isinstance(parts, str):
        return rule(parts)
    if parts.digest and parts.digest.partition(":")[0] not in LENGTHS:
        return rule(f"found the digest {cut(parts.digest)}, expected sha256: and 64 hexadecimal digits")
    if not parts.digest and not parts.tag:
        message = f"found the image {cut(image)}, expected one with a tag or a digest"
        return rule(message, hint=f"such as {cut(f'{image}:v1.0.0')}")
    return None
