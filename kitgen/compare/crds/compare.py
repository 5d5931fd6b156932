"""Compare two sets of CRDs, as far as clients, stored objects and the operator feel the changes.

In: CRD bodies, Kubernetes' own types in them as shared dicts with a name, or written out. Out: the changes,
worst first, each with its risk, its reason and who feels it. A change that many places share, such as one of
the pod template, is reported once.

A side may have only bases: CRDs as a generator writes them, before kustomize patches them. A build adds
labels, annotations and above all the webhook that converts between versions. Without it, stored objects seem
to lose whatever the new stored version lacks; `build_bases_hint` reports that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from kitgen.compare.change import Change, ChangePlace, Risk, join_equal_changes, limit_results
from kitgen.compare.crd_match import (
    crd_name,
    find_declared_moves,
    find_moved_crds,
    group_and_kind,
    plural_and_kind,
    versions_by_name,
)
from kitgen.compare.crds.crd import compare_crd
from kitgen.compare.crds.place import CrdCursor, describe_field_move
from kitgen.crd.declaration import has_conversion
from kitgen.crd.definition import version_rank
from kitgen.crd.schema_nodes import Nodes
from kitgen.kit.model.moves import (
    NO_MOVES,
    DeclaredMoves,
    format_move_commands,
    format_move_files,
    format_move_reasons,
)
from kitgen.text.values import value_at
from kitgen.text.wording import text_of
from kitgen.text.yaml import JsonObject

VERSION_GONE = ("version-removed", "version-unserved", "stored-version-removed")
"""What is meant of the versions that are said to move, and of no other."""
MAX_CHANGES = 100_000
"""Before equal ones are joined."""
STATUS = ".status"
"""What no move carries over."""
DECLARE = "if {} becomes {}, declare it in migrations/ of the kit; kitgen migrate then tells the way"


def compare_crds(
    old: Iterable[JsonObject], new: Iterable[JsonObject], moves: DeclaredMoves = NO_MOVES
) -> tuple[Change, ...]:
    """Return every change between two sets of CRDs, worst first, then by CRD and path."""
    return join_equal_changes(
        limit_results(_collect_changes(old, new, moves), MAX_CHANGES, "changes of CRDs"), _place_sort_key
    )


def _collect_changes(
    old: Iterable[JsonObject], new: Iterable[JsonObject], moves: DeclaredMoves
) -> Iterator[Change]:
    before = {crd_name(body): body for body in old}
    after = {crd_name(body): body for body in new}
    nodes, start = Nodes(), CrdCursor(place=ChangePlace(""))
    said = find_declared_moves(before, after, moves)
    went = find_moved_crds(before, after, moves)
    for name in sorted(before.keys() - after.keys() - went.keys()):
        yield CrdCursor(place=ChangePlace(name)).build_change(
            "crd-removed", "the CRD is gone", hint=_build_namesake_hint(before[name], after)
        )
    come = sorted(after.keys() - before.keys() - set(went.values()))
    yield from (
        CrdCursor(place=ChangePlace(name)).build_change("crd-added", "the CRD is new") for name in come
    )
    for name, heir in sorted(went.items()):
        if name not in said:
            was, now = (text_of(body["spec"].get("group")) for body in (before[name], after[heir]))
            text = f"was {was}, now {now}"
            yield CrdCursor(place=ChangePlace(heir)).build_change(
                "crd-moved", text, hint=_build_move_hint(before[name], after[heir], moves)
            )
    for name, to in sorted(said.items()):
        steps = [f"{name} moves to {to.heir}"] if to.heir != name else []
        steps += [
            f"{each.before.version} becomes {each.after.version}"
            for each in to.way
            if each.old_kind == each.new_kind
        ]
        text = f"{', '.join(steps)} ({format_move_files(to.way)})"
        yield CrdCursor(place=ChangePlace(to.heir)).build_change(
            "crd-moved-declared", text, detail=name, hint=format_move_commands(to.way)
        )
    pairs = {name: name for name in before if name in after}
    pairs |= {name: heir for name, heir in went.items() if heir not in before}
    for name, heir in sorted(pairs.items()):
        changes = compare_crd(before[name], after[heir], nodes, start)
        yield from (
            _accept_declared_changes(changes, said[name].way, before[name], moves)
            if name in said
            else changes
        )


def _accept_declared_changes(
    changes: Iterable[Change], way: DeclaredMoves, old: JsonObject, moves: DeclaredMoves
) -> Iterator[Change]:
    """Yield changes; what breaks because of the move itself, or is said of fields, is what it is for."""
    schema = value_at(versions_by_name(old), way[0].before.version, "schema", "openAPIV3Schema")
    fields = [field for each in way for field in each.fields]
    leaving = _find_moving_versions(old, way, moves)
    for each in changes:
        meant = each.risk is Risk.BREAKING and all(
            not place.path or place.path.startswith(STATUS) or describe_field_move(place.path, fields, schema)
            for place in each.places
        )
        stays = each.rule.id in VERSION_GONE and (each.detail or each.places[0].version) not in leaving
        yield replace(each, accepted=format_move_reasons(way)) if meant and not stays else each


def _find_moving_versions(old: JsonObject, way: DeclaredMoves, moves: DeclaredMoves) -> set[str]:
    """Return the versions of a CRD that are said to move the way that it goes; of others nobody knows."""
    kind = group_and_kind(old)
    goes = {each.new_kind for each in way if each.old_kind == kind}
    return {each.before.version for each in moves if each.old_kind == kind and each.new_kind in goes}


def _build_move_hint(old: JsonObject, new: JsonObject, moves: DeclaredMoves) -> str:
    """Return how to say that a CRD moves; of one that goes back, what its migration says of that."""
    was, now = group_and_kind(old), group_and_kind(new)
    if back := [each for each in moves if (each.old_kind, each.new_kind) == (now, was)]:
        return (
            f"{format_move_files(back)} declares the way there; {format_move_commands(back)} tells "
            "the way back"
        )
    return DECLARE.format(crd_name(old), crd_name(new))


def _build_namesake_hint(gone: JsonObject, after: dict[str, JsonObject]) -> str:
    """Return a hint if a CRD that is gone has a namesake in another group, which may not be new."""
    key = plural_and_kind(gone)
    others = [name for name, body in after.items() if plural_and_kind(body) == key]
    return DECLARE.format(crd_name(gone), others[0]) if len(others) == 1 and all(key) else ""


def _place_sort_key(place: ChangePlace) -> tuple[str, str, tuple[int, int, int, int, str]]:
    return (place.object, place.path, version_rank(place.version_label))


GENERATED = ("controller-gen.kubebuilder.io/", "api-approved.kubernetes.io")
"""How the annotations start that are in the bases already."""


def build_bases_hint(
    old: Iterable[JsonObject] | None, new: Iterable[JsonObject] | None, changes: Iterable[Change]
) -> str:
    """Say that a side seems to have only bases; None is a side of which it is known that it has not."""
    sides = {
        name: all(map(_is_base, side)) for name, side in (("OLD", old), ("NEW", new)) if side is not None
    }
    side = next((name for name in ("NEW", "OLD") if sides.get(name)), "")
    listed = list(changes)
    due = sum(change.rule.id == "conversion-changed" for change in listed)
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
    return not added and not metadata.get("labels") and not has_conversion(body)
