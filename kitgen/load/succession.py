"""What becomes of versions from one release to the next: none goes back, and patches add and drop nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kitgen.findings import Chapter, Finding, Origin, Rule
from kitgen.load.releases import PLACEHOLDER
from kitgen.model import Kit, Release
from kitgen.schema.wording import choice
from kitgen.semver import is_patch, is_version, version_key

RELEASE_BACKWARDS = Rule(
    id="release-backwards",
    chapter=Chapter.RELEASE,
    checks="No version in a release is older than in the release that it replaces.",
    fix="Correct the version; if it is meant, accept it under `exceptions` of the release, with the reason.",
    exceptable=True,
)

RELEASE_PATCH = Rule(
    id="release-patch",
    chapter=Chapter.RELEASE,
    checks="A release that only raises the last number builds and records the same things as the one before.",
    fix="Raise the second number, or accept it under `exceptions` of the release, with the reason.",
    why="Whoever takes a patch expects a fix, and reads no notes. What comes new or goes is a surprise.",
    exceptable=True,
)


def said_by(release: Release, *path: str) -> Origin:
    """Return where a release has something, in its own file, though it may have taken that over.

    What it was before, and what else is built, is no matter of the release that it builds on.
    """
    return Origin(release.origin.file, path)


def check_succession(kit: Kit) -> Iterator[Finding]:
    """Yield what goes back, comes new or goes in a release, held against the one that it replaces."""
    for release in kit.releases.values():
        yield from check_successor(kit, release)


def check_successor(kit: Kit, release: Release) -> Iterator[Finding]:
    """Yield what goes back in one release, or comes or goes if it is a patch."""
    before = kit.releases.get(release.replaces)
    if before is None:
        return
    new, old = _versions(kit, release), _versions(kit, before)
    yield from _backwards(release, before, new, old)
    if is_patch(before.name, release.name):
        yield from _changed(release, before, new, old)


def _versions(kit: Kit, release: Release) -> dict[str, str]:
    """Return what belongs to a release beside the project itself."""
    found = {**release.records, **release.components}
    return {name: version for name, version in found.items() if name != kit.project}


def _at(release: Release, name: str) -> Origin:
    return said_by(release, "components" if name in release.components else "records", name)


def _backwards(
    release: Release, before: Release, new: Mapping[str, str], old: Mapping[str, str]
) -> Iterator[Finding]:
    for name, version in new.items():
        known = old.get(name, "")
        if PLACEHOLDER.fullmatch(version) or not (is_version(version) and is_version(known)):
            continue  # another rule tells of it
        if version_key(version) < version_key(known):
            message = f"found {name} {version}, which was {known} in {before.name}"
            yield RELEASE_BACKWARDS(message, hint="accept it with the reason, if it is meant").at(
                _at(release, name)
            )


def _changed(
    release: Release, before: Release, new: Mapping[str, str], old: Mapping[str, str]
) -> Iterator[Finding]:
    hint = "accept it with the reason, if it is meant"
    for name in (name for name in new if name not in old):
        message = f"found {name}, which {before.name} does not have, expected no more in a patch"
        yield RELEASE_PATCH(message, hint=hint).at(_at(release, name))
    built = before.components if release.components else {}  # a record says nothing of what is built
    if gone := [name for name in old if name not in new and (name in built or name in before.records)]:
        message = f"found no {choice(gone)}, which {before.name} has, expected all of it in a patch"
        yield RELEASE_PATCH(message, hint=hint).at(release.origin.at("release"))
