"""Check versions from one release to the next: none goes back, patch releases add and drop none."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Finding, Origin, get_rule
from kitgen.kit.model import Kit, Release
from kitgen.kit.releases import PLACEHOLDER
from kitgen.text.semver import is_patch_release, is_version, version_key
from kitgen.text.wording import join_words

RELEASE_BACKWARDS = get_rule("release-backwards")
RELEASE_PATCH = get_rule("release-patch")


def get_release_origin(release: Release, *path: str) -> Origin:
    """Return where a release has something, in its own file, though it may have taken that over.

    What it was before, and what else is built, is no matter of the release that it builds on.
    """
    return Origin(release.origin.file, path)


def check_successor(kit: Kit, release: Release) -> Iterator[Finding]:
    """Yield what goes back in one release, or comes or goes if it is a patch."""
    if (before := kit.releases.get(release.replaces)) is None:
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
    hint = "accept it with the reason, if it is meant"

    def at(name: str) -> Origin:
        return get_release_origin(release, "components" if name in release.components else "records", name)

    for name, version in new.items():
        known = old.get(name, "")
        if PLACEHOLDER.fullmatch(version) or not (is_version(version) and is_version(known)):
            continue  # another rule tells of it
        if version_key(version) < version_key(known):
            yield RELEASE_BACKWARDS(
                f"found {name} {version}, which was {known} in {before.name}", hint=hint
            ).to_finding(at(name))
    if not is_patch_release(before.name, release.name):
        return
    for name in (name for name in new if name not in old):
        yield RELEASE_PATCH(
            f"found {name}, which {before.name} does not have, expected no more in a patch", hint=hint
        ).to_finding(at(name))
    built = before.components if release.components else {}  # a record says nothing of what is built
    if gone := [name for name in old if name not in new and (name in built or name in before.records)]:
        yield RELEASE_PATCH(
            f"found no {join_words(gone)}, which {before.name} has, expected all of it in a patch", hint=hint
        ).to_finding(release.origin.at("release"))
