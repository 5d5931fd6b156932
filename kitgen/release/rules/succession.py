"""What a release is called, and what it comes after: the newest one before it.

APIs of a release: a patch brings, moves and takes none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kitgen.findings import Finding, get_rule, make_problem
from kitgen.kit.crd_names import DeclaredCrd, list_component_crds
from kitgen.kit.model import Kit, Release
from kitgen.kit.releases import check_version_format
from kitgen.kit.succession import get_release_origin
from kitgen.text.semver import is_in_range, is_patch_release, newest_before, version_key
from kitgen.text.wording import join_words


def check_release_name(kit: Kit, release: Release) -> Iterator[Finding]:
    """Yield that a release is called what scripts print; where there are bundles, loading tells so."""
    if not any(each.bundle for each in kit.targets.values()):
        yield from check_version_format(release.name, release.origin.at("release"))


def check_replaced_release(kit: Kit, release: Release) -> Iterator[Finding]:
    """Yield that a release replaces another one than the newest before it."""
    before = (each.name for each in kit.releases.values() if _is_predecessor(each, release))
    newest = newest_before(before, release.name)
    if release.replaces and newest and version_key(release.replaces) < version_key(newest):
        yield make_problem(
            "release-newest",
            f"found {release.replaces!r}, but {newest} is newer",
            hint=f"replace {newest}, or skip it",
        ).to_finding(release.origin.at("replaces"))


def _is_predecessor(other: Release, release: Release) -> bool:
    """Return whether a release is older than another one, there when that came out, and not skipped."""
    if version_key(other.name) >= version_key(release.name) or other.name in release.skips:
        return False
    if release.date and (not other.date or other.date > release.date):
        return False  # a fix of an older line, made later
    return not (release.skip_range and _is_in_range(other.name, release.skip_range))


def _is_in_range(version: str, wanted: str) -> bool:
    try:
        return is_in_range(version, wanted)
    except ValueError:
        return False  # another rule tells of it


RELEASE_API = get_rule("release-api")


def check_apis(kit: Kit, release: Release) -> Iterator[Finding]:
    """Yield CRDs that a patch changes, held against the release that it replaces."""
    if (before := kit.releases.get(release.replaces)) is None or not is_patch_release(
        before.name, release.name
    ):
        return
    shared = [name for name in release.components if name in before.components]  # others are told already
    new, old = _collect_crds(kit, release, release.components), _collect_crds(kit, before, before.components)
    for name in shared:
        for message in _describe_crd_changes(
            _collect_crds(kit, release, [name]), _collect_crds(kit, before, [name]), new, old
        ):
            yield RELEASE_API(
                f"{message}, expected the CRDs of {before.name} in a patch",
                hint="accept it with the reason, if it is meant",
            ).to_finding(get_release_origin(release, "components", name))


def _collect_crds(kit: Kit, release: Release, names: Iterable[str]) -> dict[tuple[str, str], DeclaredCrd]:
    """Return the CRDs of some components of a release, by kind and group."""
    found = (
        each for name in names for each in list_component_crds(kit.components[name][release.components[name]])
    )
    return {(str(each.names["kind"]), each.group): each for each in found}


def _describe_crd_changes(
    mine: dict[tuple[str, str], DeclaredCrd],
    was: dict[tuple[str, str], DeclaredCrd],
    new: dict[tuple[str, str], DeclaredCrd],
    old: dict[tuple[str, str], DeclaredCrd],
) -> Iterator[str]:
    """Yield what becomes of the CRDs of a component; one that went to another component is still there."""
    gone = {kind: group for kind, group in was if (kind, group) not in new}
    come = {kind: group for kind, group in mine if (kind, group) not in old}
    for kind in (kind for kind in come if kind in gone):
        yield f"found {kind} in the group {come[kind]}, which was in {gone[kind]}"
    if added := [f"{kind}.{group}" for kind, group in come.items() if kind not in gone]:
        yield f"found the new CRD {join_words(added, last='and')}"
    if dropped := [f"{kind}.{group}" for kind, group in gone.items() if kind not in come]:
        yield f"found no CRD {join_words(dropped)}"
    for key in (key for key in mine if key in was and mine[key].scope != was[key].scope):
        yield f"found {'.'.join(key)} with the scope {mine[key].scope}, which was {was[key].scope}"
