"""Find a migration of a kit, compile its phases for a target, and check them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from msgspec import Struct

from kitgen.check.context import CheckContext, CheckHit
from kitgen.check.engine import to_findings as joined_hits
from kitgen.compare.upgrade.rules import UPGRADE_MIGRATION
from kitgen.findings import Chapter, Finding, Severity, make_problem, suggest_word
from kitgen.findings.errors import UsageError
from kitgen.kit.migrations import load_migrations
from kitgen.kit.model import Target
from kitgen.kit.model.migration import Migration, Phase
from kitgen.kube.manifest import Manifest
from kitgen.migrate.phases.admission import add_webhook_counterparts
from kitgen.migrate.phases.objects import PhaseMade, build_phase_objects
from kitgen.migrate.phases.permissions import Counterpart
from kitgen.migrate.rules.fields import check_moved_fields
from kitgen.migrate.rules.schema_changes import Upgrade, check_upgrade
from kitgen.migrate.rules.schemas import check_conversions, check_scopes
from kitgen.text.wording import join_words
from kitgen.workspace.checks import TargetBaseline, check_objects
from kitgen.workspace.kit import OpenedKit, format_known_names, open_kit, raise_on_errors


class OpenedMigration(Struct, frozen=True, kw_only=True):
    """A kit and one of its migrations."""

    opened: OpenedKit
    migration: Migration
    others: tuple[Migration, ...] = ()
    """The other migrations of the kit."""


def open_migration(root: Path | None, name: str) -> OpenedMigration:
    """Open the kit, and return the migration of a name; what is wrong with any is a FindingsError."""
    opened = open_kit(root)
    assert opened.files is not None  # it was read from the disk
    found = load_migrations(opened.files, opened.kit)
    raise_on_errors(found.findings, opened.root)
    if name not in found.known:
        hint = (
            suggest_word(name, list(found.known))
            or format_known_names(found.known)
            or "migrations/NAME.yaml declares one"
        )
        raise UsageError(f"no migration {name!r} in this kit", hint=hint)
    others = tuple(each for each in found.known.values() if each.name != name)
    return OpenedMigration(opened=opened, migration=found.known[name], others=others)


def resolve_target(opening: OpenedMigration, name: str) -> Target:
    """Return a target that a migration is for."""
    migration = opening.migration
    if name not in migration.targets:
        hint = (
            suggest_word(name, list(migration.targets))
            or f"it is for {join_words(migration.targets, last='and')}"
        )
        raise UsageError(f"{migration.name} is not for the target {name!r}", hint=hint)
    return opening.opened.target(name)


def resolve_phase(migration: Migration, name: str) -> Phase:
    """Return a phase of a migration."""
    if name not in migration.phases:
        hint = suggest_word(name, list(migration.phases)) or f"known are {', '.join(migration.phases)}"
        raise UsageError(f"no phase {name!r} on the path {migration.way}", hint=hint)
    return Phase(name)


class Phases:
    """What a target brings in each phase of a migration, made once."""

    def __init__(self, opening: OpenedMigration, target: Target) -> None:
        """Compile the releases that the migration names."""
        self.opened, self.migration, self.target = opening.opened, opening.migration, target
        self.plans = plans = {name: self.opened.plan(target, name) for name in self.migration.releases}
        self.releases: dict[str, Sequence[Manifest]] = {name: plan.objects for name, plan in plans.items()}
        self.compiled = [finding for plan in plans.values() for finding in plan.findings]
        self._crds = [crd for plan in plans.values() for crd in plan.crds]

    def build(self, phase: Phase) -> PhaseMade:
        """Return what the target brings in a phase."""
        return build_phase_objects(self.migration, phase, self.releases)

    def check(self, made: PhaseMade) -> list[Finding]:
        """Return what is wrong with a phase, and with the way to it from the phase before."""
        opened, target = self.opened, self.target.name
        found = [*self.compiled, *made.moved.findings]
        if made.moved.findings:
            return opened.apply_exceptions(found)  # what follows from kinds that are not there says nothing
        earlier = {each: one for one, each in pairwise(self.migration.phases)}.get(made.phase)
        there = {target: TargetBaseline(self._list_previous_objects(earlier, made), {})} if earlier else {}
        checked = check_objects(
            opened, {target: made.objects}, self._crds, found, self.migration.minors, before=there
        )
        # Each phase is held against the one before it, so none is left out.
        # A warning of an upgrade stops no step to the next phase; what counts is told of the releases.
        stops = (
            each
            for each in checked
            if each.rule.chapter is not Chapter.UPGRADE or each.rule.severity is not Severity.WARNING
        )
        told = [each for each in stops if each.rule is not UPGRADE_MIGRATION]
        # No object is made of what fields say, so what is wrong with them hides nothing else.
        kinds = made.moved.moving_kinds
        said = (*check_moved_fields(kinds), *check_scopes(kinds), *check_conversions(kinds))
        return opened.apply_exceptions([*told, *said, *self._check_upgrade(earlier, made)])

    def _check_upgrade(self, earlier: Phase | None, made: PhaseMade) -> list[Finding]:
        """Return what the step to another release does to kinds that move.

        What phases bring and take themselves is meant, and what else changes is no matter of a migration.
        """
        old = self.migration.release(earlier) if earlier else made.release
        if old == made.release:
            return []
        now, target = self.releases[made.release], self.target.name
        # A webhook that was asked about the old kind is not in the way because it is asked about the new one.
        pairs = {
            each.old.group_resource: Counterpart(each.old, each.new, each.said.origin)
            for each in made.moved.kinds_with_new_crd
        }
        before = [*add_webhook_counterparts(self.migration, self.releases[old], pairs)]
        held = Upgrade(moved=made.moved, before=before, now=now)
        hits = [CheckHit(target, manifest, wrong) for manifest, wrong in check_upgrade(held)]
        return joined_hits(CheckContext(targets={target: now}, minors=()), hits)

    def _list_previous_objects(self, earlier: Phase, made: PhaseMade) -> list[Manifest]:
        """Return what is there before a phase; old CRDs are removed by hand before the last one."""
        old = self.build(earlier)
        gone = {each.old.crd.id for each in old.moved.old if not each.within}
        return [each for each in old.objects if made.phase is not Phase.AFTER or each.id not in gone]


def check_phase_order(migration: Migration, start: Phase, phase: Phase) -> list[Finding]:
    """Return a finding if phases are left out on the way from one to another."""
    one, other = migration.phases.index(start), migration.phases.index(phase)
    between = migration.phases[one + 1 : other]
    if other < one:
        message = f"found the phase '{phase}' behind '{start}', expected one that comes later"
        hint = "kitgen migrate plan tells how to go back"
        return [make_problem("migration-skip", message, hint=hint).to_finding(migration.origin.at("path"))]
    if not between:
        return []
    message = (
        f"found the phase '{phase}' behind '{start}', expected {join_words(between, last='and')} in between"
    )
    return [
        make_problem("migration-skip", message, hint=f"render {between[0]} first").to_finding(
            migration.origin.at("path")
        )
    ]
