"""What becomes of versions from one release to the next: none goes back, and patches add and drop nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kitgen.findings import Finding, Origin, rule
from kitgen.kit.model import Kit, Release
from kitgen.kit.releases import PLACEHOLDER
from kitgen.text.semver import is_patch, is_version, version_key
from kitgen.text.wording import choice

RELEASE_BACKWARDS = rule("release-backwards")
RELEASE_PATCH = rule("release-patch")


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
    # Beside the project itself.
    new, old = (
        {
            name: version
            for name, version in {**each.records, **each.components}.items()
            if name != kit.project
        }
        for each in (release, before)
    )
    yield from _backwards(release, before, new, old)
    if is_patch(before.name, release.name):
        yield from _changed(release, before, new, old)


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
            yield RELEASE_BACKWARDS(
                f"found {name} {version}, which was {known} in {before.name}",
                hint="accept it with the reason, if it is meant",
            ).at(_at(release, name))


def _changed(
    release: Release, before: Release, new: Mapping[str, str], old: Mapping[str, str]
) -> Iterator[Finding]:
    hint = "accept it with the reason, if it is meant"
    for name in (name for name in new if name not in old):
        yield RELEASE_PATCH(
            f"found {name}, which {before.name} does not have, expected no more in a patch", hint=hint
        ).at(_at(release, name))
    built = before.components if release.components else {}  # a record says nothing of what is built
    if gone := [name for name in old if name not in new and (name in built or name in before.records)]:
        yield RELEASE_PATCH(
            f"found no {choice(gone)}, which {before.name} has, expected all of it in a patch", hint=hint
        ).at(release.origin.at("release"))
