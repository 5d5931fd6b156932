"""Compare kinds across their move: changes of schemas and of releases that the move would hide.

Phases grant and revoke permissions for both kinds on purpose. So the releases are compared as they are, as if
the old kind had the name of the new one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from kitgen.compare.change import Change, Risk
from kitgen.compare.crds.compare import STATUS, compare_crds
from kitgen.compare.crds.place import describe_field_move
from kitgen.compare.object_match import match_objects
from kitgen.compare.upgrade.permissions import check_permissions
from kitgen.compare.upgrade.removed_objects import check_removed_objects, report_rename
from kitgen.compare.upgrade.rules import UPGRADE_GONE
from kitgen.compare.upgrade.webhooks import check_failing_webhooks
from kitgen.findings import Finding, Problem, make_problem
from kitgen.kube.manifest import Manifest
from kitgen.kube.rbac.rules import ALL, SinglePermission
from kitgen.migrate.kinds import MovedKinds, MovingKind, ServedKind
from kitgen.migrate.phases.admission import list_webhook_rules
from kitgen.migrate.rules.mentions import find_mentions
from kitgen.migrate.rules.permissions import list_granted_rules, matches_resource
from kitgen.text.values import value_at
from kitgen.text.wording import format_count, join_words, quote_text
from kitgen.text.yaml import JsonObject

MOST = 100
"""How many changes of one kind are told; the worst come first."""
NAMED = 3
"""How many changes are named that bother nobody."""
NAMES = ("kind", "listKind", "plural", "singular")


def check_schema_changes(some: Iterable[MovingKind]) -> Iterator[Finding]:
    """Yield what changes in the schema of each kind that moves; what its fields say is accepted."""
    for each in some:
        # A change of scope is told as what it does to resources.
        found = compare_crds([_isolate_version(each.old, each.new)], [_isolate_version(each.new, each.new)])
        changes = [change for change in found if change.rule.id != "scope-changed"]
        aside = [change for change in changes if change.path.startswith(STATUS)]
        told = [change for change in changes if not change.path.startswith(STATUS)]
        small = [change for change in told if change.risk is Risk.COSMETIC and not _find_reason(change, each)]
        if len(small) > 1:  # nobody has to act on them, so they must not bury what somebody has to
            told = [change for change in told if change not in small]
            yield _report_cosmetic_changes(small, each)
        yield from (_report_change(change, each) for change in told[:MOST])
        if len(told) > MOST:
            message = f"found {format_count(len(told) - MOST, 'more change')} {_describe_move(each)}"
            yield make_problem(
                "migration-schema", message, hint="kitgen crd diff tells all of them"
            ).to_finding(each.said.origin)
        if aside:
            what = f"{format_count(len(aside), 'change')} of status, the worst {aside[0].risk},"
            message = (
                f"found {what} {_describe_move(each)}: no status is carried over, but clients may read it"
            )
            yield make_problem("migration-schema", message, hint=f"felt by {aside[0].felt_by}").to_finding(
                each.said.origin
            )


def _isolate_version(side: ServedKind, named: ServedKind) -> JsonObject:
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


def _report_cosmetic_changes(changes: list[Change], moving: MovingKind) -> Finding:
    some = join_words([f"{_format_place(each)}: {each.message}" for each in changes], last="and", most=NAMED)
    message = f"found {format_count(len(changes), 'cosmetic change')} {_describe_move(moving)}: {some}"
    return make_problem("migration-schema", message, hint="kitgen crd diff tells all of them").to_finding(
        moving.said.origin
    )


def _format_place(change: Change) -> str:
    more = f" and {format_count(change.place_count - 1, 'more place')}" if change.place_count > 1 else ""
    return f"{quote_text(change.path.removeprefix('.')) if change.path else 'the CRD'}{more}"


def _report_change(change: Change, moving: MovingKind) -> Finding:
    what = f"found a {change.risk} change {_describe_move(moving)}: {_format_place(change)}"
    message = f"{what}: {change.message}; {change.reason}"
    found = make_problem(
        "migration-schema", message, hint=change.hint or f"felt by {change.felt_by}"
    ).to_finding(moving.said.origin)
    return replace(found, accepted=reason) if (reason := _find_reason(change, moving)) else found


def _describe_move(moving: MovingKind) -> str:
    return f"in the move of {moving.before}"


def _find_reason(change: Change, moving: MovingKind) -> str:
    """Return what the migration says of a change; of one that is in several places, of all of them."""
    schema = value_at(
        _isolate_version(moving.old, moving.new)["spec"]["versions"][0], "schema", "openAPIV3Schema"
    )
    reasons = [describe_field_move(place.path, moving.said.fields, schema) for place in change.places]
    return reasons[0] if all(reasons) else ""


class Upgrade(Struct, frozen=True, kw_only=True):
    """Two releases of a target, and what moves between them; what goes is meant to."""

    moved: MovedKinds
    before: Sequence[Manifest]
    now: Sequence[Manifest]

    def is_moved_permission(self, one: SinglePermission) -> bool:
        """Return whether a permission is one for a kind that goes to another CRD; roles know no versions."""
        resource = one.resource.partition("/")[0]
        return any(
            one.group == side.name.group and resource in (side.plural, ALL)
            for each in self.moved.kinds_with_new_crd
            for side in (each.old, each.new)
        )

    def is_for_old_kind(self, manifest: Manifest) -> bool:
        """Return whether an object of before is for a kind that moves: it grants or names it."""
        moving = self.moved.moving_kinds
        granted = any(any(list_granted_rules([manifest], each.old.group_resource)) for each in moving)
        return granted or bool(find_mentions(manifest.body, MovedKinds(moving)))

    def has_new_kind_webhook(self, manifest: Manifest) -> bool:
        """Return whether webhooks are called for a kind that moves."""
        asked = [each.new.group_resource for each in self.moved.moving_kinds]
        return any(matches_resource(rule, *each) for rule in list_webhook_rules(manifest) for each in asked)


def check_upgrade(held: Upgrade) -> Iterator[tuple[Manifest, Problem]]:
    """Yield what people and operators will notice of kinds that move, each with its object."""
    groups = {each.old.name[::2]: each.new.name.group for each in held.moved.kinds_with_new_crd}
    matched = match_objects(held.before, held.now, groups)
    yield from check_permissions(held.before, held.now, matched, groups, held.is_moved_permission)
    gone = (each for each in check_removed_objects(matched) if each[1].rule is UPGRADE_GONE)
    yield from (each for each in gone if held.is_for_old_kind(each[0]))
    yield from (
        (new, report_rename(old.body, new.body)) for old, new in matched.renamed if held.is_for_old_kind(old)
    )
    yield from (each for each in check_failing_webhooks(matched) if held.has_new_kind_webhook(each[0]))
