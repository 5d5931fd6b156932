"""What becomes of versions from one release to the next: none goes back, and patches add and drop nothing.

Ranges that a version with a suffix, such as a fork's, is on the other side of than the one without.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kitgen.findings import Finding, Origin, in_chain, rule
from kitgen.kit.model import Kit, Release, SettingsBlock, Target
from kitgen.kit.releases import PLACEHOLDER
from kitgen.text.semver import in_range, is_early, is_patch, is_version, version_key, with_suffixed
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


VERSION_SUFFIX = rule("version-suffix")


def check_suffixes(kit: Kit) -> list[Finding]:
    """Return a warning for every range of a target that a suffix makes a difference to."""
    return [
        finding
        for target in kit.targets.values()
        for finding in in_chain(_target(kit, target), "targets/", target.chain)
    ]


def suffix_hint(wanted: str, versions: list[str]) -> str:
    """Return the range that has a version with a suffix where the given one has it without; empty if none."""
    found = (with_suffixed(wanted, each) for each in versions if is_early(each))
    return next((f"write {each!r} to take suffixes too" for each in found if each), "")


def _target(kit: Kit, target: Target) -> Iterator[Finding]:
    """Yield the ranges of a target, if it takes such a version, or may: no target does so far."""
    whole = len(kit.releases) == len(kit.release_names)
    for name, blocks in target.settings.items():
        for version in filter(is_early, kit.versions.get(name, ())):
            takers = [each.name for each in kit.targets.values() if _takes(kit, each, name, version)]
            if target.name in takers or (whole and not takers):
                yield from (odd for block in blocks for odd in _block(block, version))


def _takes(kit: Kit, target: Target, component: str, version: str) -> bool:
    return any(target.takes(each).get(component) == version for each in kit.releases.values())


def _block(block: SettingsBlock, version: str) -> Iterator[Finding]:
    ranges: list[tuple[str, str, Origin]] = [("settings", block.versions, block.settings.origin)]
    patches = (patch.layers[0] for patch in block.settings.patches)
    ranges += [("a patch", each.data.get("versions", ""), each.origin.at("versions")) for each in patches]
    for what, wanted, origin in ranges:
        if instead := with_suffixed(wanted, version):
            plain = version.partition("-")[0]
            has, lacks = (version, plain) if in_range(version, wanted) else (plain, version)
            message = f"found {what} for {wanted!r}, which has {has} and not {lacks}"
            yield VERSION_SUFFIX(
                message, hint=f"{version} comes before {plain}; write {instead!r} to take both alike"
            ).at(origin)
