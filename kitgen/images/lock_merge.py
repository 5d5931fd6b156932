"""Lay digests over a lock: what is new, what changes, and what must not without a word.

The text of a lock: sorted, of one form, and with the comments of people above what they are about.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from kitgen.findings import Finding, Origin, make_problem
from kitgen.images.digest_matching import choose_digest, is_single_platform, rank_platform, shorten_digest
from kitgen.images.digests.records import ImageDigest
from kitgen.images.locked_images import LockImages
from kitgen.kit.model.release import EVERY_PLATFORM, LockedImage
from kitgen.kube.image_reference import ImageReference
from kitgen.text.patterns import compile_late
from kitgen.text.wording import quote_text
from kitgen.text.yaml import JsonObject, dump_yaml


class MergedLock(Struct, frozen=True, kw_only=True):
    """The entries of a lock with what was told, and how they came to be."""

    entries: dict[str, LockedImage]
    changes: tuple[str, ...]
    remarks: tuple[str, ...]
    findings: tuple[Finding, ...]


def merge_digests(
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
        if isinstance(best := choose_digest(image, told), Finding):
            findings.append(best)
            continue
        for name in wanted.names[image]:
            entry, new = old.get(name), _build_entry(name, best, file)
            if entry is None:
                entries[name] = new
                changes.append(f"{name}: {shorten_digest(new.digest)} is new")
            elif entry.digest == new.digest:
                if rank_platform(new.platform) > rank_platform(entry.platform):
                    platform = "the index" if new.platform == EVERY_PLATFORM else new.platform
                    entries[name] = new
                    changes.append(f"{name}: the digest is that of {platform}")
                elif new.source and not entry.source:
                    entries[name] = replace(entry, source=new.source)
                    changes.append(f"{name}: {new.source} reported the digest")
            elif is_single_platform(new.platform) and entry.platform == EVERY_PLATFORM:
                remarks.append(
                    f"{name}: the digest of {new.platform} is left out, since that of the index is there"
                )
            elif update or (new.platform == EVERY_PLATFORM and is_single_platform(entry.platform)):
                entries[name] = new
                changes.append(f"{name}: {shorten_digest(entry.digest)} becomes {shorten_digest(new.digest)}")
            else:
                findings.append(_report_moved_tag(name, entry, best))
    return MergedLock(
        entries=entries, changes=tuple(changes), remarks=tuple(remarks), findings=tuple(findings)
    )


def _build_entry(name: str, told: ImageDigest, file: str) -> LockedImage:
    return LockedImage(
        image=name,
        digest=told.digest,
        platform=told.platform,
        source=told.source,
        origin=Origin(file, ("images", name)),
    )


def _report_moved_tag(name: str, entry: LockedImage, told: ImageDigest) -> Finding:
    there = f"{entry.origin.file} has {shorten_digest(entry.digest)}"
    return make_problem(
        "digest-differs",
        f"found {shorten_digest(told.digest)} for {quote_text(name)}, and {there}: the tag moved",
        hint="--update takes the new one",
    ).to_finding(told.origin)


HEAD = "# yaml-language-server: $schema=../schemas/lock.json"
EDITORS = "# yaml-language-server:"
BEHIND = compile_late(r"\s#")


class LockText(NamedTuple):
    """The text of a lock, and how many comments of people have no place in it."""

    text: str
    lost: int


def render_lock(release: str, entries: Iterable[LockedImage], before: str) -> LockText:
    """Write a lock, with the comments that stood at the top and above entries before."""
    lines = dump_yaml({"release": release}).splitlines()
    images: JsonObject = {}
    for each in sorted(entries, key=lambda each: each.image):
        images[each.image] = {"digest": each.digest}
        images[each.image] |= {"platform": each.platform} if each.platform else {}
        images[each.image] |= {"source": each.source} if each.source else {}
    lines += dump_yaml({"images": images}).splitlines()
    top, *others = _split_comments(before)
    first = next((each for each in top.above if each.startswith(EDITORS)), HEAD)
    written = [first, *(each for each in top.above if each != first)]
    names = {line for line in lines if not line.startswith("    ")}
    above = {each.line: each.above for each in others if each.line in names}
    for line in lines:
        indent = line[: len(line) - len(line.lstrip())]
        written += [*(f"{indent}{each}" for each in above.get(line, ())), line]
    lost = sum(len(each.above) for each in others if each.line not in names)
    behind = sum(BEHIND.search(each.line) is not None for each in (top, *others))
    return LockText("".join(f"{each}\n" for each in written), lost + behind)


class CommentedLine(NamedTuple):
    """A line, and the comments above it."""

    above: tuple[str, ...]
    line: str


def _split_comments(text: str) -> Iterator[CommentedLine]:
    """Yield the lines of a text that say something, and what is left at its end."""
    waiting: list[str] = []
    for line in (*filter(str.strip, text.splitlines()), ""):
        if line.lstrip().startswith("#"):
            waiting.append(line.strip())
        else:
            yield CommentedLine(tuple(waiting), line.rstrip())
            waiting = []
