"""Compare two sets of CRDs: each change with its risk, its reason and who feels it.

In: CRD bodies, Kubernetes' own types in them as shared dicts with a name, or written out. Out: the
changes, worst first. A change that many places share, such as one of the pod template, is told once.

Notice a side that has only bases: CRDs as a generator writes them, before kustomize patches them.

A build adds labels, annotations and above all the webhook that converts between versions. Without it,
stored objects seem to lose whatever the new stored version lacks.

Changes of CRDs, as far as clients, stored objects and the operator feel them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from kitgen.compare.change import Change, ChangePlace, Patience, Risk, change_rule, join, limited
from kitgen.compare.crds.crd import CONVERSION_CHANGED, compare_crd, crd_name
from kitgen.compare.crds.place import CrdCursor, said_of
from kitgen.compare.crds.versions import STORED_VERSION_REMOVED, VERSION_REMOVED, VERSION_UNSERVED
from kitgen.crd.declaration import converts
from kitgen.crd.definition import version_rank, versions_of
from kitgen.crd.schema_nodes import Nodes
from kitgen.kit.model.moves import (
    NO_MOVES,
    CrdVersions,
    DeclaredMoves,
    commands_of,
    files_of,
    reason_of,
    ways,
)
from kitgen.text.wording import text_of
from kitgen.text.yaml import JsonObject

CRD_REMOVED = change_rule("crd-removed")
CRD_MOVED = change_rule("crd-moved")
CRD_MOVED_DECLARED = change_rule("crd-moved-declared")
CRD_ADDED = change_rule("crd-added")
VERSION_GONE = frozenset(each.id for each in (VERSION_REMOVED, VERSION_UNSERVED, STORED_VERSION_REMOVED))
"""What is meant of the versions that are said to move, and of no other."""
MAX_CHANGES = 100_000
"""Before equal ones are joined."""
STATUS = ".status"
"""What no move carries over."""
DECLARE = "if {} becomes {}, declare it in migrations/ of the kit; kitgen migrate then tells the way"


class DeclaredCrdMove(NamedTuple):
    """What a CRD becomes, and the moves that say so."""

    heir: str
    """Its own name, if only its version is another one."""
    way: DeclaredMoves


def compare(
    old: Iterable[JsonObject], new: Iterable[JsonObject], moves: DeclaredMoves = NO_MOVES
) -> tuple[Change, ...]:
    """Return every change between two sets of CRDs, worst first, then by CRD and path."""
    return join(limited(_changes(old, new, moves), MAX_CHANGES, "changes of CRDs"), _order)


def _changes(old: Iterable[JsonObject], new: Iterable[JsonObject], moves: DeclaredMoves) -> Iterator[Change]:
    before = {crd_name(body): body for body in old}
    after = {crd_name(body): body for body in new}
    nodes, patience = Nodes(), Patience()
    said = declared(before, after, moves)
    went = moved(before, after, moves)
    for name in sorted(before.keys() - after.keys() - went.keys()):
        yield CrdCursor(place=ChangePlace(name)).change(
            CRD_REMOVED, "the CRD is gone", hint=_likely(before[name], after)
        )
    for name in sorted(after.keys() - before.keys() - set(went.values())):
        yield CrdCursor(place=ChangePlace(name)).change(CRD_ADDED, "the CRD is new")
    for name, heir in sorted(went.items()):
        if name not in said:
            was, now = (text_of(body["spec"].get("group")) for body in (before[name], after[heir]))
            text = f"was {was}, now {now}"
            hint = _undeclared(before[name], after[heir], moves)
            yield CrdCursor(place=ChangePlace(heir)).change(CRD_MOVED, text, hint=hint)
    for name, to in sorted(said.items()):
        yield CrdCursor(place=ChangePlace(to.heir)).change(
            CRD_MOVED_DECLARED, _told(name, to), detail=name, hint=commands_of(to.way)
        )
    pairs = {name: name for name in before if name in after}
    pairs |= {name: heir for name, heir in went.items() if heir not in before}
    for name, heir in sorted(pairs.items()):
        changes = compare_crd(before[name], after[heir], nodes, patience)
        yield from _accepted(changes, said[name].way, before[name], moves) if name in said else changes


def _told(name: str, to: DeclaredCrdMove) -> str:
    """Say what becomes of a CRD, and which files say so."""
    steps = [f"{name} moves to {to.heir}"] if to.heir != name else []
    versions = [each for each in to.way if each.leaves == each.arrives]
    steps += [f"{each.before.version} becomes {each.after.version}" for each in versions]
    return f"{', '.join(steps)} ({files_of(to.way)})"


def _accepted(
    changes: Iterable[Change], way: DeclaredMoves, old: JsonObject, moves: DeclaredMoves
) -> Iterator[Change]:
    """Yield changes; what breaks because of the move itself, or is said of fields, is what it is for."""
    versions = {each.get("name"): each for each in old["spec"].get("versions") or ()}
    version = versions.get(way[0].before.version) or {}
    schema = (version.get("schema") or {}).get("openAPIV3Schema")
    fields = [field for each in way for field in each.fields]
    leaving = _leaving(old, way, moves)
    for each in changes:
        meant = each.risk is Risk.BREAKING and all(
            not place.path or place.path.startswith(STATUS) or said_of(place.path, fields, schema)
            for place in each.places
        )
        stays = each.rule.id in VERSION_GONE and (each.detail or each.places[0].version) not in leaving
        yield replace(each, accepted=reason_of(way)) if meant and not stays else each


def _leaving(old: JsonObject, way: DeclaredMoves, moves: DeclaredMoves) -> set[str]:
    """Return the versions of a CRD that are said to move the way that it goes; of others nobody knows."""
    kind = _group_and_kind(old)
    goes = {each.arrives for each in way if each.leaves == kind}
    return {each.before.version for each in moves if each.leaves == kind and each.arrives in goes}


def _undeclared(old: JsonObject, new: JsonObject, moves: DeclaredMoves) -> str:
    """Return how to say that a CRD moves; of one that goes back, what its migration says of that."""
    was, now = _group_and_kind(old), _group_and_kind(new)
    if back := [each for each in moves if (each.leaves, each.arrives) == (now, was)]:
        return f"{files_of(back)} declares the way there; {commands_of(back)} tells the way back"
    return DECLARE.format(crd_name(old), crd_name(new))


def _likely(gone: JsonObject, after: dict[str, JsonObject]) -> str:
    """Return a hint if a CRD that is gone has a namesake in another group, which may not be new."""
    key = _plural_and_kind(gone)
    others = [name for name, body in after.items() if _plural_and_kind(body) == key]
    return DECLARE.format(crd_name(gone), others[0]) if len(others) == 1 and all(key) else ""


def moved(
    before: dict[str, JsonObject], after: dict[str, JsonObject], moves: DeclaredMoves = NO_MOVES
) -> dict[str, str]:
    """Find the CRDs that went to another group: those declared, and the same plural and kind once a side."""
    said = {name: to.heir for name, to in declared(before, after, moves).items() if to.heir != name}
    taken = {*said.values()}
    gone = _by_kind(body for name, body in before.items() if name not in after and name not in said)
    come = _by_kind(body for name, body in after.items() if name not in before and name not in taken)
    return said | {
        names[0]: come[key][0]
        for key, names in gone.items()
        if len(names) == 1 and len(come.get(key, ())) == 1
    }


def declared(
    before: dict[str, JsonObject], after: dict[str, JsonObject], moves: DeclaredMoves
) -> dict[str, DeclaredCrdMove]:
    """Return the CRDs that migrations say to move from one state to the other, by their old names."""
    if not moves:
        return {}
    there = {_group_and_kind(body): name for name, body in after.items()}
    known = {_group_and_kind(body): name for name, body in before.items()}
    was, now = (
        {_group_and_kind(each): _versions(each) for each in side.values()} for side in (before, after)
    )
    found = ways(was, now, moves)
    return {known[kind]: DeclaredCrdMove(there[way[-1].arrives], way) for kind, way in found.items()}


def _group_and_kind(body: JsonObject) -> tuple[str, str]:
    spec = body["spec"]
    return text_of(spec.get("group")), str((spec.get("names") or {}).get("kind"))


def _plural_and_kind(body: JsonObject) -> tuple[str, str]:
    names = body["spec"].get("names") or {}
    return text_of(names.get("plural")), text_of(names.get("kind"))


def _versions(body: JsonObject) -> CrdVersions:
    listed = versions_of(body)
    stored = (text_of(each.get("name")) for each in listed if each.get("storage"))
    return CrdVersions(frozenset(text_of(each.get("name")) for each in listed), next(stored, ""))


def _by_kind(bodies: Iterable[JsonObject]) -> dict[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], list[str]] = {}
    for body in bodies:
        found.setdefault(_plural_and_kind(body), []).append(crd_name(body))
    return found


def _order(place: ChangePlace) -> tuple[str, str, tuple[int, int, int, int, str]]:
    return (place.object, place.path, version_rank(place.span))


GENERATED = ("controller-gen.kubebuilder.io/", "api-approved.kubernetes.io")
"""How the annotations start that are in the bases already."""


def bases_hint(
    old: Iterable[JsonObject] | None, new: Iterable[JsonObject] | None, changes: Iterable[Change]
) -> str:
    """Say that a side seems to have only bases; None is a side of which it is known that it has not."""
    sides = {
        name: all(map(_is_base, side)) for name, side in (("OLD", old), ("NEW", new)) if side is not None
    }
    side = next((name for name in ("NEW", "OLD") if sides.get(name)), "")
    listed = list(changes)
    due = sum(change.rule is CONVERSION_CHANGED for change in listed)
    if side == "NEW":
        # What stored objects lose because nothing converts them.
        due += sum(all(place.former for place in change.places) for change in listed)
    if not side or not (due or False in sides.values()):
        return ""
    seems = f"{side} seems to be bases, CRDs that kustomize has yet to build: none has a conversion, " + (
        "labels or annotations of its own"
    )
    if not due:
        return f"{seems}; no change here comes from a missing conversion"
    count = "1 change comes" if due == 1 else f"{due} changes come"
    return f"{seems}; if so, {count} from the missing conversion alone: compare what kustomize builds"


def _is_base(body: JsonObject) -> bool:
    metadata = body.get("metadata") or {}
    added = [key for key in metadata.get("annotations") or () if not str(key).startswith(GENERATED)]
    return not added and not metadata.get("labels") and not converts(body)


NOUN = "CRD"
"""What the objects are that change; a file of exceptions may name them so."""
