"""What `kitgen release check` does: look for the mistakes that releases come out with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct, field

from kitgen.errors import UsageError
from kitgen.findings import Finding, unique
from kitgen.model import Release
from kitgen.pipeline.opened import Opened, open_kit, pick
from kitgen.pipeline.released import check_released, check_written
from kitgen.pipeline.releases.against import Against, held_against
from kitgen.pipeline.releases.refused import rendered, unbuildable, unpublishable


class ReleaseCheckRequest(Struct, frozen=True, kw_only=True):
    """Which releases to look at."""

    root: Path | None = None
    version: str | None = None
    """The newest one when absent."""
    every: bool = False
    against: tuple[str, ...] = ()
    """Files and folders of others that are held to the release."""
    target: str | None = None
    """The one whose versions count in them; any when absent."""


class ReleaseChecked(Struct, frozen=True, kw_only=True):
    """What was looked at and found."""

    root: Path
    releases: tuple[str, ...]
    """The oldest first."""
    findings: tuple[Finding, ...]
    """Those that are accepted say why."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """Files of others, for the lines of findings."""
    remarks: tuple[str, ...] = ()


def run_release_check(request: ReleaseCheckRequest) -> ReleaseChecked:
    """Look at a release, the newest one, or all of them."""
    opened = open_kit(request.root, releases=False)
    releases = _wanted(opened, request)
    findings = [*check_written(opened.kit, releases), *check_released(opened, releases, alone=True)]
    known = unique(opened.judged(findings))
    if not any(each.blocks for each in known):  # or nothing can be made of them
        known = unique([*known, *(found for each in releases for found in _refused(opened, each))])
    release = None if request.every else releases[0]
    others = held_against(opened, request.against, release, request.target) if request.against else Against()
    return ReleaseChecked(
        root=opened.root,
        releases=tuple(each.name for each in releases),
        findings=tuple(unique([*known, *opened.judged([*others.findings])])),
        texts=others.texts,
        remarks=others.remarks,
    )


def _refused(opened: Opened, release: Release) -> Iterator[Finding]:
    """Yield what `kitgen release plan` refuses, or counts as errors."""
    wrong = unpublishable(opened, release)
    yield from wrong
    if not any(each.blocks for each in wrong):
        yield from unbuildable(opened, release)
        yield from rendered(opened, release)[1]


def _wanted(opened: Opened, request: ReleaseCheckRequest) -> list[Release]:
    releases = opened.kit.releases
    if not releases:
        raise UsageError("this kit has no release", hint="kitgen release new makes one")
    if request.every:
        return [*releases.values()]
    return [pick(releases, "release", request.version or [*releases][-1])]
