"""What `kitgen release check` does: look for the mistakes that releases come out with."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from kitgen.errors import UsageError
from kitgen.findings import Finding
from kitgen.model import Release
from kitgen.pipeline.opened import Opened, open_kit, pick
from kitgen.pipeline.released import check_released, check_written


class ReleaseCheckRequest(Struct, frozen=True, kw_only=True):
    """Which releases to look at."""

    root: Path | None = None
    version: str | None = None
    """The newest one when absent."""
    every: bool = False


class ReleaseChecked(Struct, frozen=True, kw_only=True):
    """What was looked at and found."""

    root: Path
    releases: tuple[str, ...]
    """The oldest first."""
    findings: tuple[Finding, ...]
    """Those that are accepted say why."""


def run_release_check(request: ReleaseCheckRequest) -> ReleaseChecked:
    """Look at a release, the newest one, or all of them."""
    opened = open_kit(request.root, releases=False)
    releases = _wanted(opened, request)
    findings = [*check_written(opened.kit, releases), *check_released(opened, releases, alone=True)]
    return ReleaseChecked(
        root=opened.root,
        releases=tuple(each.name for each in releases),
        findings=tuple(opened.judged(findings)),
    )


def _wanted(opened: Opened, request: ReleaseCheckRequest) -> list[Release]:
    releases = opened.kit.releases
    if not releases:
        raise UsageError("this kit has no release", hint="kitgen release new makes one")
    if request.every:
        return [*releases.values()]
    return [pick(releases, "release", request.version or [*releases][-1])]
