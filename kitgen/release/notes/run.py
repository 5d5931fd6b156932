"""What `kitgen notes` does: make the notes of a release from what it brings, held against another one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from kitgen.compare.change import Risk
from kitgen.compare.report.review_view import View, counts
from kitgen.compare.review.change import ReviewResult
from kitgen.compare.run.diff import compare_states
from kitgen.findings import Finding
from kitgen.findings.errors import UsageError
from kitgen.kit.model import Kit, Release, Target
from kitgen.kit.model.moves import DeclaredMoves
from kitgen.release.matrix.writing import block_of
from kitgen.release.notes.changes import told, told_any, worst_first
from kitgen.release.notes.kinds import STORING, changed_crds, crds_of, is_new, is_schema, kinds_of, named
from kitgen.release.notes.model import ReleaseNotes
from kitgen.release.notes.removals import AFTER, BEFORE
from kitgen.release.notes.steps import (
    StepContext,
    images_step,
    large_step,
    manifests_step,
    olm_step,
    steps_of,
)
from kitgen.release.notes.topics import images_of, is_image, topics_of
from kitgen.release.notes.versions import accepted_by, overrides_of, versions_of
from kitgen.text.semver import is_patch, version_key
from kitgen.text.wording import choice
from kitgen.workspace.checks import shipped_by
from kitgen.workspace.kit import OpenedKit, known, open_kit, pick
from kitgen.workspace.states import SourceState, state_of_plans


class NotesResult(Struct, frozen=True, kw_only=True):
    """The notes, and where the kit is."""

    root: Path
    notes: ReleaseNotes
    findings: tuple[Finding, ...] = ()
    """Migrations that do not count, since they are wrong."""


def notes(root: Path | None, name: str, *, since: str | None, targets: Iterable[str]) -> NotesResult:
    """Tell what a release brings since another one, to some targets or to all that ship both.

    Unless somebody says it, it is held against what it replaces, or the newest before it that builds.
    """
    opened = open_kit(root)
    release = pick(opened.kit.releases, "release", name)
    before = _since(opened.kit, release, since)
    passed = _passed(opened.kit, release, before) if since is None else []
    wanted = [opened.target(each) for each in dict.fromkeys(targets)]
    compared, remarks = _compared(opened, release, before, wanted)
    matrix = opened.kit.matrix
    made = ReleaseNotes(
        release=release.name,
        date=release.date or None,
        since=before.name if before else None,
        back=before is not None and version_key(before.name) > version_key(release.name),
        patch=before is not None and is_patch(before.name, release.name),
        matrix="\n".join(block_of(matrix, release).splitlines()[1:-1]) or None if matrix else None,
        targets=tuple(each.name for each in compared),
        remarks=(*passed, *remarks),
        versions=tuple(versions_of(opened.kit, before, release)),
        overrides=overrides_of(compared, release),
        accepted=accepted_by(opened.kit, release),
        summary=counts(()),
    )
    if before and compared:
        was, now = (_state(opened, compared, each) for each in (before, release))
        made = _with_changes(
            made, compared, compare_states(was, now, opened.declared()), opened.declared().moves
        )
    return NotesResult(root=opened.root, notes=made, findings=opened.declared().unread)


def _with_changes(
    known: ReleaseNotes, compared: Sequence[Target], diffed: ReviewResult, moves: DeclaredMoves
) -> ReleaseNotes:
    """Return notes with what changes on a cluster."""
    targets = known.targets
    view = View(diffed.changes, diffed.scopes, lambda _: None)
    schemas = [each for each in diffed.changes if is_schema(each)]
    others = [each for each in diffed.changes if not is_schema(each) or each.change.rule.id in STORING]
    crds = crds_of(diffed.sides, moves)
    context = StepContext(
        targets=targets,
        crds=crds,
        bundled=frozenset(
            (each.name, each.bundle.component)
            for each in compared
            if each.bundle and not known.back  # it takes none of that way
        ),
        alone=targets[0] if len(targets) == 1 else "",
    )
    images = images_of((each for each in others if is_image(each)), targets)
    others = [each for each in others if not is_image(each)]
    listed = changed_crds(schemas, crds, targets)
    before = (
        *(olm_step(compared, known.release) if known.back else ()),
        *steps_of(diffed.changes, BEFORE, context),
        *manifests_step(diffed.changes, context),
        *images_step(images, targets),
        *large_step(listed, targets),
    )
    return replace(
        known,
        compared=True,
        summary=counts(diffed.changes),
        before=worst_first(before),
        after=worst_first(steps_of(diffed.changes, AFTER, context)),
        users=kinds_of(schemas, crds, targets),
        images=images,
        crds=listed,
        administrators=topics_of(others, targets, view),
        cosmetic=(
            *told_any((each for each in others if each.risk is Risk.COSMETIC), targets, view),
            *told(
                (each for each in schemas if each.risk is Risk.COSMETIC and not is_new(each)), targets, named
            ),
        ),
    )


def _since(kit: Kit, release: Release, named: str | None) -> Release | None:
    """Return what a release is held against: if nobody says it, one before it of which as much is known."""
    if named is not None:
        if (found := pick(kit.releases, "release", named)) is release:
            hint = known(each for each in kit.release_names if each != release.name)
            raise UsageError(f"{named} is the release itself, expected another one", hint=hint)
        return found
    older = [each for each in kit.releases.values() if version_key(each.name) < version_key(release.name)]
    fitting = [each for each in older if each.components or not release.components] or older
    return next((each for each in fitting if each.name == release.replaces), fitting[-1] if fitting else None)


def _passed(kit: Kit, release: Release, since: Release | None) -> list[str]:
    """Say why a release is not held against the one that it replaces."""
    if since is None or release.replaces in ("", since.name):
        return []
    why = (
        "of which only the versions are recorded"
        if release.replaces in kit.releases
        else "which is not known"
    )
    return [f"{release.name} replaces {release.replaces}, {why}. So this is what changes since {since.name}."]


def _compared(
    opened: OpenedKit, release: Release, since: Release | None, wanted: Sequence[Target]
) -> tuple[list[Target], list[str]]:
    """Return the targets that ship both releases, and what cannot be told."""
    if since is None:
        return [], [f"There is no release before {release.name} to hold it against."]
    for each in (release, since):
        if not each.components:
            return [], [
                f"Only the versions of {each.name} are recorded, so what changes on a cluster cannot be told."
            ]
    asked = list(wanted) or list(opened.kit.targets.values())
    shipping = {each.name: shipped_by(opened, each) for each in asked}
    ships = [each for each in asked if release.name in shipping[each.name]]
    both = [each for each in ships if since.name in shipping[each.name]]
    if not ships:
        who = choice([each.name for each in asked], last="and") if wanted else "no target"
        verb = "does not ship" if wanted and len(asked) == 1 else "do not ship" if wanted else "ships"
        return [], [f"What changes on a cluster cannot be told: {who} {verb} {release.name}."]
    first = [each.name for each in ships if each not in both]
    return both, (
        [f"Not told of {choice(first, last='and')}, which did not ship {since.name}."] if first else []
    )


def _state(opened: OpenedKit, targets: Sequence[Target], release: Release) -> SourceState:
    """Return what targets hold in a release, without what has OLM install it."""
    state = state_of_plans(release.name, opened, [opened.plan(each, release.name) for each in targets])
    names = {each.name for each in targets}
    return replace(state, parts={name: part for name, part in state.parts.items() if name in names})
