"""Convert one exported object to the one to apply, or report why it cannot move; and the way back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from functools import partial
from typing import TypeAlias

from msgspec import Struct

from kitgen.crd.validate.rules import FIELD_UNKNOWN
from kitgen.findings import Path, Problem, Severity, problem
from kitgen.kube.manifest import existing_value
from kitgen.kube.names import NAME_INVALID
from kitgen.migrate.resources.fields import ASIDE, MappedFields, is_nothing, map_fields
from kitgen.migrate.resources.keys import moved_keys
from kitgen.migrate.resources.kinds import MigrationMoves, MigrationRole, kind_name
from kitgen.migrate.resources.metadata import SERVER_SET, finalizers, freed, kept, owners, references
from kitgen.migrate.resources.nested_objects import moved_within
from kitgen.migrate.resources.schemas import is_below, unkept, unknown_fields, without
from kitgen.migrate.rules.mentions import mentions
from kitgen.migrate.walks import ConvertedValue
from kitgen.text.values import map_at, text_at, value_at
from kitgen.text.wording import choice, cut
from kitgen.text.yaml import Json, JsonObject

Check: TypeAlias = Callable[[JsonObject], Iterable[Problem]]
"""Tells what the CRD of a new kind has against an object."""


class Outcome(StrEnum):
    """What became of an object."""

    MOVED = "moved"
    WITHIN = "moved within"
    """It stays what it is, and an object that it holds moved."""
    RESTORED = "restored"
    """It is what it was, as a server takes it again."""
    NEW = "already new"
    OTHER = "of another kind"
    UNMOVED = "cannot move"


class MigratedObject(Struct, frozen=True, kw_only=True):
    """An object as it is to be printed, and what there is to say of it."""

    outcome: Outcome
    body: JsonObject
    problems: tuple[Problem, ...] = ()


def carry_over(body: JsonObject, moves: MigrationMoves, check: Check) -> MigratedObject:
    """Return what becomes of an exported object."""
    try:
        return _carried(body, moves, check)
    except RecursionError:
        wrong = problem(
            "migration-unmoved", "found an object that is nested too deeply", hint="take it apart"
        )
        return MigratedObject(outcome=Outcome.UNMOVED, body=body, problems=(wrong,))


def _carried(body: JsonObject, moves: MigrationMoves, check: Check) -> MigratedObject:
    if (standing := moves.standing(body)) in (MigrationRole.OLD, MigrationRole.STRANDED):
        problems = tuple(_unfit(body, moves))
        part = ConvertedValue(body, problems) if problems else _Mover(moves, check).whole(body)
        outcome = Outcome.MOVED
    elif standing is MigrationRole.OTHER and (other := moves.elsewhere.get(kind_name(body))):
        message = f"found {body['kind']} of {body['apiVersion']}, which {other} moves"
        wrong = problem(
            "migration-unmoved", message, ("apiVersion",), f"run kitgen migrate resources {other} first"
        )
        return MigratedObject(outcome=Outcome.UNMOVED, body=body, problems=(wrong,))
    else:
        part = _Mover(moves, check).within(body)
        outcome = Outcome.NEW if standing is MigrationRole.NEW else Outcome.OTHER
        outcome = outcome if part.value is body else Outcome.WITHIN
    if any(each.rule.severity is Severity.ERROR for each in part.problems):
        return MigratedObject(outcome=Outcome.UNMOVED, body=body, problems=part.problems)
    return MigratedObject(outcome=outcome, body=part.value, problems=part.problems)


def _unfit(body: JsonObject, moves: MigrationMoves) -> Iterator[Problem]:
    """Yield why an object cannot move, whatever it says."""
    yield from _unknown(body, moves)
    yield from being_deleted(body)
    if not text_at(body, "metadata", "name"):
        message, hint = "found an object without a name, expected one", "export what a cluster has"
        yield problem("migration-unmoved", message, ("metadata",), hint)


def being_deleted(body: JsonObject) -> Iterator[Problem]:
    """Yield that somebody is deleting an object."""
    if value_at(body, "metadata", "deletionTimestamp"):
        hint = "it is not carried over; wait until it is gone"
        path = ("metadata", "deletionTimestamp")
        yield problem("migration-unmoved", "found an object that is being deleted", path, hint)


def _unknown(body: JsonObject, moves: MigrationMoves) -> Iterator[Problem]:
    """Yield that nothing is said of a kind or a version of an old group."""
    if moves.standing(body) is not MigrationRole.STRANDED:
        return
    name = kind_name(body)
    known = moves.versions.get((name.group, name.kind))
    same = (each for each in moves.dropped if not known and each[::2] == name[::2])
    if reason := moves.dropped.get(next(same, name)):
        message = f"found the kind {cut(name.kind)}, which goes without a successor"
        yield problem("migration-unmoved", message, ("kind",), reason)
    elif known:
        message = f"found the version {cut(name.version)}, expected {choice([*dict.fromkeys(known)])}"
        yield problem(
            "migration-unmoved", message, ("apiVersion",), "export it in a version that the migration knows"
        )
    else:
        message = f"found the kind {cut(name.kind)} of {name.group}, of which the migration says nothing"
        yield problem(
            "migration-unmoved", message, ("kind",), "it has no counterpart; leave it out, or add it to kinds"
        )


class _Mover:
    """Moves an object, and those that it holds."""

    def __init__(self, moves: MigrationMoves, check: Check) -> None:
        self.moves, self.check = moves, check

    def within(self, body: JsonObject) -> ConvertedValue:
        """Move what an object of another kind holds; what a server set goes only if something changed."""
        part = moved_within(body, self.moves, self.whole, inside=False)
        meta = {"metadata": freed(body["metadata"])} if "metadata" in body else {}
        made = {**part.value, **meta}
        told = (*part.problems, *self._left(made))
        return ConvertedValue(body if part.value is body else made, told)

    def whole(self, body: JsonObject) -> ConvertedValue:
        """Move an object of an old kind that no other such object holds."""
        keys = moved_keys(body, self.moves)
        part = self._moved(keys.value, nested=False)
        return ConvertedValue(part.value, (*owners(body.get("metadata")), *keys.problems, *part.problems))

    def _moved(self, body: JsonObject, *, nested: bool) -> ConvertedValue:
        """Move what an object holds, then itself, for as long as its kind has somewhere to go."""
        if problems := tuple(_unknown(body, self.moves)):
            return ConvertedValue(body, problems)
        part = moved_within(body, self.moves, partial(self._moved, nested=True), inside=True)
        made, found = part.value, [*finalizers(body.get("metadata"), self.moves.keys), *part.problems]
        if not nested:  # at the places that it was exported with
            rest = {key: item for key, item in made.items() if key not in ASIDE}
            found += self._left({**rest, "metadata": kept(made.get("metadata"), self.moves.keys)})
        for _ in self.moves.old:
            if kind_name(made) not in self.moves.old:
                break
            made, problems = self._step(made, nested)
            found += problems
        return ConvertedValue(made, tuple(found))

    def _left(self, body: JsonObject) -> Iterator[Problem]:
        """Yield what still speaks of old kinds, and is left as it is."""
        yield from (each.problem for each in mentions(body, self.moves.kinds))

    def _step(self, body: JsonObject, nested: bool) -> ConvertedValue:
        """Move an object to the next kind, and validate it against that CRD."""
        name, known = kind_name(body), self.moves.schemas
        after, tree = self.moves.old[name].after, self.moves.trees.get(name)
        before = known.get(name)
        rest = {key: item for key, item in body.items() if key not in ASIDE}
        mapped = map_fields(body, tree, before, known.get(after)) if tree else MappedFields(fields=rest)
        fields, places = mapped.fields, mapped.places
        if "metadata" in body:
            wide = after in self.moves.cluster_wide
            fields = {"metadata": kept(body["metadata"], self.moves.keys, cluster_wide=wide), **fields}
        made = {"apiVersion": after.api_version, "kind": after.kind, **fields}
        wrong = [*self.check(made)]
        found = [*mapped.problems]
        if gone := _unkept(wrong, before, places, body):
            said = (path for path in gone if not is_nothing(existing_value(made, path)))
            found += [unkept(gone[path], before) for path in said]
            made = without(made, gone)
            wrong = [*self.check(made)]
        found += _emptied(body, made)
        if any(each.rule.severity is Severity.ERROR for each in found):
            return ConvertedValue(made, tuple(found))  # what is missing now is for want of these
        # An object in a template needs no name.
        nameless = (("metadata",), NAME_INVALID) if nested else ()
        found += (_placed(each, places, body) for each in wrong if (each.path, each.rule) != nameless)
        return ConvertedValue(made, tuple(found))


def _emptied(body: JsonObject, made: JsonObject) -> Iterator[Problem]:
    """Report that nothing is left of a spec."""
    if not is_nothing(body.get("spec")) and is_nothing(made.get("spec")):
        message = f"found a spec of which nothing has a counterpart in {made['apiVersion']}"
        yield problem(
            "migration-unmoved", message, ("spec",), "write the object anew, as the new kind has it"
        )


def _unkept(
    wrong: Iterable[Problem], before: Json, places: Mapping[Path, Path], body: JsonObject
) -> dict[Path, Path]:
    """Return the fields of a new object that neither CRD has, each with its place in the old one."""
    odd = {each.path: _source(each.path, places, body) for each in wrong if each.rule is FIELD_UNKNOWN}
    lacking = unknown_fields(body, before) if odd else []
    return {path: source for path, source in odd.items() if is_below(source, lacking)}


def _placed(wrong: Problem, places: Mapping[Path, Path], body: JsonObject) -> Problem:
    """Return a problem of the new object at the place in the old one that the value is from."""
    path = wrong.path
    if not places or path[:1] in ((), ("metadata",)):
        return wrong
    hint = wrong.hint or f"in the new object it is {'.'.join(map(str, path))}"
    return Problem(wrong.rule, wrong.message, _source(path, places, body), hint)


def _source(path: Path, places: Mapping[Path, Path], body: JsonObject) -> Path:
    """Return the place in the old object that a value of the new one is from, or the nearest one."""
    if not places:
        return path
    length = next((end for end in range(len(path), 0, -1) if path[:end] in places), 0)
    nearest = path[:1] if path[0] in body else ()
    return (*places[path[:length]], *path[length:]) if length else nearest


def restore(body: JsonObject, moves: MigrationMoves, _: Check) -> MigratedObject:
    """Return an object of an old kind without what only the server that it was on could know.

    So are owners of kinds that move: they have other UIDs by now, and a child whose owner is not there is
    deleted. Finalizers stay, since the operator that answers them runs again.
    """
    if moves.standing(body) not in (MigrationRole.OLD, MigrationRole.STRANDED):
        return MigratedObject(outcome=Outcome.OTHER, body=body)
    if problems := tuple(being_deleted(body)):
        return MigratedObject(outcome=Outcome.UNMOVED, body=body, problems=problems)
    return MigratedObject(outcome=Outcome.RESTORED, body={**body, "metadata": _metadata(body, moves)})


def _metadata(body: JsonObject, moves: MigrationMoves) -> JsonObject:
    meta = map_at(body, "metadata")
    made = {key: item for key, item in meta.items() if key not in (*SERVER_SET, "ownerReferences")}
    owners = [each for each in references(meta) if moves.standing(each) is MigrationRole.OTHER]
    return {**made, "ownerReferences": owners} if owners else made
