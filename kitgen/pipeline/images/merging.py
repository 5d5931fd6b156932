"""Lay digests over a lock: what is new, what changes, and what must not without a word."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from kitgen.findings import Finding, Origin
from kitgen.load.digests import Told
from kitgen.model.lock import EVERY_PLATFORM, LockedImage
from kitgen.objects.reference import Reference
from kitgen.pipeline.images.pairing import (
    DIGEST_DIFFERS,
    chosen,
    of_one_platform,
    rank,
    short,
)
from kitgen.pipeline.images.wanted import Wanted
from kitgen.schema.wording import cut


class Merged(Struct, frozen=True, kw_only=True):
    """The entries of a lock with what was told, and how they came to be."""

    entries: dict[str, LockedImage]
    changes: tuple[str, ...]
    remarks: tuple[str, ...]
    findings: tuple[Finding, ...]


def merged(
    file: str,
    old: Mapping[str, LockedImage],
    found: Mapping[Reference, list[Told]],
    wanted: Wanted,
    *,
    update: bool,
) -> Merged:
    """Lay what was told over the entries of a lock; what contradicts them counts if it is to."""
    entries = dict(old)
    changes: list[str] = []
    remarks: list[str] = []
    findings: list[Finding] = []
    for image, told in found.items():
        best = chosen(image, told)
        if isinstance(best, Finding):
            findings.append(best)
            continue
        for name in wanted.names[image]:
            entry, new = old.get(name), _entry(name, best, file)
            if entry is None:
                entries[name] = new
                changes.append(f"{name}: {short(new.digest)} is new")
            elif entry.digest == new.digest:
                if rank(new.platform) > rank(entry.platform):
                    entries[name] = new
                    changes.append(f"{name}: the digest is that of {_platform(new)}")
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
    return Merged(entries=entries, changes=tuple(changes), remarks=tuple(remarks), findings=tuple(findings))


def _entry(name: str, told: Told, file: str) -> LockedImage:
    return LockedImage(
        image=name,
        digest=told.digest,
        platform=told.platform,
        source=told.source,
        origin=Origin(file, ("images", name)),
    )


def _platform(entry: LockedImage) -> str:
    return "the index" if entry.platform == EVERY_PLATFORM else entry.platform


def _moved(name: str, entry: LockedImage, told: Told) -> Finding:
    there = f"{entry.origin.file} has {short(entry.digest)}"
    message = f"found {short(told.digest)} for {cut(name)}, and {there}: the tag moved"
    return DIGEST_DIFFERS(message, hint="--update takes the new one").at(told.origin)
