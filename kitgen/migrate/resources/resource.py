"""Convert one exported object to the one to apply, or report why it cannot move; and the way back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from functools import partial
from typing import TypeAlias

from msgspec import Struct

from kitgen.crd.validate.rules import FIELD_UNKNOWN
from kitgen.findings import Path, Problem, Severity, make_problem
from kitgen.kube.manifest import existing_value
from kitgen.kube.names import NAME_INVALID
from kitgen.migrate.resources.fields import ASIDE, MappedFields, is_empty_value, map_fields
from kitgen.migrate.resources.keys import rename_keys
from kitgen.migrate.resources.kinds import MigrationMoves, MigrationRole, kind_name_of
from kitgen.migrate.resources.metadata import (
    SERVER_SET,
    check_finalizers,
    check_owners,
    filter_metadata,
    list_owner_references,
    remove_server_fields,
)
from kitgen.migrate.resources.nested_objects import migrate_nested_objects
from kitgen.migrate.resources.schemas import (
    find_unknown_fields,
    is_below,
    remove_fields,
    report_unknown_field,
)
from kitgen.migrate.rules.mentions import find_mentions
from kitgen.migrate.walks import ConvertedValue
from kitgen.text.values import map_at, text_at, value_at
from kitgen.text.wording import join_words, quote_text
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


def migrate_object(body: JsonObject, moves: MigrationMoves, check: Check) -> MigratedObject:
    """Return what becomes of an exported object."""
    try:
        return _migrate_body(body, moves, check)
    except RecursionError:
        wrong = make_problem(
            "migration-unmoved", "found an object that is nested too deeply", hint="take it apart"
        )
        return MigratedObject(outcome=Outcome.UNMOVED, body=body, problems=(wrong,))


def _migrate_body(body: JsonObject, moves: MigrationMoves, check: Check) -> MigratedObject:
    if (standing := moves.role_of(body)) in (MigrationRole.OLD, MigrationRole.STRANDED):
        problems = tuple(_check_object(body, moves))
        part = ConvertedValue(body, problems) if problems else _Mover(moves, check).migrate(body)
        outcome = Outcome.MOVED
    elif standing is MigrationRole.OTHER and (other := moves.elsewhere.get(kind_name_of(body))):
        message = f"found {body['kind']} of {body['apiVersion']}, which {other} moves"
        wrong = make_problem(
            "migration-unmoved", message, ("apiVersion",), f"run kitgen migrate resources {other} first"
        )
        return MigratedObject(outcome=Outcome.UNMOVED, body=body, problems=(wrong,))
    else:
        part = _Mover(moves, check).migrate_content(body)
        outcome = Outcome.NEW if standing is MigrationRole.NEW else Outcome.OTHER
        outcome = outcome if part.value is body else Outcome.WITHIN
    if any(each.rule.severity is Severity.ERROR for each in part.problems):
        return MigratedObject(outcome=Outcome.UNMOVED, body=body, problems=part.problems)
    return MigratedObject(outcome=outcome, body=part.value, problems=part.problems)


def _check_object(body: JsonObject, moves: MigrationMoves) -> Iterator[Problem]:
    """Yield why an object cannot move, whatever it says."""
    yield from _check_kind(body, moves)
    yield from check_deletion(body)
    if not text_at(body, "metadata", "name"):
        message, hint = "found an object without a name, expected one", "export what a cluster has"
        yield make_problem("migration-unmoved", message, ("metadata",), hint)


def check_deletion(body: JsonObject) -> Iterator[Problem]:
    """Yield that somebody is deleting an object."""
    if value_at(body, "metadata", "deletionTimestamp"):
        hint = "it is not carried over; wait until it is gone"
        path = ("metadata", "deletionTimestamp")
        yield make_problem("migration-unmoved", "found an object that is being deleted", path, hint)


def _check_kind(body: JsonObject, moves: MigrationMoves) -> Iterator[Problem]:
    """Yield that nothing is said of a kind or a version of an old group."""
    if moves.role_of(body) is not MigrationRole.STRANDED:
        return
    name = kind_name_of(body)
    known = moves.versions.get((name.group, name.kind))
    same = (each for each in moves.dropped if not known and each[::2] == name[::2])
    if reason := moves.dropped.get(next(same, name)):
        message = f"found the kind {quote_text(name.kind)}, which goes without a successor"
        yield make_problem("migration-unmoved", message, ("kind",), reason)
    elif known:
        message = (
            f"found the version {quote_text(name.version)}, expected {join_words([*dict.fromkeys(known)])}"
        )
        yield make_problem(
            "migration-unmoved", message, ("apiVersion",), "export it in a version that the migration knows"
        )
    else:
        message = (
            f"found the kind {quote_text(name.kind)} of {name.group}, of which the migration says nothing"
        )
        yield make_problem(
            "migration-unmoved", message, ("kind",), "it has no counterpart; leave it out, or add it to kinds"
        )


class _Mover:
    """Moves an object, and those that it holds."""

    def __init__(self, moves: MigrationMoves, check: Check) -> None:
        self.moves, self.check = moves, check

    def migrate_content(self, body: JsonObject) -> ConvertedValue:
        """Move what an object of another kind holds; what a server set goes only if something changed."""
        part = migrate_nested_objects(body, self.moves, self.migrate, inside=False)
        meta = {"metadata": remove_server_fields(body["metadata"])} if "metadata" in body else {}
        made = {**part.value, **meta}
        told = (*part.problems, *self._check_mentions(made))
        return ConvertedValue(body if part.value is body else made, told)

    def migrate(self, body: JsonObject) -> ConvertedValue:
        """Move an object of an old kind that no other such object holds."""
        keys = rename_keys(body, self.moves)
        part = self._migrate_recursively(keys.value, nested=False)
        return ConvertedValue(
            part.value, (*check_owners(body.get("metadata")), *keys.problems, *part.problems)
        )

    def _migrate_recursively(self, body: JsonObject, *, nested: bool) -> ConvertedValue:
        """Move what an object holds, then itself, for as long as its kind has somewhere to go."""
        if problems := tuple(_check_kind(body, self.moves)):
            return ConvertedValue(body, problems)
        part = migrate_nested_objects(
            body, self.moves, partial(self._migrate_recursively, nested=True), inside=True
        )
        made, found = part.value, [*check_finalizers(body.get("metadata"), self.moves.keys), *part.problems]
        if not nested:  # at the places that it was exported with
            rest = {key: item for key, item in made.items() if key not in ASIDE}
            found += self._check_mentions(
                {**rest, "metadata": filter_metadata(made.get("metadata"), self.moves.keys)}
            )
        for _ in self.moves.old:
            if kind_name_of(made) not in self.moves.old:
                break
            made, problems = self._convert_to_next_kind(made, nested)
            found += problems
        return ConvertedValue(made, tuple(found))

    def _check_mentions(self, body: JsonObject) -> Iterator[Problem]:
        """Yield what still speaks of old kinds, and is left as it is."""
        yield from (each.problem for each in find_mentions(body, self.moves.kinds))

    def _convert_to_next_kind(self, body: JsonObject, nested: bool) -> ConvertedValue:
        """Move an object to the next kind, and validate it against that CRD."""
        name, known = kind_name_of(body), self.moves.schemas
        after, tree = self.moves.old[name].after, self.moves.trees.get(name)
        before = known.get(name)
        rest = {key: item for key, item in body.items() if key not in ASIDE}
        mapped = map_fields(body, tree, before, known.get(after)) if tree else MappedFields(fields=rest)
        fields, places = mapped.fields, mapped.places
        if "metadata" in body:
            wide = after in self.moves.cluster_wide
            fields = {
                "metadata": filter_metadata(body["metadata"], self.moves.keys, cluster_wide=wide),
                **fields,
            }
        made = {"apiVersion": after.api_version, "kind": after.kind, **fields}
        # Of a kind on the way, the schema here is not the one that it is validated by.
        schema = known.get(after) if after not in self.moves.old else None
        unknown = find_unknown_fields(made, schema) if schema else self._find_refused_fields(made)
        found = [*mapped.problems]
        if gone := _locate_unknown_fields(unknown, before, places, body):
            said = (path for path in gone if not is_empty_value(existing_value(made, path)))
            found += [report_unknown_field(gone[path], before) for path in said]
            made = remove_fields(made, gone)
        wrong = [*self.check(made)]
        found += _check_empty_spec(body, made)
        if any(each.rule.severity is Severity.ERROR for each in found):
            return ConvertedValue(made, tuple(found))  # what is missing now is for want of these
        # An object in a template needs no name.
        nameless = (("metadata",), NAME_INVALID) if nested else ()
        found += (
            _relocate_problem(each, places, body) for each in wrong if (each.path, each.rule) != nameless
        )
        return ConvertedValue(made, tuple(found))

    def _find_refused_fields(self, made: JsonObject) -> list[Path]:
        return [each.path for each in self.check(made) if each.rule is FIELD_UNKNOWN]


def _check_empty_spec(body: JsonObject, made: JsonObject) -> Iterator[Problem]:
    """Report that nothing is left of a spec."""
    if not is_empty_value(body.get("spec")) and is_empty_value(made.get("spec")):
        message = f"found a spec of which nothing has a counterpart in {made['apiVersion']}"
        yield make_problem(
            "migration-unmoved", message, ("spec",), "write the object anew, as the new kind has it"
        )


def _locate_unknown_fields(
    unknown: Iterable[Path], before: Json, places: Mapping[Path, Path], body: JsonObject
) -> dict[Path, Path]:
    """Return the fields of a new object that neither CRD has, each with its place in the old one."""
    odd = {path: _find_source_path(path, places, body) for path in unknown}
    lacking = find_unknown_fields(body, before) if odd else []
    return {path: source for path, source in odd.items() if is_below(source, lacking)}


def _relocate_problem(wrong: Problem, places: Mapping[Path, Path], body: JsonObject) -> Problem:
    """Return a problem of the new object at the place in the old one that the value is from."""
    path = wrong.path
    if not places or path[:1] in ((), ("metadata",)):
        return wrong
    hint = wrong.hint or f"in the new object it is {'.'.join(map(str, path))}"
    return Problem(wrong.rule, wrong.message, _find_source_path(path, places, body), hint)


def _find_source_path(path: Path, places: Mapping[Path, Path], body: JsonObject) -> Path:
    """Return the place in the old object that a value of the new one is from, or the nearest one."""
    if not places:
        return path
    length = next((end for end in range(len(path), 0, -1) if path[:end] in places), 0)
    nearest = path[:1] if path[0] in body else ()
    return (*places[path[:length]], *path[length:]) if length else nearest


def restore_object(body: JsonObject, moves: MigrationMoves, _: Check) -> MigratedObject:
    """Return an object of an old kind without what only the server that it was on could know.

    So are owners of kinds that move: they have other UIDs by now, and a child whose owner is not there is
    deleted. Finalizers stay, since the operator that answers them runs again.
    """
    if moves.role_of(body) not in (MigrationRole.OLD, MigrationRole.STRANDED):
        return MigratedObject(outcome=Outcome.OTHER, body=body)
    if problems := tuple(check_deletion(body)):
        return MigratedObject(outcome=Outcome.UNMOVED, body=body, problems=problems)
    return MigratedObject(outcome=Outcome.RESTORED, body={**body, "metadata": _restore_metadata(body, moves)})


def _restore_metadata(body: JsonObject, moves: MigrationMoves) -> JsonObject:
    meta = map_at(body, "metadata")
    made = {key: item for key, item in meta.items() if key not in (*SERVER_SET, "ownerReferences")}
    owners = [each for each in list_owner_references(meta) if moves.role_of(each) is MigrationRole.OTHER]
    return {**made, "ownerReferences": owners} if owners else made
