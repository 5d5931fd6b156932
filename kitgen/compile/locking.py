"""Hold what a target renders to the digests of its release."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kitgen.compile.images import ImageUse
from kitgen.compile.named import OPTIONAL, Use
from kitgen.findings import Chapter, Finding, Rule
from kitgen.model import Release, Target
from kitgen.objects.reference import reference
from kitgen.root import LOCKS
from kitgen.schema.wording import cut

LOCK_MISSING = Rule(
    id="lock-missing",
    chapter=Chapter.IMAGE,
    checks=(
        "Every image of a target that says `digests: true` has a digest, in the specs or in the lock: in the "
        "release that it pins, and in others that have a lock."
    ),
    fix="Add it with `kitgen images lock`, from what skopeo, crane or oc tell of it.",
    why="One that is left by its tag is pulled from where it came from, past every mirror of digests.",
)


def unlocked(target: Target, release: Release, uses: Iterable[ImageUse]) -> Iterator[Finding]:
    """Yield the images that are left without a digest, each once.

    A release that is not pinned and has no lock came before digests, or is not locked yet.
    """
    if not target.digests or (release.name != target.release and release.lock is None):
        return
    file, told = f"{LOCKS}/{release.name}.yaml", set[str]()
    where = file if release.lock else f"{file}, which is not there"
    for each in uses:
        parts = reference(each.image)
        if parts is None or parts.digest or each.image in told or each.use in OPTIONAL:
            continue
        if target.mirrored and each.use is Use.CATALOG:
            continue  # oc-mirror makes the one in a mirror anew, so nobody knows its digest before
        told.add(each.image)
        message, hint = f"found no digest of {cut(each.image)} in {where}", f"{each.place} names it"
        if release.lock and each.image in release.lock.images:
            message = f"found {cut(each.image)} by its tag, though {file} has its digest"
            hint += ", in parts, as a part of a longer word or by default; write it as one word"
        yield LOCK_MISSING(message, hint=hint).at(target.origin.at("digests"))
