"""Hold the lock of a release to the images that its targets use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kitgen.findings import Chapter, Finding, Rule, Severity
from kitgen.model.lock import EVERY_PLATFORM, Lock
from kitgen.objects.reference import Reference, reference
from kitgen.schema.wording import choice, cut

LOCK_UNUSED = Rule(
    id="lock-unused",
    chapter=Chapter.IMAGE,
    checks="Every entry of a lock is an image that a target of the release uses, as the specs write it.",
    fix="Lock what is used instead; `kitgen images lock --prune` takes away what is not.",
    why="An entry of yesterday's tag pins nothing, and the image of today is pulled by its tag.",
    severity=Severity.WARNING,
)

LOCK_PLATFORM = Rule(
    id="lock-platform",
    chapter=Chapter.IMAGE,
    checks="A digest in a lock is that of an index, not of one platform alone.",
    fix="Lock the digest of the index, as `skopeo inspect` and `crane digest` tell it.",
    why="Nodes of another architecture get an image that does not start there.",
    severity=Severity.WARNING,
    exceptable=True,
)


def check_lock(lock: Lock, images: Iterable[str]) -> Iterator[Finding]:
    """Yield entries that nothing uses, and digests of one platform; the images are as specs write them."""
    used = {*images}
    known: dict[str, list[tuple[str, Reference]]] = {}
    for image in sorted(used):
        if parts := reference(image):
            known.setdefault(parts.repository, []).append((image, parts))
    for each in lock.images.values():
        if each.image not in used:
            message = f"found a digest of {cut(each.image)}, which no target of {lock.release} uses"
            yield LOCK_UNUSED(message, hint=_instead(each.image, known)).at(each.origin)
        elif each.platform not in ("", EVERY_PLATFORM):
            message = f"found the digest of {cut(each.platform)} alone, expected that of the index"
            hint = f"skopeo inspect --no-tags docker://{each.image} tells it"
            yield LOCK_PLATFORM(message, hint=hint).at(each.origin.at("platform"))


def _instead(image: str, known: dict[str, list[tuple[str, Reference]]]) -> str:
    """Say what is used of the same repository."""
    parts = reference(image)
    others = known.get(parts.repository, []) if parts else []
    if not parts or not others:
        return "kitgen images lock --prune takes it away"
    same = [other for other, each in others if each.version == parts.version]
    if same:
        return f"specs write it as {choice(same, last='and')}"
    return f"it is stale: {choice([each.version for _, each in others], last='and')} is used of it"
