"""What becomes of the versions that belong to a release, and what its file says of that."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from kitgen.findings import parse_pointer
from kitgen.kit.model import ITSELF, Kit, Release, Target
from kitgen.kit.releases import PLACEHOLDER
from kitgen.kit.succession import RELEASE_BACKWARDS, RELEASE_PATCH
from kitgen.release.notes.model import AcceptedOddity, NotedOverride, Version, VersionChange
from kitgen.text.semver import is_patch_release, is_version, newest_before, version_key


def compare_versions(kit: Kit, since: Release | None, release: Release) -> Iterator[Version]:
    """Yield all that one of two releases has, in the order of the matrix; what stays the same too."""
    old, new = _versions_by_name(kit, since) if since else {}, _versions_by_name(kit, release)
    labels = _labels_by_name(kit)
    order = {name: place for place, name in enumerate(labels)}
    # The project has no name of its own in the matrix, and stands where the release does.
    for name in sorted(
        dict.fromkeys((*new, *old)), key=lambda each: (each != kit.project, order.get(each, len(order)))
    ):
        was, now = old.get(name), new.get(name)
        change: VersionChange = _classify_change(was, now) if since else "same"
        where = _find_change_release(kit, since, release, name, change) if since else None
        yield Version(
            name=name,
            label=labels.get(name, name),
            before=was,
            after=now,
            change=change,
            built=since is not None and name in since.components,
            builds=name in release.components,
            release=where.name if where else None,
            patch=where is not None and _is_patch(kit, where),
            reason=_find_reason(kit, where, name) if where else None,
        )


def _labels_by_name(kit: Kit) -> dict[str, str]:
    """Return what the matrix calls everything; the project is what it has for the release itself."""
    labels = {row.of: row.label for row in kit.matrix.rows} if kit.matrix else {}
    return {**labels, kit.project: labels[ITSELF]} if kit.project and ITSELF in labels else labels


def _versions_by_name(kit: Kit, release: Release) -> dict[str, str]:
    """Return all versions of a release; the project has its own."""
    return {**({kit.project: release.name} if kit.project else {}), **release.components, **release.records}


def _classify_change(was: str | None, now: str | None) -> VersionChange:
    if was == now:
        return "same"
    if was is None or now is None:
        return "added" if was is None else "removed"
    if PLACEHOLDER.fullmatch(now) or not (is_version(was) and is_version(now)):
        return "changed"
    return "raised" if version_key(was) < version_key(now) else "lowered"


def _find_change_release(
    kit: Kit, since: Release, release: Release, name: str, change: str
) -> Release | None:
    """Return the release on the way in which something came, went or went back; the last one counts.

    There is none if the way is back.
    """
    if change not in ("added", "removed", "lowered"):
        return None
    low, high = version_key(since.name), version_key(release.name)
    on_the_way = [each for each in kit.releases.values() if low < version_key(each.name) <= high]
    found = [
        now
        for was, now in pairwise([since, *on_the_way])
        if _classify_change(_versions_by_name(kit, was).get(name), _versions_by_name(kit, now).get(name))
        == change
    ]
    return found[-1] if found else None


def _is_patch(kit: Kit, release: Release) -> bool:
    before = release.replaces or newest_before(kit.releases, release.name)
    return bool(before) and is_patch_release(before, release.name)


def _find_reason(kit: Kit, release: Release, name: str) -> str | None:
    """Return why something came, went or went back, if the release says so."""
    rules, file = (RELEASE_BACKWARDS.id, RELEASE_PATCH.id), release.origin.file
    reasons = (
        (parse_pointer(each.pointer), each.reason)
        for each in kit.exceptions
        if each.file == file and each.rule in rules
    )
    return next((why for path, why in reasons if path[-1:] == (name,) or path == ("release",)), None)


def list_accepted_oddities(kit: Kit, release: Release) -> tuple[AcceptedOddity, ...]:
    """Return what the file of a release accepts, each with its reason."""
    labels, file = _labels_by_name(kit), release.origin.file
    found = [each for each in kit.exceptions if each.file == each.origin.file == file]
    names = [str((parse_pointer(each.pointer) or (ITSELF,))[-1]) for each in found]
    return tuple(
        AcceptedOddity(about=labels.get(name, name), rule=each.rule, reason=each.reason)
        for name, each in zip(names, found, strict=True)
    )


def list_overrides(targets: Sequence[Target], release: Release) -> tuple[NotedOverride, ...]:
    """Return where targets take another version than a release says."""
    return tuple(
        NotedOverride(target=target.name, name=name, version=own.version, reason=own.why)
        for target in targets
        for name, version in release.components.items()
        if (own := target.find_override(name, release.name)) and own.version != version
    )
