"""Tags that move: another image may have them tomorrow."""

from __future__ import annotations

from msgspec.structs import replace

from kitgen.check.images.rules import IMAGE_MOVES
from kitgen.findings import Problem
from kitgen.objects.mentions import Mention
from kitgen.objects.reference import Reference
from kitgen.schema.wording import cut

MOVING = frozenset(
    {
        *("latest", "main", "master", "trunk", "head", "tip", "dev", "devel", "develop", "development"),
        *("stable", "unstable", "testing", "staging", "nightly", "daily", "weekly", "edge", "canary"),
        *("rolling", "current", "snapshot"),
    }
)
VERSION = "take the tag of a version, or the digest"


def moving(parts: Reference, image: str = "") -> Problem | None:
    """Return that a tag says no version; without one, the image is named as it is written."""
    words = {parts.tag.casefold() or "latest", *({"latest", "nightly"} & set(parts.tag.split("-")))}
    if parts.digest or not words & MOVING:
        return None
    said = (
        f"the tag {cut(parts.tag)}"
        if parts.tag
        else f"the image {cut(image or parts.repository)} without a tag"
    )
    return IMAGE_MOVES(f"found {said}, which may be another image tomorrow", hint=VERSION)


def moving_for(parts: Reference, mention: Mention) -> Problem | None:
    """Return that a tag says no version, and that nodes do not even look for a newer one."""
    if (found := moving(parts, mention.image)) is None:
        return None
    # Where nothing is said, latest is always pulled, and any other tag only once.
    policy = mention.policy or ("" if parts.version == "latest" else "IfNotPresent")
    if not mention.runs or policy in ("", "Always"):
        return found
    kept = "keeps what it has" if policy == "IfNotPresent" else "pulls none"
    return replace(found, message=f"{found.message}, and a node {kept} (imagePullPolicy {cut(policy)})")
