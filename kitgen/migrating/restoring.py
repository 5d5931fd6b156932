"""One exported object → the same object, as a server takes it again: the way back of a migration."""

from __future__ import annotations

from kitgen.migrating.kinds import Moves, Standing
from kitgen.migrating.metadata import SERVER_SET, references
from kitgen.migrating.resources import Check, Outcome, Result, being_deleted
from kitgen.yamlio import JsonObject


def restore(body: JsonObject, moves: Moves, _: Check) -> Result:
    """Return an object of an old kind without what only the server that it was on could know.

    So are owners of kinds that move: they have other UIDs by now, and a child whose owner is not there is
    deleted. Finalizers stay, since the operator that answers them runs again.
    """
    if moves.standing(body) not in (Standing.OLD, Standing.STRANDED):
        return Result(outcome=Outcome.OTHER, body=body)
    if problems := tuple(being_deleted(body)):
        return Result(outcome=Outcome.UNMOVED, body=body, problems=problems)
    return Result(outcome=Outcome.RESTORED, body={**body, "metadata": _metadata(body, moves)})


def _metadata(body: JsonObject, moves: Moves) -> JsonObject:
    meta = body.get("metadata")
    if not isinstance(meta, dict):
        return {}
    made = {key: item for key, item in meta.items() if key not in (*SERVER_SET, "ownerReferences")}
    owners = [each for each in references(meta) if moves.standing(each) is Standing.OTHER]
    return {**made, "ownerReferences": owners} if owners else made
