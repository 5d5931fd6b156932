"""What a release is called, and what it comes after: the newest one before it."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Chapter, Finding, Rule
from kitgen.load.releases import wrong_version
from kitgen.model import Kit, Release
from kitgen.semver import in_range, newest_before, version_key

RELEASE_NEWEST = Rule(
    id="release-newest",
    chapter=Chapter.RELEASE,
    checks=(
        "A release replaces the newest one that came out before it, of those in the kit. Release candidates "
        "count; what it skips does not."
    ),
    fix="Name that one in `replaces`, or what is left out under `skips`.",
    why="Whoever runs the release that was left out has no way to upgrade.",
    exceptable=True,
)


def check_name(kit: Kit, release: Release) -> Iterator[Finding]:
    """Yield that a release is called what scripts print; where there are bundles, loading tells so."""
    if not any(each.bundle for each in kit.targets.values()):
        yield from wrong_version(release.name, release.origin.at("release"))


def check_replaced(kit: Kit, release: Release) -> Iterator[Finding]:
    """Yield that a release replaces another one than the newest before it."""
    before = [each.name for each in kit.releases.values() if _is_before(each, release)]
    newest = newest_before(before, release.name)
    if release.replaces and newest and version_key(release.replaces) < version_key(newest):
        message = f"found {release.replaces!r}, but {newest} is newer"
        hint = f"replace {newest}, or skip it"
        yield RELEASE_NEWEST(message, hint=hint).at(release.origin.at("replaces"))


def _is_before(other: Release, release: Release) -> bool:
    """Tell whether a release is older than another one, was there when that came out, and is not skipped."""
    if version_key(other.name) >= version_key(release.name) or other.name in release.skips:
        return False
    if release.date and (not other.date or other.date > release.date):
        return False  # a fix of an older line, made later
    return not (release.skip_range and _in(other.name, release.skip_range))


def _in(version: str, wanted: str) -> bool:
    try:
        return in_range(version, wanted)
    except ValueError:
        return False  # another rule tells of it
