"""Hold what a target renders to the digests of its release."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kitgen.compile.images import ImageUse
from kitgen.compile.named import OPTIONAL, Use
from kitgen.findings import Chapter, Finding, Rule, Severity
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

LOCK_ABSENT = Rule(
    id="lock-absent",
    chapter=Chapter.TARGET,
    checks=(
        "Of a target that says `digests: true`, a release that is asked for has a lock. Commands look that "
        "write or print what a cluster gets."
    ),
    fix="Write the lock of that release with `kitgen images lock --release R`.",
    why="What came before digests goes by its tags still, and a mirror of digests does not redirect those.",
    severity=Severity.WARNING,
)


def unlocked(target: Target, release: Release, uses: Iterable[ImageUse]) -> Iterator[Finding]:
    """Yield the images that are left without a digest, each once; nothing where all go by tags."""
    if not target.digests or _goes_by_tags(target, release):
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


def lock_absent(target: Target, release: Release) -> list[Finding]:
    """Return a finding if a target goes by tags in a release, though it says digests."""
    if not _goes_by_tags(target, release):
        return []
    message = f"found no {LOCKS}/{release.name}.yaml, so that images of {release.name} go by their tags"
    hint = f"kitgen images lock --release {release.name} writes it"
    return [LOCK_ABSENT(message, hint=hint).at(target.origin.at("digests"))]


def _goes_by_tags(target: Target, release: Release) -> bool:
    """Tell whether a release came before digests: it is not the pinned one, and has no lock."""
    return target.digests and release.name != target.release and release.lock is None
