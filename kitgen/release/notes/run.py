"""What `kitgen notes` does: make the notes of a release from what it brings, held against another one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from kitgen.compare.change import Risk
from kitgen.compare.report.review_view import View, count_by_risk
from kitgen.compare.review.change import ReviewResult
from kitgen.compare.run.diff import compare_states
from kitgen.findings import Finding
from kitgen.findings.errors import UsageError
from kitgen.kit.model import Kit, Release, Target
from kitgen.kit.model.moves import DeclaredMoves
from kitgen.release.matrix.writing import render_release_block
from kitgen.release.notes.changes import group_by_reason, group_object_changes, sort_by_risk
from kitgen.release.notes.kinds import (
    STORING,
    build_noted_crds,
    build_noted_kinds,
    describe_crd_field,
    is_new_field,
    is_schema_change,
    match_crds,
)
from kitgen.release.notes.model import ReleaseNotes
from kitgen.release.notes.removals import AFTER, BEFORE
from kitgen.release.notes.steps import (
    StepContext,
    build_images_step,
    build_large_crds_step,
    build_manifests_step,
    build_olm_step,
    build_rule_steps,
)
from kitgen.release.notes.topics import group_by_topic, is_image_change, list_changed_images
from kitgen.release.notes.versions import compare_versions, list_accepted_oddities, list_overrides
from kitgen.text.semver import is_patch_release, version_key
from kitgen.text.wording import join_words
from kitgen.workspace.checks import list_target_releases
from kitgen.workspace.kit import OpenedKit, format_known_names, get_by_name, open_kit
from kitgen.workspace.states import SourceState, state_of_plans


class NotesResult(Struct, frozen=True, kw_only=True):
    """The notes, and where the kit is."""

    root: Path
    notes: ReleaseNotes
    findings: tuple[Finding, ...] = ()
    """Migrations that do not count, since they are wrong."""


def build_notes(root: Path | None, name: str, *, since: str | None, targets: Iterable[str]) -> NotesResult:
    """Tell what a release brings since another one, to some targets or to all that ship both.

    Unless somebody says it, it is held against what it replaces, or the newest before it that builds.
    """
    opened = open_kit(root)
    release = get_by_name(opened.kit.releases, "release", name)
    before = _find_previous_release(opened.kit, release, since)
    passed = _describe_skipped_release(opened.kit, release, before) if since is None else []
    wanted = [opened.target(each) for each in dict.fromkeys(targets)]
    compared, remarks = _select_common_targets(opened, release, before, wanted)
    matrix = opened.kit.matrix
    made = ReleaseNotes(
        release=release.name,
        date=release.date or None,
        since=before.name if before else None,
        back=before is not None and version_key(before.name) > version_key(release.name),
        patch=before is not None and is_patch_release(before.name, release.name),
        matrix="\n".join(render_release_block(matrix, release).splitlines()[1:-1]) or None
        if matrix
        else None,
        targets=tuple(each.name for each in compared),
        remarks=(*passed, *remarks),
        versions=tuple(compare_versions(opened.kit, before, release)),
        overrides=list_overrides(compared, release),
        accepted=list_accepted_oddities(opened.kit, release),
        summary=count_by_risk(()),
    )
    if before and compared:
        was, now = (_build_state(opened, compared, each) for each in (before, release))
        made = _add_changes(
            made,
            compared,
            compare_states(was, now, opened.load_declared_moves()),
            opened.load_declared_moves().moves,
        )
    return NotesResult(root=opened.root, notes=made, findings=opened.load_declared_moves().unread)


def _add_changes(
    known: ReleaseNotes, compared: Sequence[Target], diffed: ReviewResult, moves: DeclaredMoves
) -> ReleaseNotes:
    """Return notes with what changes on a cluster."""
    targets = known.targets
    view = View(diffed.changes, diffed.scopes, lambda _: None)
    schemas = [each for each in diffed.changes if is_schema_change(each)]
    others = [each for each in diffed.changes if not is_schema_change(each) or each.change.rule.id in STORING]
    crds = match_crds(diffed.sides, moves)
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
    images = list_changed_images((each for each in others if is_image_change(each)), targets)
    others = [each for each in others if not is_image_change(each)]
    listed = build_noted_crds(schemas, crds, targets)
    before = (
        *(build_olm_step(compared, known.release) if known.back else ()),
        *build_rule_steps(diffed.changes, BEFORE, context),
        *build_manifests_step(diffed.changes, context),
        *build_images_step(images, targets),
        *build_large_crds_step(listed, targets),
    )
    return replace(
        known,
        compared=True,
        summary=count_by_risk(diffed.changes),
        before=sort_by_risk(before),
        after=sort_by_risk(build_rule_steps(diffed.changes, AFTER, context)),
        users=build_noted_kinds(schemas, crds, targets),
        images=images,
        crds=listed,
        administrators=group_by_topic(others, targets, view),
        cosmetic=(
            *group_object_changes((each for each in others if each.risk is Risk.COSMETIC), targets, view),
            *group_by_reason(
                (each for each in schemas if each.risk is Risk.COSMETIC and not is_new_field(each)),
                targets,
                describe_crd_field,
            ),
        ),
    )


def _find_previous_release(kit: Kit, release: Release, named: str | None) -> Release | None:
    """Return what a release is held against: if nobody says it, one before it of which as much is known."""
    if named is not None:
        if (found := get_by_name(kit.releases, "release", named)) is release:
            hint = format_known_names(each for each in kit.release_names if each != release.name)
            raise UsageError(f"{named} is the release itself, expected another one", hint=hint)
        return found
    older = [each for each in kit.releases.values() if version_key(each.name) < version_key(release.name)]
    fitting = [each for each in older if each.components or not release.components] or older
    return next((each for each in fitting if each.name == release.replaces), fitting[-1] if fitting else None)


def _describe_skipped_release(kit: Kit, release: Release, since: Release | None) -> list[str]:
    """Say why a release is not held against the one that it replaces."""
    if since is None or release.replaces in ("", since.name):
        return []
    why = (
        "of which only the versions are recorded"
        if release.replaces in kit.releases
        else "which is not known"
    )
    return [f"{release.name} replaces {release.replaces}, {why}. So this is what changes since {since.name}."]


def _select_common_targets(
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
    shipping = {each.name: list_target_releases(opened, each) for each in asked}
    ships = [each for each in asked if release.name in shipping[each.name]]
    both = [each for each in ships if since.name in shipping[each.name]]
    if not ships:
        who = join_words([each.name for each in asked], last="and") if wanted else "no target"
        verb = "does not ship" if wanted and len(asked) == 1 else "do not ship" if wanted else "ships"
        return [], [f"What changes on a cluster cannot be told: {who} {verb} {release.name}."]
    first = [each.name for each in ships if each not in both]
    return both, (
        [f"Not told of {join_words(first, last='and')}, which did not ship {since.name}."] if first else []
    )


def _build_state(opened: OpenedKit, targets: Sequence[Target], release: Release) -> SourceState:
    """Return what targets hold in a release, without what has OLM install it."""
    state = state_of_plans(release.name, opened, [opened.plan(each, release.name) for each in targets])
    names = {each.name for each in targets}
    return replace(state, parts={name: part for name, part in state.parts.items() if name in names})
