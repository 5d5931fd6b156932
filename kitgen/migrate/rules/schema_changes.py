"""Compare kinds across their move: changes of schemas and of releases that the move would hide.

Phases grant and revoke permissions for both kinds on purpose. So the releases are compared as they are, as if
the old kind had the name of the new one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from kitgen.compare.change import Change, Risk
from kitgen.compare.crds.compare import STATUS, compare
from kitgen.compare.crds.place import said_of
from kitgen.compare.object_match import match
from kitgen.compare.upgrade.permissions import permissions
from kitgen.compare.upgrade.removed_objects import lost, renamed
from kitgen.compare.upgrade.rules import UPGRADE_GONE
from kitgen.compare.upgrade.webhooks import refusing
from kitgen.findings import Finding, Problem, problem
from kitgen.kube.manifest import Manifest
from kitgen.kube.rbac.rules import ALL, SinglePermission
from kitgen.migrate.kinds import MovedKinds, MovingKind, ServedKind
from kitgen.migrate.phases.admission import webhook_rules
from kitgen.migrate.rules.mentions import mentions
from kitgen.migrate.rules.permissions import grants, names_resource
from kitgen.text.values import value_at
from kitgen.text.wording import choice, counted, cut
from kitgen.text.yaml import JsonObject

MOST = 100
"""How many changes of one kind are told; the worst come first."""
NAMED = 3
"""How many changes are named that bother nobody."""
NAMES = ("kind", "listKind", "plural", "singular")


def hidden_changes(some: Iterable[MovingKind]) -> Iterator[Finding]:
    """Yield what changes in the schema of each kind that moves; what its fields say is accepted."""
    for each in some:
        # A change of scope is told as what it does to resources.
        found = compare([_alone(each.old, each.new)], [_alone(each.new, each.new)])
        changes = [change for change in found if change.rule.id != "scope-changed"]
        aside = [change for change in changes if change.path.startswith(STATUS)]
        told = [change for change in changes if not change.path.startswith(STATUS)]
        small = [change for change in told if change.risk is Risk.COSMETIC and not _said(change, each)]
        if len(small) > 1:  # nobody has to act on them, so they must not bury what somebody has to
            told = [change for change in told if change not in small]
            yield _small(small, each)
        yield from (_finding(change, each) for change in told[:MOST])
        if len(told) > MOST:
            message = f"found {counted(len(told) - MOST, 'more change')} {_move(each)}"
            yield problem("migration-schema", message, hint="kitgen crd diff tells all of them").at(
                each.said.origin
            )
        if aside:
            what = f"{counted(len(aside), 'change')} of status, the worst {aside[0].risk},"
            message = f"found {what} {_move(each)}: no status is carried over, but clients may read it"
            yield problem("migration-schema", message, hint=f"felt by {aside[0].felt_by}").at(
                each.said.origin
            )


def _alone(side: ServedKind, named: ServedKind) -> JsonObject:
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


def _small(changes: list[Change], moving: MovingKind) -> Finding:
    some = choice([f"{_where(each)}: {each.message}" for each in changes], last="and", most=NAMED)
    message = f"found {counted(len(changes), 'cosmetic change')} {_move(moving)}: {some}"
    return problem("migration-schema", message, hint="kitgen crd diff tells all of them").at(
        moving.said.origin
    )


def _where(change: Change) -> str:
    more = f" and {counted(change.spots - 1, 'more place')}" if change.spots > 1 else ""
    return f"{cut(change.path.removeprefix('.')) if change.path else 'the CRD'}{more}"


def _finding(change: Change, moving: MovingKind) -> Finding:
    what = f"found a {change.risk} change {_move(moving)}: {_where(change)}"
    message = f"{what}: {change.message}; {change.reason}"
    found = problem("migration-schema", message, hint=change.hint or f"felt by {change.felt_by}").at(
        moving.said.origin
    )
    return replace(found, accepted=reason) if (reason := _said(change, moving)) else found


def _move(moving: MovingKind) -> str:
    return f"in the move of {moving.before}"


def _said(change: Change, moving: MovingKind) -> str:
    """Return what the migration says of a change; of one that is in several places, of all of them."""
    schema = value_at(_alone(moving.old, moving.new)["spec"]["versions"][0], "schema", "openAPIV3Schema")
    reasons = [said_of(place.path, moving.said.fields, schema) for place in change.places]
    return reasons[0] if all(reasons) else ""


class Upgrade(Struct, frozen=True, kw_only=True):
    """Two releases of a target, and what moves between them; what goes is meant to."""

    moved: MovedKinds
    before: Sequence[Manifest]
    now: Sequence[Manifest]

    def is_about(self, one: SinglePermission) -> bool:
        """Return whether a permission is one for a kind that goes to another CRD; roles know no versions."""
        resource = one.resource.partition("/")[0]
        return any(
            one.group == side.name.group and resource in (side.plural, ALL)
            for each in self.moved.across
            for side in (each.old, each.new)
        )

    def names_old(self, manifest: Manifest) -> bool:
        """Return whether an object of before is for a kind that moves: it grants or names it."""
        moving = self.moved.moving
        granted = any(any(grants([manifest], each.old.group_resource)) for each in moving)
        return granted or bool(mentions(manifest.body, MovedKinds(moving)))

    def asks_of_new(self, manifest: Manifest) -> bool:
        """Return whether webhooks are called for a kind that moves."""
        asked = [each.new.group_resource for each in self.moved.moving]
        return any(names_resource(rule, *each) for rule in webhook_rules(manifest) for each in asked)


def upgrades(held: Upgrade) -> Iterator[tuple[Manifest, Problem]]:
    """Yield what people and operators will notice of kinds that move, each with its object."""
    groups = {each.old.name[::2]: each.new.name.group for each in held.moved.across}
    matched = match(held.before, held.now, groups)
    yield from permissions(held.before, held.now, matched, groups, held.is_about)
    gone = (each for each in lost(matched) if each[1].rule is UPGRADE_GONE)
    yield from (each for each in gone if held.names_old(each[0]))
    yield from ((new, renamed(old.body, new.body)) for old, new in matched.renamed if held.names_old(old))
    yield from (each for each in refusing(matched) if held.asks_of_new(each[0]))
