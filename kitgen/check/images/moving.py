"""Tags that move: another image may have them tomorrow."""

from __future__ import annotations

from kitgen.check.images.rules import IMAGE_MOVES
from kitgen.findings import Problem
from kitgen.objects.mentions import Mention, Reference
from kitgen.schema.wording import cut

MOVING = frozenset(
    {
        *("latest", "main", "master", "trunk", "head", "tip", "dev", "devel", "develop", "development"),
        *("stable", "unstable", "testing", "staging", "nightly", "daily", "weekly", "edge", "canary"),
        *("rolling", "current", "snapshot"),
    }
)
VERSION = "take the tag of a version, or the digest"


def moving(parts: Reference, mention: Mention) -> Problem | None:
    """Return that a tag says no version, and that nodes do not even look for a newer one."""
    words = {parts.tag.casefold() or "latest", *({"latest", "nightly"} & set(parts.tag.split("-")))}
    if parts.digest or not words & MOVING:
        return None
    said = f"the tag {cut(parts.tag)}" if parts.tag else f"the image {cut(mention.image)} without a tag"
    message = f"found {said}, which may be another image tomorrow"
    # Where nothing is said, latest is always pulled, and any other tag only once.
    if (policy := mention.policy or ("" if parts.version == "latest" else "IfNotPresent")) not in (
        "",
        "Always",
    ):
        kept = "keeps what it has" if policy == "IfNotPresent" else "pulls none"
        message += f", and a node {kept} (imagePullPolicy {cut(policy)})" if mention.runs else ""
    return IMAGE_MOVES(message, hint=VERSION)
