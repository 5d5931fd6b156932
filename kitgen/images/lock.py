"""What `kitgen images lock` does: put digests that files tell into the lock of a release."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from kitgen.files.edits import change_files
from kitgen.findings import Finding, Origin, deduplicate_findings, suggest_word
from kitgen.findings.errors import FindingsError, UsageError
from kitgen.images.catalogs import list_release_packages, select_bundles
from kitgen.images.digest_matching import describe_unused_digests, match_digests
from kitgen.images.digests.reading import read_digests
from kitgen.images.lock_merge import LockText, MergedLock, merge_digests, render_lock
from kitgen.images.locked_images import LockImages, add_default_tag, build_lock_images
from kitgen.images.release_lock import LOCK_UNUSED, check_lock, compile_unlocked_plans
from kitgen.kit.locks import get_lock_path
from kitgen.kit.model import Release
from kitgen.kit.model.release import Lock
from kitgen.kube.image_reference import ImageReference, parse_reference_or_error
from kitgen.render.images import list_plan_images
from kitgen.text.wording import format_count, join_words, quote_text
from kitgen.workspace.kit import OpenedKit, open_kit, raise_on_errors


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
    def is_stale(self) -> bool:
        """Tell whether the lock is not what it should be."""
        unused = any(each.rule is LOCK_UNUSED and not each.accepted for each in self.findings)
        return self.changed or bool(self.missing) or unused


def lock_images(request: LockRequest) -> LockResult:
    """Lay what files tell over the lock of a release, and write it; what is wrong is a FindingsError."""
    opened = open_kit(request.root)
    release = _resolve_release(opened, request.release)
    plans = compile_unlocked_plans(opened, release)
    raise_on_errors(opened.apply_exceptions(each for plan in plans for each in plan.findings), opened.root)
    images = list_plan_images(plans)
    wanted = build_lock_images(images, list_release_packages(opened.kit, release))
    used = {each.image for each in images}
    made, remarks, guesses, texts = _merge_files(request, opened, release, wanted)
    gone = sorted(made.entries.keys() - used) if request.prune else []
    entries = {name: each for name, each in sorted(made.entries.items()) if name not in gone}
    file = get_lock_path(release.name)
    before = opened.texts.get(file)
    new = LockText(before or "", 0)
    if release.lock is None or entries != release.lock.images:  # else people's layout is as good as any
        new = render_lock(release.name, entries.values(), before or "")
    changed = new.text != before and bool(entries or before is not None)
    if changed and not request.dry_run:
        change_files(opened.root, opened.texts, {file: new.text})
    lost = f"{format_count(new.lost, 'comment')} between the lines of the lock could not be kept"
    lock = Lock(release=release.name, images=entries, origin=Origin(file))
    return LockResult(
        root=opened.root,
        release=release.name,
        file=file,
        changed=changed,
        changes=(*made.changes, *(f"{name}: gone, since nothing uses it" for name in gone)),
        missing=tuple(each for each in wanted.needed if each not in entries),
        images=len(wanted.needed),
        findings=tuple(opened.apply_exceptions((*guesses, *check_lock(lock, used)))),
        remarks=(*remarks, *([lost] if new.lost else ())),
        texts={**texts, file: new.text},
    )


def _merge_files(
    request: LockRequest, opened: OpenedKit, release: Release, wanted: LockImages
) -> tuple[MergedLock, tuple[str, ...], tuple[Finding, ...], Mapping[str, str]]:
    """Read the files, and lay them over the lock; return what there is to say besides, and the files."""
    named = _resolve_image(request.image, wanted, release)
    read = read_digests(request.files)
    told = tuple(replace(each, source=each.source or request.tool) for each in read.told)
    bundles = select_bundles(told, wanted, release.name)
    paired = match_digests(bundles.told, wanted, release.name, named)
    old = release.lock.images if release.lock else {}
    made = merge_digests(get_lock_path(release.name), old, paired.found, wanted, update=request.update)
    of_files = (*read.findings, *bundles.findings)
    if wrong := deduplicate_findings((*of_files, *paired.findings, *made.findings)):
        raise FindingsError(wrong, opened.root, read.texts)
    unsaid = sum(not each.source for each in told)
    asked = f"what reported {format_count(unsaid, 'digest')} is not said: --tool names it"
    remarks = (
        *([asked] if unsaid else ()),
        *made.remarks,
        *bundles.describe_passed(release.name),
        *describe_unused_digests(paired.aside, wanted, release.name),
    )
    return made, remarks, paired.guesses, read.texts


def _resolve_release(opened: OpenedKit, name: str | None) -> Release:
    """Return the release to lock: the one that is named, or that all targets pin."""
    if name is not None:
        return opened.get_buildable_release(name)
    if len(pinned := sorted({each.release for each in opened.kit.targets.values()})) == 1:
        return opened.get_buildable_release(pinned[0])
    found = f"targets pin {join_words(pinned, last='and')}" if pinned else "there is no target"
    raise UsageError(f"{found}, so that it is not plain which release to lock", hint="name it with --release")


def _resolve_image(image: str | None, wanted: LockImages, release: Release) -> ImageReference | None:
    """Return the image that the command line names; one that nothing uses is wrong usage."""
    if image is None:
        return None
    if isinstance(parts := parse_reference_or_error(image), str):
        raise UsageError(f"--image {quote_text(image)}: {parts}")
    if (found := add_default_tag(parts)) not in wanted.names:
        names = [each for some in wanted.names.values() for each in some]
        raise UsageError(
            f"no target of {release.name} uses {quote_text(image)} by its tag",
            hint=suggest_word(image, names) or "kitgen images lists them",
        )
    return found
