"""Lay digests over a lock: what is new, what changes, and what must not without a word.

The text of a lock: sorted, of one form, and with the comments of people above what they are about.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from kitgen.findings import Finding, Origin, problem
from kitgen.images.digest_matching import chosen, of_one_platform, rank, short
from kitgen.images.digests.records import ImageDigest
from kitgen.images.locked_images import LockImages
from kitgen.kit.model.release import EVERY_PLATFORM, LockedImage
from kitgen.kube.image_reference import ImageReference
from kitgen.text.wording import cut
from kitgen.text.yaml import JsonObject, dump


class MergedLock(Struct, frozen=True, kw_only=True):
    """The entries of a lock with what was told, and how they came to be."""

    entries: dict[str, LockedImage]
    changes: tuple[str, ...]
    remarks: tuple[str, ...]
    findings: tuple[Finding, ...]


def merged(
    file: str,
    old: Mapping[str, LockedImage],
    found: Mapping[ImageReference, list[ImageDigest]],
    wanted: LockImages,
    *,
    update: bool,
) -> MergedLock:
    """Lay what was told over the entries of a lock; what contradicts them counts if it is to."""
    entries = dict(old)
    changes: list[str] = []
    remarks: list[str] = []
    findings: list[Finding] = []
    for image, told in found.items():
        if isinstance(best := chosen(image, told), Finding):
            findings.append(best)
            continue
        for name in wanted.names[image]:
            entry, new = old.get(name), _entry(name, best, file)
            if entry is None:
                entries[name] = new
                changes.append(f"{name}: {short(new.digest)} is new")
            elif entry.digest == new.digest:
                if rank(new.platform) > rank(entry.platform):
                    platform = "the index" if new.platform == EVERY_PLATFORM else new.platform
                    entries[name] = new
                    changes.append(f"{name}: the digest is that of {platform}")
                elif new.source and not entry.source:
                    entries[name] = replace(entry, source=new.source)
                    changes.append(f"{name}: {new.source} reported the digest")
            elif of_one_platform(new.platform) and entry.platform == EVERY_PLATFORM:
                remarks.append(
                    f"{name}: the digest of {new.platform} is left out, since that of the index is there"
                )
            elif update or (new.platform == EVERY_PLATFORM and of_one_platform(entry.platform)):
                entries[name] = new
                changes.append(f"{name}: {short(entry.digest)} becomes {short(new.digest)}")
            else:
                findings.append(_moved(name, entry, best))
    return MergedLock(
        entries=entries, changes=tuple(changes), remarks=tuple(remarks), findings=tuple(findings)
    )


def _entry(name: str, told: ImageDigest, file: str) -> LockedImage:
    return LockedImage(
        image=name,
        digest=told.digest,
        platform=told.platform,
        source=told.source,
        origin=Origin(file, ("images", name)),
    )


def _moved(name: str, entry: LockedImage, told: ImageDigest) -> Finding:
    there = f"{entry.origin.file} has {short(entry.digest)}"
    return problem(
        "digest-differs",
        f"found {short(told.digest)} for {cut(name)}, and {there}: the tag moved",
        hint="--update takes the new one",
    ).at(told.origin)


HEAD = "# yaml-language-server: $schema=../schemas/lock.json"
EDITORS = "# yaml-language-server:"
BEHIND = re.compile(r"\s#")


class Comments(Struct, frozen=True, kw_only=True):
    """What people wrote into a lock besides its entries."""

    top: tuple[str, ...] = ()
    above: Mapping[str, tuple[str, ...]] = {}
    """Line of an entry's name → the comments above it."""
    lost: int = 0
    """How many lines have a comment that has no place in the new text."""


def lock_text(release: str, entries: Iterable[LockedImage], comments: Comments) -> str:
    """Write a lock."""
    lines = [
        comments.top[0] if comments.top else HEAD,
        *comments.top[1:],
        *dump({"release": release}).splitlines(),
    ]
    listed = sorted(entries, key=lambda each: each.image)
    lines.append("images:" if listed else "images: {}")
    for each in listed:
        body: JsonObject = {"digest": each.digest}
        body |= {"platform": each.platform} if each.platform else {}
        body |= {"source": each.source} if each.source else {}
        name, *rest = (f"  {line}" for line in dump({each.image: body}).splitlines())
        lines += [*comments.above.get(name, ()), name, *rest]
    return "".join(f"{line}\n" for line in lines)


def comments_of(text: str, kept: Iterable[str]) -> Comments:
    """Find the comments at the top of a lock, and those above entries that are to stay."""
    names = {f"  {dump({image: {'a': 1}}).splitlines()[0]}" for image in kept}
    lines = text.splitlines()
    start = next((at for at, line in enumerate(lines) if line.strip() and not _is_comment(line)), len(lines))
    top = [line.rstrip() for line in lines[:start] if line.strip()]
    if not top or not top[0].startswith(EDITORS):
        top = [HEAD, *(line for line in top if not line.startswith(EDITORS))]
    above: dict[str, tuple[str, ...]] = {}
    waiting: list[str] = []
    lost = 0
    for line in map(str.rstrip, lines[start:]):
        if _is_comment(line):
            waiting.append(f"  {line.strip()}")
        elif line:
            if line in names:
                above[line] = tuple(waiting)
            else:
                lost += len(waiting) + bool(BEHIND.search(line))
            waiting = []
    return Comments(top=tuple(top), above=above, lost=lost + len(waiting))


def _is_comment(line: str) -> bool:
    return line.lstrip().startswith("#")
