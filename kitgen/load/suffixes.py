"""Ranges that a version with a suffix, such as a fork's, is on the other side of than the one without."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Chapter, Finding, Origin, Rule, Severity, in_chain
from kitgen.model import Block, Kit, Target
from kitgen.semver import in_range, is_early, with_suffixed

VERSION_SUFFIX = Rule(
    id="version-suffix",
    chapter=Chapter.TARGET,
    checks=(
        "A range of versions has v1.2.0-fork on the same side as v1.2.0. In semantic versioning, a version "
        "with a suffix comes before the plain one, so `>=1.2.0` does not have it, and `<1.2.0` does."
    ),
    fix="Write `>=1.2.0-0` or `<1.2.0-0`, which takes all suffixes of v1.2.0 as v1.2.0 itself.",
    why="Settings of a target for a version stop applying to its fork, and nothing else reports that.",
    severity=Severity.WARNING,
    exceptable=True,
)


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


def _block(block: Block, version: str) -> Iterator[Finding]:
    ranges: list[tuple[str, str, Origin]] = [("settings", block.versions, block.settings.origin)]
    patches = (patch.layers[0] for patch in block.settings.patches)
    ranges += [("a patch", each.data.get("versions", ""), each.origin.at("versions")) for each in patches]
    for what, wanted, origin in ranges:
        if instead := with_suffixed(wanted, version):
            plain = version.partition("-")[0]
            has, lacks = (version, plain) if in_range(version, wanted) else (plain, version)
            message = f"found {what} for {wanted!r}, which has {has} and not {lacks}"
            hint = f"{version} comes before {plain}; write {instead!r} to take both alike"
            yield VERSION_SUFFIX(message, hint=hint).at(origin)
