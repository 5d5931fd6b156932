"""What `kitgen images lock` does: put digests that files tell into the lock of a release."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from kitgen.files.edits import change
from kitgen.findings import Finding, Origin, near, unique
from kitgen.findings.errors import FindingsError, UsageError
from kitgen.images.catalogs import packages_of, taken
from kitgen.images.digest_matching import pair, told_aside
from kitgen.images.digests.reading import read_digests
from kitgen.images.lock_merge import LockText, MergedLock, lock_text, merged
from kitgen.images.locked_images import LockImages, wanted_of, with_tag
from kitgen.images.release_lock import LOCK_UNUSED, check_lock, unlocked_plans
from kitgen.kit.locks import lock_file
from kitgen.kit.model import Release
from kitgen.kit.model.release import Lock
from kitgen.kube.image_reference import ImageReference, parsed
from kitgen.render.images import by_image
from kitgen.text.wording import choice, counted, cut
from kitgen.workspace.kit import OpenedKit, open_kit, require


class LockRequest(Struct, frozen=True, kw_only=True):
    """Which digests to lock, and how."""

    root: Path | None = None
    files: tuple[str, ...] = ()
    release: str | None = None
    """The one that all targets pin when absent."""
    image: str | None = None
    """What the files are about, where they do not say it."""
    tool: str = ""
    """What reported the digests, where the files do not say it."""
    update: bool = False
    """Whether a new digest takes the place of another one."""
    prune: bool = False
    """Whether entries go that nothing uses."""
    dry_run: bool = False


class LockResult(Struct, frozen=True, kw_only=True):
    """What a lock holds now, or would."""

    root: Path
    release: str
    file: str
    changed: bool
    """Whether the file is another one than before."""
    changes: tuple[str, ...]
    missing: tuple[str, ...]
    """Images that have no digest still."""
    images: int
    findings: tuple[Finding, ...]
    remarks: tuple[str, ...]
    texts: Mapping[str, str]
    """The lock and the files that were read, for the lines of findings."""

    @property
    def stale(self) -> bool:
        """Tell whether the lock is not what it should be."""
        unused = any(each.rule is LOCK_UNUSED and not each.accepted for each in self.findings)
        return self.changed or bool(self.missing) or unused


def lock_images(request: LockRequest) -> LockResult:
    """Lay what files tell over the lock of a release, and write it; what is wrong is a FindingsError."""
    opened = open_kit(request.root)
    release = _release(opened, request.release)
    plans = unlocked_plans(opened, release)
    require(opened.judged(each for plan in plans for each in plan.findings), opened.root)
    images = by_image(plans)
    wanted = wanted_of(images, packages_of(opened.kit, release))
    used = {each.image for each in images}
    made, remarks, guesses, texts = _merged(request, opened, release, wanted)
    gone = sorted(made.entries.keys() - used) if request.prune else []
    entries = {name: each for name, each in sorted(made.entries.items()) if name not in gone}
    file = lock_file(release.name)
    before = opened.texts.get(file)
    new = LockText(before or "", 0)
    if release.lock is None or entries != release.lock.images:  # else people's layout is as good as any
        new = lock_text(release.name, entries.values(), before or "")
    changed = new.text != before and bool(entries or before is not None)
    if changed and not request.dry_run:
        change(opened.root, opened.texts, {file: new.text})
    lost = f"{counted(new.lost, 'comment')} between the lines of the lock could not be kept"
    lock = Lock(release=release.name, images=entries, origin=Origin(file))
    return LockResult(
        root=opened.root,
        release=release.name,
        file=file,
        changed=changed,
        changes=(*made.changes, *(f"{name}: gone, since nothing uses it" for name in gone)),
        missing=tuple(each for each in wanted.needed if each not in entries),
        images=len(wanted.needed),
        findings=tuple(opened.judged((*guesses, *check_lock(lock, used)))),
        remarks=(*remarks, *([lost] if new.lost else ())),
        texts={**texts, file: new.text},
    )


def _merged(
    request: LockRequest, opened: OpenedKit, release: Release, wanted: LockImages
) -> tuple[MergedLock, tuple[str, ...], tuple[Finding, ...], Mapping[str, str]]:
    """Read the files, and lay them over the lock; return what there is to say besides, and the files."""
    named = _named(request.image, wanted, release)
    read = read_digests(request.files)
    told = tuple(replace(each, source=each.source or request.tool) for each in read.told)
    bundles = taken(told, wanted, release.name)
    paired = pair(bundles.told, wanted, release.name, named)
    old = release.lock.images if release.lock else {}
    made = merged(lock_file(release.name), old, paired.found, wanted, update=request.update)
    of_files = (*read.findings, *bundles.findings)
    if wrong := unique((*of_files, *paired.findings, *made.findings)):
        raise FindingsError(wrong, opened.root, read.texts)
    unsaid = sum(not each.source for each in told)
    asked = f"what reported {counted(unsaid, 'digest')} is not said: --tool names it"
    remarks = (
        *([asked] if unsaid else ()),
        *made.remarks,
        *bundles.remarks(release.name),
        *told_aside(paired.aside, wanted, release.name),
    )
    return made, remarks, paired.guesses, read.texts


def _release(opened: OpenedKit, name: str | None) -> Release:
    """Return the release to lock: the one that is named, or that all targets pin."""
    if name is not None:
        return opened.building(name)
    if len(pinned := sorted({each.release for each in opened.kit.targets.values()})) == 1:
        return opened.building(pinned[0])
    found = f"targets pin {choice(pinned, last='and')}" if pinned else "there is no target"
    raise UsageError(f"{found}, so that it is not plain which release to lock", hint="name it with --release")


def _named(image: str | None, wanted: LockImages, release: Release) -> ImageReference | None:
    """Return the image that the command line names; one that nothing uses is wrong usage."""
    if image is None:
        return None
    if isinstance(parts := parsed(image), str):
        raise UsageError(f"--image {cut(image)}: {parts}")
    if (found := with_tag(parts)) not in wanted.names:
        names = [each for some in wanted.names.values() for each in some]
        raise UsageError(
            f"no target of {release.name} uses {cut(image)} by its tag",
            hint=near(image, names) or "kitgen images lists them",
        )
    return found
