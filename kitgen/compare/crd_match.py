"""Match CRDs: which CRD of one side is which of the other, and which of their versions are the same.

The one matcher of CRDs, for comparisons, upgrades, reviews, releases and imports. A CRD is matched by
its name. One that is gone has another name if a migration declares it (`find_declared_moves`), or if exactly
one that came has its plural and kind (`find_moved_crds`, which includes the declared ones). Versions are
matched by name (`versions_by_name`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from kitgen.crd.definition import check_crd_shape, is_crd
from kitgen.crd.outline import versions_of
from kitgen.findings import Origin
from kitgen.kit.model.moves import NO_MOVES, CrdVersions, DeclaredMoves, find_move_paths
from kitgen.kube.manifest import Manifest
from kitgen.text.values import group_pairs, map_at, value_at
from kitgen.text.wording import text_of
from kitgen.text.yaml import JsonObject

Crds: TypeAlias = dict[str, JsonObject]
"""CRDs by name."""


class DeclaredCrdMove(NamedTuple):
    """What a CRD becomes, and the moves that say so."""

    heir: str
    """Its own name, if only its version is another one."""
    way: DeclaredMoves


def crd_name(body: JsonObject) -> str:
    """Return the name of a CRD, such as rayclusters.ray.io."""
    return str(map_at(body, "metadata").get("name", ""))


def group_and_kind(body: JsonObject) -> tuple[str, str]:
    """Return what resources of a CRD have in their apiVersion and kind."""
    return text_of(value_at(body, "spec", "group")), str(value_at(body, "spec", "names", "kind"))


def plural_and_kind(body: JsonObject) -> tuple[str, str]:
    """Return what a CRD keeps when it goes to another group."""
    names = map_at(body, "spec", "names")
    return text_of(names.get("plural")), text_of(names.get("kind"))


def versions_by_name(body: JsonObject) -> dict[str, JsonObject]:
    """Return the versions of a CRD by their names."""
    return {text_of(version.get("name")): version for version in versions_of(body)}


def stored_version(body: JsonObject) -> JsonObject | None:
    """Return the version in which objects are stored."""
    return next((version for version in versions_of(body) if version.get("storage")), None)


def select_valid_crds(manifests: Iterable[Manifest]) -> Crds:
    """Return the CRDs that have the shape of one, by name; schemas report the others."""
    bodies = {each.id.name: each.body for each in manifests if is_crd(each.body) and each.id.name}
    return {name: body for name, body in bodies.items() if is_valid_crd(body)}


def is_valid_crd(body: JsonObject) -> bool:
    """Return whether a CRD has the shape of one."""
    return not any(check_crd_shape(body, Origin("")))


def select_changed_crds(
    before: Iterable[Manifest], now: Iterable[Manifest], moves: DeclaredMoves = NO_MOVES
) -> tuple[Crds, Crds]:
    """Return the CRDs of two sets that are not the same in both, by name, and none that is misshapen.

    What a CRD that is gone is declared to become counts too, even if it was there already.
    """
    old, new = ({each.id.name: each.body for each in some if is_crd(each.body)} for some in (before, now))
    sides = [old, new] if moves else [_drop_equal(old, new), _drop_equal(new, old)]
    wrong = {name for side in sides for name, body in side.items() if not (name and is_valid_crd(body))}
    old, new = ({name: body for name, body in side.items() if name not in wrong} for side in sides)
    heirs = {each.heir for each in find_declared_moves(old, new, moves).values()}
    return (
        {name: body for name, body in old.items() if new.get(name) != body or name in heirs},
        {name: body for name, body in new.items() if old.get(name) != body or name in heirs},
    )


def _drop_equal(crds: Crds, others: Crds) -> Crds:
    return {name: body for name, body in crds.items() if others.get(name) != body}


def find_moved_crds(before: Crds, after: Crds, moves: DeclaredMoves = NO_MOVES) -> dict[str, str]:
    """Find the CRDs that went to another group: those declared, and the same plural and kind once a side."""
    said = {
        name: to.heir for name, to in find_declared_moves(before, after, moves).items() if to.heir != name
    }
    gone = _crds_by_kind(before, {*after, *said})
    come = _crds_by_kind(after, {*before, *said.values()})
    return said | {
        names[0]: come[key][0]
        for key, names in gone.items()
        if len(names) == 1 and len(come.get(key, ())) == 1
    }


def _crds_by_kind(crds: Crds, others: set[str]) -> dict[tuple[str, str], list[str]]:
    return group_pairs((plural_and_kind(body), name) for name, body in crds.items() if name not in others)


def find_moved_groups(
    before: Crds, after: Crds, moves: DeclaredMoves = NO_MOVES
) -> dict[tuple[str, str], str]:
    """Return the kinds that went to another group: the old group and the kind → the new group."""
    return {
        group_and_kind(before[was]): group_and_kind(after[heir])[0]
        for was, heir in find_moved_crds(before, after, moves).items()
    }


def find_declared_moves(before: Crds, after: Crds, moves: DeclaredMoves) -> dict[str, DeclaredCrdMove]:
    """Return the CRDs that migrations say to move from one state to the other, by their old names."""
    if not moves:
        return {}
    known, there = ({group_and_kind(body): name for name, body in side.items()} for side in (before, after))
    was, now = (
        {group_and_kind(body): _build_crd_versions(body) for body in side.values()}
        for side in (before, after)
    )
    return {
        known[kind]: DeclaredCrdMove(there[way[-1].new_kind], way)
        for kind, way in find_move_paths(was, now, moves).items()
    }


def _build_crd_versions(body: JsonObject) -> CrdVersions:
    return CrdVersions(
        frozenset(versions_by_name(body)), text_of((stored_version(body) or {}).get("name", ""))
    )
