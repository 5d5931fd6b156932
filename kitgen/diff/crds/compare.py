"""Compare two sets of CRDs: each change with its risk, its reason and who feels it.

In: CRD bodies, Kubernetes' own types in them as shared dicts with a name, or written out. Out: the
changes, worst first. A change that many places share, such as one of the pod template, is told once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kitgen.crds.outline.nodes import Nodes
from kitgen.crds.outline.text import version_rank
from kitgen.diff.change import Change, Place, join
from kitgen.diff.crds.crd import compare_crd, crd_name
from kitgen.diff.crds.spot import Spot
from kitgen.diff.patience import Patience
from kitgen.diff.risk import behaviour, breaking, cosmetic
from kitgen.model.moves import NO_MOVES, DeclaredMoves
from kitgen.yamlio import JsonObject

CRD_REMOVED = breaking("crd-removed", "every object of the kind is deleted with it", "all users of the kind")
CRD_MOVED = breaking("crd-moved", "objects of the old group are not carried over", "all users of the kind")
CRD_MOVED_DECLARED = behaviour(
    "crd-moved-declared", "resources have to be carried over, as the migration says", "all users of the kind"
)
CRD_ADDED = cosmetic("crd-added", "the kind is new", "nobody yet")


def compare(
    old: Iterable[JsonObject], new: Iterable[JsonObject], moves: DeclaredMoves = NO_MOVES
) -> tuple[Change, ...]:
    """Return every change between two sets of CRDs, worst first, then by CRD and path."""
    return join(_changes(old, new, moves), _order)


def _changes(old: Iterable[JsonObject], new: Iterable[JsonObject], moves: DeclaredMoves) -> Iterator[Change]:
    before = {crd_name(body): body for body in old}
    after = {crd_name(body): body for body in new}
    nodes, patience = Nodes(), Patience()
    said = declared(before, after, moves)
    went = moved(before, after, moves)
    for name in sorted(before.keys() - after.keys() - went.keys()):
        yield Spot(place=Place(name)).change(CRD_REMOVED, "the CRD is gone")
    for name in sorted(after.keys() - before.keys() - set(went.values())):
        yield Spot(place=Place(name)).change(CRD_ADDED, "the CRD is new")
    for name, heir in sorted(went.items()):
        if name in said:
            text = f"{name} moves to {heir} ({said[name][1]})"
            yield Spot(place=Place(heir)).change(CRD_MOVED_DECLARED, text, detail=name)
        else:
            text = f"was {before[name]['spec'].get('group')}, now {after[heir]['spec'].get('group')}"
            yield Spot(place=Place(heir)).change(CRD_MOVED, text)
        if heir not in before:
            yield from compare_crd(before[name], after[heir], nodes, patience)
    for name in sorted(before.keys() & after.keys()):
        yield from compare_crd(before[name], after[name], nodes, patience)


def moved(
    before: dict[str, JsonObject], after: dict[str, JsonObject], moves: DeclaredMoves = NO_MOVES
) -> dict[str, str]:
    """Find the CRDs that went to another group: those declared, and the same plural and kind once a side."""
    said = {name: heir for name, (heir, _) in declared(before, after, moves).items()}
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
) -> dict[str, tuple[str, str]]:
    """Return the CRDs that leave while what they become is there, with that and the file that says it."""
    there = {_group_and_kind(body): name for name, body in after.items()} if moves else {}
    found: dict[str, tuple[str, str]] = {}
    for name, body in before.items():
        heir = moves.get(_group_and_kind(body))
        if name not in after and heir and (heir.group, heir.kind) in there:
            found[name] = (there[heir.group, heir.kind], heir.file)
    return found


def _group_and_kind(body: JsonObject) -> tuple[str, str]:
    spec = body["spec"]
    return str(spec.get("group")), str((spec.get("names") or {}).get("kind"))


def _by_kind(bodies: Iterable[JsonObject]) -> dict[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], list[str]] = {}
    for body in bodies:
        names = body["spec"].get("names") or {}
        found.setdefault((str(names.get("plural")), str(names.get("kind"))), []).append(crd_name(body))
    return found


def _order(place: Place) -> tuple[str, str, tuple[int, int, int, int, str]]:
    return (place.object, place.path, version_rank(place.span))
