"""CRDs of a phase: those of the release whose operator runs, and what earlier releases had besides.

A release knows its operator's schemas, conversion and storage version. So its CRDs are never replaced:
missing ones are added, and those that will be removed are marked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from kitgen.crd.declaration import has_conversion
from kitgen.crd.definition import is_crd
from kitgen.findings import Cause, CauseKind, Origin, Path
from kitgen.kit.model.migration import Migration, Phase
from kitgen.kube.identity import ObjectId
from kitgen.kube.manifest import ANNOTATIONS, FieldSource, Manifest
from kitgen.kube.object_size import SYNC_OPTIONS, parse_sync_options
from kitgen.migrate.kinds import MovedKinds, MovingKind, OldKind, versions_of
from kitgen.render.kustomize.field_paths import apply_change
from kitgen.text.yaml import Json, JsonObject

GUARDS = ("Prune=false", "Delete=false")
"""What keeps Argo CD from deleting a CRD that leaves the tree."""
LONGEST_WARNING = 256
VERSIONS: Path = ("spec", "versions")
Releases: TypeAlias = Mapping[str, Sequence[Manifest]]
"""The objects of a target in each release of a migration."""
Leaving: TypeAlias = Sequence[OldKind]
"""What moves from one CRD, or goes with it."""


def build_phase_crds(
    migration: Migration, phase: Phase, releases: Releases, some: MovedKinds
) -> Iterator[Manifest]:
    """Yield the CRDs of all that moves or goes, as a phase between the first and the last has them."""
    for crd, those in group_by_crd(some).items():
        made = _build_old_crd(migration, phase, releases, crd, those)
        if is_kept_crd(those) and _needs_storage_move(phase, made):
            made = _switch_stored_version(migration, those, made)
        # One CRD has both versions from the start, so that nothing but the warning tells them apart.
        told = is_kept_crd(those) or phase is not Phase.INTRODUCE
        yield _deprecate_versions(migration, those, made) if told else made
    if phase is Phase.PREPARE:
        own = {each.id: each for each in releases[migration.before]}
        for each in some.kinds_with_new_crd:
            crd = each.new.crd.id
            own[crd] = (
                _add_missing_versions(migration, each, own[crd], each.new.crd) if crd in own else each.new.crd
            )
            yield own[crd]


def build_field_sources(migration: Migration, origin: Origin, *paths: Path) -> Iterator[FieldSource]:
    """Yield sources for the parts of an object that a phase adds."""
    for path in paths:
        yield FieldSource(path=path, cause=Cause(CauseKind.MIGRATION, migration.name), origin=origin)


def group_by_crd(some: MovedKinds) -> dict[ObjectId, list[OldKind]]:
    """Return what moves and what goes, by the old CRD; a kind that stays in its group comes first."""
    found: dict[ObjectId, list[OldKind]] = {}
    for each in sorted(some.old, key=lambda each: not each.within):
        found.setdefault(each.old.crd.id, []).append(each)
    return found


def _build_old_crd(
    migration: Migration, phase: Phase, releases: Releases, crd: ObjectId, those: Leaving
) -> Manifest:
    """Return an old CRD of the release that runs, else of the last one that had it, with all its versions."""
    names = [migration.after, migration.both, migration.before]
    names = [*filter(None, names[names.index(migration.release(phase)) :])]
    made, *others = [(name, each) for name in names for each in releases[name] if each.id == crd]
    first = made[1]
    for name, each in others:
        first = _add_missing_versions(migration, those[0], first, each)
        if (
            name == migration.both
            and first is not made[1]
            and has_conversion(each.body)
            and not has_conversion(first.body)
        ):
            first = _copy_conversion(migration, those[0], first, each)
    return first


def _copy_conversion(migration: Migration, each: OldKind, crd: Manifest, other: Manifest) -> Manifest:
    """Return a CRD that is converted as before, where it got a version that its own release does not have.

    All is stored in the new version by then. Should nobody answer any more, whoever speaks the old version
    gets an error. Without a conversion he would get objects that lack fields, and write them back.
    """
    path: Path = ("spec", "conversion")
    body = apply_change(crd.body, path, lambda _: other.body["spec"]["conversion"])
    return crd.replace_body(body, *build_field_sources(migration, each.said.origin, path))


def _add_missing_versions(migration: Migration, each: OldKind, crd: Manifest, other: Manifest) -> Manifest:
    """Return a CRD with the versions of another state of it that it lacks; its own one is stored."""
    have = crd.body["spec"]["versions"]
    more = [
        {**one, "storage": False}
        for one in other.body["spec"]["versions"]
        if one["name"] not in versions_of(crd.body)
    ]
    if not more:
        return crd
    body = apply_change(crd.body, VERSIONS, lambda _: [*have, *more])
    places = ((*VERSIONS, len(have) + at) for at in range(len(more)))
    return crd.replace_body(body, *build_field_sources(migration, each.said.origin, *places))


def list_removed_versions(those: Leaving, crd: Manifest) -> Iterator[tuple[int, str, OldKind]]:
    """Yield the versions of an old CRD that go, each with its place and what is said of it."""
    for at, version in enumerate(versions_of(crd.body)):
        each = next((one for one in those if one.before.version == version), those[0])
        if _is_removed_version(each, version):
            yield at, version, each


def _is_removed_version(each: OldKind, version: str) -> bool:
    """Return whether a version of an old CRD goes: any, unless the kind stays in its group."""
    stays = each.new is not None and each.within and version in each.new.versions
    return not stays or version == each.before.version


def is_kept_crd(those: Leaving) -> bool:
    """Return whether a CRD stays, and only versions of it go."""
    return any(each.within for each in those)


def _deprecate_versions(migration: Migration, those: Leaving, crd: Manifest) -> Manifest:
    """Return a CRD whose versions that go say so, and that no sync deletes."""
    versions = [*crd.body["spec"]["versions"]]
    sources = [*build_field_sources(migration, those[0].said.origin, (*ANNOTATIONS, SYNC_OPTIONS))]
    for at, version, each in list_removed_versions(those, crd):
        said = {
            "deprecated": True,
            "deprecationWarning": _format_deprecation(each, version)[:LONGEST_WARNING],
        }
        versions[at] = {**versions[at], **said}
        sources += build_field_sources(migration, each.said.origin, *((*VERSIONS, at, key) for key in said))
    body = apply_change(apply_change(crd.body, ANNOTATIONS, _disable_pruning), VERSIONS, lambda _: versions)
    return crd.replace_body(body, *sources)


def _format_deprecation(each: OldKind, version: str) -> str:
    start = f"{each.before.group}/{version} {each.before.kind} is deprecated"
    if each.after is None:
        return f"{start} and has no successor: {' '.join(each.reason.split())}"
    return f"{start}: use {each.after.api_version} {each.after.kind}"


def _disable_pruning(given: Json) -> Json:
    notes = given if isinstance(given, dict) else {}
    kept = [each for each in parse_sync_options(notes) if not each.startswith(("Prune=", "Delete="))]
    return {**notes, SYNC_OPTIONS: ",".join([*kept, *GUARDS])}


def _needs_storage_move(phase: Phase, crd: Manifest) -> bool:
    """Return whether a CRD of both versions has to store the new one by now, if it does not by itself.

    Where nobody converts, resources are made anew when both versions come. A server that has somebody convert
    them stores each anew, while that operator still runs: the next release may convert no more.
    """
    both = phase in (Phase.INTRODUCE, Phase.SWITCH) and not has_conversion(crd.body)
    return both or phase is Phase.MIGRATE


def _switch_stored_version(migration: Migration, those: Leaving, crd: Manifest) -> Manifest:
    """Return a CRD that stores what the release after stores, if it stores a version that goes."""
    each = next(one for one in those if isinstance(one, MovingKind))
    names, stored = versions_of(crd.body), find_stored_version(crd.body)
    if not _is_removed_version(each, stored):
        return crd
    wanted = find_stored_version(each.new.crd.body)
    wanted = wanted if wanted in names else each.new.name.version
    body = apply_change(
        crd.body, VERSIONS, lambda given: [{**one, "storage": one["name"] == wanted} for one in given]
    )
    places = ((*VERSIONS, names.index(name), "storage") for name in (stored, wanted))
    return crd.replace_body(body, *build_field_sources(migration, each.said.origin, *places))


def find_stored_version(crd: JsonObject) -> str:
    """Return the version that a CRD stores; empty if it says none."""
    return next((str(each["name"]) for each in crd["spec"]["versions"] if each.get("storage")), "")


def merge_objects(objects: Iterable[Manifest], some: Iterable[Manifest]) -> list[Manifest]:
    """Return objects with others in the place of those of the same identity, or after the last CRD."""
    fresh = {each.id: each for each in some}
    kept = [fresh.pop(each.id, each) for each in objects]
    at = max((number for number, each in enumerate(kept, 1) if is_crd(each.body)), default=0)
    return [*kept[:at], *fresh.values(), *kept[at:]]
