"""Run `kitgen migrate check`: check a migration against the kit, or manifests against a migration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from kitgen.check.context import CheckContext, CheckHit
from kitgen.check.engine import to_findings as joined_hits
from kitgen.findings import Chapter, Finding, deduplicate_findings
from kitgen.findings.errors import UsageError
from kitgen.kit.manifest_gathering import gather_manifests
from kitgen.kit.manifests import STDIN, ReadBudget
from kitgen.kit.model.migration import Phase
from kitgen.migrate.exports.spool import check_empty_input
from kitgen.migrate.moved_kinds import load_declared_kinds
from kitgen.migrate.phases.run import OpenedMigration, Phases, open_migration, resolve_phase, resolve_target
from kitgen.migrate.rules.keys import check_renamed_keys
from kitgen.migrate.rules.losses import PhaseObjects, check_data_loss
from kitgen.migrate.rules.mentions import check_selectors, find_mentions
from kitgen.migrate.rules.schema_changes import check_schema_changes
from kitgen.workspace.baselines import Baselines
from kitgen.workspace.checks import CheckResult
from kitgen.workspace.kit import raise_on_errors
from kitgen.workspace.render_request import Progress
from kitgen.workspace.sources import Kits, SourceKind, parse_path_source

OWN = (Chapter.MIGRATION, Chapter.UPGRADE)
"""What a migration is about; warnings of other chapters are for `kitgen check` to tell."""


class MigrateCheckRequest(Struct, frozen=True, kw_only=True):
    """Which migration to check, and what to hold to it."""

    root: Path | None = None
    name: str
    paths: tuple[str, ...] = ()
    """Manifests; the kit itself when empty."""
    phase: str = ""
    """The phase that the manifests are meant to be, if that is known."""
    baseline: str | None = None
    """A source: what is there before the manifests."""


def check_migration(request: MigrateCheckRequest, progress: Progress) -> CheckResult:
    """Check a migration on the kit, or what manifests still say of its old kinds, and would lose."""
    if not request.paths and (request.baseline is not None or request.phase):
        raise UsageError("--baseline and --phase are of manifests", hint="name a file, a folder or -")
    opening = open_migration(request.root, request.name)
    if request.paths:
        return _check_paths(request, opening)
    parts = []
    for name in opening.migration.targets:
        progress(f"checking {name}")
        parts.append(_check_target(opening, name))
    objects = sum(each.objects for each in parts)
    found = opening.opened.apply_exceptions(finding for each in parts for finding in each.findings)
    return CheckResult(root=opening.opened.root, objects=objects, findings=tuple(found))


def _check_target(opening: OpenedMigration, name: str) -> CheckResult:
    """Check every phase of a target, the way from each to the next, and what is left in the end."""
    migration = opening.migration
    phases = Phases(opening, resolve_target(opening, name))
    findings: list[Finding] = []
    objects, before = 0, None
    for phase in migration.phases:
        made = phases.build(phase)
        if made.moved.findings:
            return CheckResult(findings=tuple(phases.check(made)))
        held = PhaseObjects(kinds=made.moved, now=made.objects, before=before, phase=phase)
        hits = [
            *_check_losses_and_keys(name, held),
            *(_check_old_kinds(name, held) if phase is Phase.AFTER else ()),
        ]
        findings += [each for each in phases.check(made) if each.is_blocking or each.rule.chapter in OWN]
        findings += [
            *_to_findings(name, held, hits),
            *(check_schema_changes(made.moved.moving_kinds) if not before else ()),
        ]
        objects, before = objects + len(made.objects), made.objects
    return CheckResult(objects=objects, findings=tuple(findings))


def _check_paths(request: MigrateCheckRequest, opening: OpenedMigration) -> CheckResult:
    """Check manifests, those that come to a cluster together at a time."""
    migration = opening.migration
    phase = resolve_phase(migration, request.phase) if request.phase else None
    names = [*dict.fromkeys(map(parse_path_source, request.paths))]
    baselines = Baselines(Kits(request.root, opened=opening.opened), request.baseline)
    if baselines.name and baselines.name.kind is SourceKind.STDIN and STDIN in names:
        raise UsageError(
            "standard input is both what is checked and its baseline", hint="name a file for one"
        )
    kinds, intake = load_declared_kinds(opening.opened, migration), ReadBudget()
    raise_on_errors(kinds.findings, opening.opened.root)
    gathered = [gather_manifests(name, intake) for name in names]
    findings = [finding for each in gathered for finding in each.findings]
    findings += [
        each for pair in zip(names, gathered, strict=True) for each in check_empty_input(*pair, intake)
    ]
    parts = [part for each in gathered for part in each.parts[:-1]]
    parts.append(tuple(one for each in gathered for part in each.parts[-1:] for one in part))
    objects = 0
    for number, part in enumerate(parts, 1):
        findings += [finding for each in part for finding in each.findings]
        now = [each.manifest for each in part if not each.problems]
        before = baselines.of_manifests() if number == len(parts) else None
        held = PhaseObjects(kinds=kinds, now=now, before=before, phase=phase)
        # Before the last phase, old kinds are meant to be there.
        old = _check_old_kinds("", held) if phase in (None, Phase.AFTER) else ()
        findings += _to_findings("", held, [*old, *_check_losses_and_keys("", held)])
        objects += len(now)
    baselines.require_used()
    return CheckResult(
        root=opening.opened.root,
        objects=objects,
        findings=tuple(deduplicate_findings(findings)),
        texts=baselines.texts | {file: text for each in gathered for file, text in each.texts.items()},
        aside=sum(each.aside for each in gathered),
        remarks=tuple(remark for each in gathered for remark in each.remarks),
    )


def _check_old_kinds(target: str, held: PhaseObjects) -> Iterator[CheckHit]:
    """Yield what still speaks of old kinds."""
    for each in held.now:
        yield from (
            CheckHit(target, each, mention.problem) for mention in find_mentions(each.body, held.kinds)
        )


def _check_losses_and_keys(target: str, held: PhaseObjects) -> Iterator[CheckHit]:
    """Yield losses of data, keys that must not be renamed, and selectors by keys that move."""
    yield from (CheckHit(target, manifest, problem) for manifest, problem in check_data_loss(held))
    was = {each.id: each.body for each in held.before or ()}
    for each in held.now:
        for problem in (
            *check_renamed_keys(each.body, held.kinds, was.get(each.id)),
            *check_selectors(each.body, held.kinds),
        ):
            yield CheckHit(target, each, problem)


def _to_findings(target: str, held: PhaseObjects, hits: Sequence[CheckHit]) -> list[Finding]:
    """Return hits as findings, each with the object that it is of."""
    return joined_hits(CheckContext(targets={target: held.now}, minors=()), hits)
