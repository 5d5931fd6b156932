"""What each phase puts at risk, in words."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.kit.model.migration import Phase, written
from kitgen.migrate.phases.admission import POLICY_MINOR
from kitgen.migrate.runbook.changes import has_policy
from kitgen.migrate.runbook.model import RunbookPhase
from kitgen.migrate.runbook.versions import DROPPED


def risks_of(scene: RunbookPhase) -> Iterator[str]:
    """Yield what may go wrong in a phase."""
    match scene.phase:
        case Phase.BEFORE:
            yield "Nothing: these steps only read."
        case Phase.INTRODUCE:
            yield (
                "The operator of another release starts: it looks at all resources anew, and may restart "
                "what it made."
            )
            yield (
                "Short names and plurals are ambiguous from now on: scripts that use them may get the other "
                "group."
            )
        case Phase.SWITCH:
            yield "Clients that take warnings for errors fail on the old kinds."
        case Phase.PREPARE | Phase.MIGRATE:
            yield (
                "The operator stands still from its stop to its start: nothing is queued, started or cleaned "
                "up."
            )
        case Phase.READ_ONLY:
            yield from _read_only(scene)
        case Phase.AFTER:
            yield from _after(scene)
    if scene.lifted:
        yield from _lifted(scene)
    if any(each.is_carried for each in scene.settled):
        yield DROPPED


def _lifted(scene: RunbookPhase) -> Iterator[str]:
    yield "Without --cascade=orphan, a deletion takes all children along: running pods die."
    yield "Resources that somebody writes after the export are lost."
    yield (
        "UIDs, status, creation times and owners are not carried over. Whoever stored a UID finds nothing by "
        "it."
    )
    yield (
        "New resources start with an empty status. They may wait for capacity that their own pods use: "
        "let what runs finish first, and carry over what is queued or done."
    )
    yield (
        "Children have no owner afterwards, unless the operator takes them up: then only its own clean-up "
        "deletes them."
    )
    moved = {(each.old.api_version, each.old.kind) for each in scene.lifted}
    for kind in scene.migration.kinds:
        names = ", ".join(written(each.field) for each in kind.fields if each.lost)
        if names and (kind.before.api_version, kind.before.kind) in moved:
            yield f"Fields of {kind.before.kind} without a counterpart are lost: {names}."


def _read_only(scene: RunbookPhase) -> Iterator[str]:
    if scene.across:
        yield (
            "Nobody looks after resources of the old kinds that stayed behind: their status stands still, "
            "their pods run on. Deleting one of these still deletes its children."
        )
    if has_policy(scene.migration, scene.found.made):
        yield "Whoever still makes resources of the old kinds is refused by the admission policy."
    else:
        yield unguarded(scene)


def unguarded(scene: RunbookPhase) -> str:
    """Say that nothing refuses resources of old kinds."""
    least = min(scene.migration.minors)
    return (
        "Nothing refuses new resources of the old kinds: an admission policy needs Kubernetes "
        f"1.{POLICY_MINOR}, and clusters of this migration may have 1.{least}. Take the right to create "
        "them out of people's roles, and count again before the next phase."
    )


def _after(scene: RunbookPhase) -> Iterator[str]:
    if scene.across:
        yield (
            "Deleting a CRD deletes every resource of its kind, in all namespaces, with its children: "
            "running pods die."
        )
        yield "A resource with a finalizer that nobody answers keeps its CRD in Terminating."
        yield "Clients and roles that still name the old group get an error."
    if scene.within:
        yield "Clients that still speak the old version get an error: the server no longer serves it."
