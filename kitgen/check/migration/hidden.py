"""Changes of schemas that a move hides: the old CRD held against the new one, as if it had its name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from kitgen.check.index import below
from kitgen.check.migration.rules import MIGRATION_SCHEMA
from kitgen.compile.phases.moving import Moving, Side
from kitgen.diff.change import Change
from kitgen.diff.crds.compare import STATUS, compare
from kitgen.diff.crds.crd import SCOPE_CHANGED
from kitgen.diff.crds.said import said_of
from kitgen.diff.risk import Risk
from kitgen.findings import Finding
from kitgen.schema.wording import choice, counted, cut
from kitgen.yamlio import JsonObject

MOST = 100
"""How many changes of one kind are told; the worst come first."""
NAMED = 3
"""How many changes are named that bother nobody."""
NAMES = ("kind", "listKind", "plural", "singular")


def hidden_changes(some: Iterable[Moving]) -> Iterator[Finding]:
    """Yield what changes in the schema of each kind that moves; what its fields say is accepted."""
    for each in some:
        # A change of scope is told as what it does to resources.
        found = compare([_alone(each.old, each.new)], [_alone(each.new, each.new)])
        changes = [change for change in found if change.rule is not SCOPE_CHANGED]
        told = [change for change in changes if not change.path.startswith(STATUS)]
        small = [change for change in told if change.risk is Risk.COSMETIC and not _said(change, each)]
        if len(small) > 1:  # nobody has to act on them, so they must not bury what somebody has to
            told = [change for change in told if change not in small]
            yield _small(small, each)
        for change in told[:MOST]:
            yield _finding(change, each)
        if len(told) > MOST:
            message = f"found {counted(len(told) - MOST, 'more change')} {_move(each)}"
            yield MIGRATION_SCHEMA(message, hint="kitgen crd diff tells all of them").at(each.said.origin)
        if aside := [change for change in changes if change.path.startswith(STATUS)]:
            what = f"{counted(len(aside), 'change')} of status, the worst {aside[0].risk},"
            message = f"found {what} {_move(each)}: no status is carried over, but clients may read it"
            yield MIGRATION_SCHEMA(message, hint=f"felt by {aside[0].felt_by}").at(each.said.origin)


def _alone(side: Side, named: Side) -> JsonObject:
    """Return a CRD with the version that moves alone, under the names of one side."""
    body, like = side.crd.body, named.crd.body
    version = next(each for each in body["spec"]["versions"] if each["name"] == side.name.version)
    kept = {key: value for key, value in version.items() if key not in ("deprecated", "deprecationWarning")}
    names = {key: value for key, value in body["spec"]["names"].items() if key not in NAMES}
    own = {key: value for key, value in like["spec"]["names"].items() if key in NAMES}
    spec = {key: value for key, value in body["spec"].items() if key != "conversion"}
    return {
        **{key: value for key, value in body.items() if key != "status"},
        "metadata": like["metadata"],
        "spec": {
            **spec,
            "group": like["spec"]["group"],
            "names": {**names, **own},
            "versions": [{**kept, "name": named.name.version, "served": True, "storage": True}],
        },
    }


def _small(changes: list[Change], moving: Moving) -> Finding:
    some = choice([f"{_where(each)}: {each.message}" for each in changes], last="and", most=NAMED)
    message = f"found {counted(len(changes), 'cosmetic change')} {_move(moving)}: {some}"
    return MIGRATION_SCHEMA(message, hint="kitgen crd diff tells all of them").at(moving.said.origin)


def _where(change: Change) -> str:
    more = f" and {counted(change.spots - 1, 'more place')}" if change.spots > 1 else ""
    return f"{cut(change.path.removeprefix('.')) if change.path else 'the CRD'}{more}"


def _finding(change: Change, moving: Moving) -> Finding:
    where = _where(change)
    message = f"found a {change.risk} change {_move(moving)}: {where}: {change.message}; {change.reason}"
    found = MIGRATION_SCHEMA(message, hint=change.hint or f"felt by {change.felt_by}").at(moving.said.origin)
    return replace(found, accepted=reason) if (reason := _said(change, moving)) else found


def _move(moving: Moving) -> str:
    return f"in the move of {moving.said.before}"


def _said(change: Change, moving: Moving) -> str:
    """Return what the migration says of a change; of one that is in several places, of all of them."""
    version = _alone(moving.old, moving.new)["spec"]["versions"][0]
    schema = below(version, "schema", "openAPIV3Schema")
    reasons = [said_of(place.path, moving.said.fields, schema) for place in change.places]
    return reasons[0] if all(reasons) else ""
