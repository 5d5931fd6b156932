"""Make the notes of a release from what is known of it."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from kitgen.compare.change import Risk
from kitgen.compare.report.review_view import View, counts
from kitgen.compare.review.change import Diffed
from kitgen.kit.model import Kit, Release, Target
from kitgen.kit.model.moves import NO_MOVES, DeclaredMoves
from kitgen.release.notes.additions import images_step, large_step, manifests_step, olm_step
from kitgen.release.notes.changes import told, told_any
from kitgen.release.notes.kinds import STORING, changed_crds, crds_of, is_new, is_schema, kinds_of, named
from kitgen.release.notes.model import ReleaseNotes
from kitgen.release.notes.removals import AFTER, BEFORE
from kitgen.release.notes.steps import StepContext, steps_of, worst_first
from kitgen.release.notes.topics import images_of, is_image, topics_of
from kitgen.release.notes.versions import accepted_by, overrides_of, versions_of
from kitgen.text.semver import is_patch, version_key


class NotesFacts(Struct, frozen=True, kw_only=True):
    """What notes are made from."""

    kit: Kit
    release: Release
    since: Release | None
    matrix: str | None
    diffed: Diffed | None = None
    """What changes on a cluster; None if nobody knows."""
    targets: Mapping[str, Target]
    """Those that were compared."""
    moves: DeclaredMoves = NO_MOVES
    """Kinds that migrations say to move."""
    remarks: tuple[str, ...] = ()


def tell(facts: NotesFacts) -> ReleaseNotes:
    """Return the notes of a release."""
    since, release = facts.since, facts.release
    back = since is not None and version_key(since.name) > version_key(release.name)
    known = ReleaseNotes(
        release=release.name,
        date=release.date or None,
        since=since.name if since else None,
        back=back,
        patch=since is not None and is_patch(since.name, release.name),
        matrix=facts.matrix,
        targets=tuple(facts.targets),
        compared=facts.diffed is not None,
        remarks=facts.remarks,
        versions=versions_of(facts.kit, since, release),
        overrides=overrides_of(facts.targets, release),
        accepted=accepted_by(facts.kit, release),
        summary=counts(()),
    )
    return known if facts.diffed is None else _changed(known, facts, facts.diffed)


def _changed(known: ReleaseNotes, facts: NotesFacts, diffed: Diffed) -> ReleaseNotes:
    """Return notes that tell what changes on a cluster."""
    targets = known.targets
    view = View(diffed.changes, diffed.scopes, lambda _: None)
    schemas = [each for each in diffed.changes if is_schema(each)]
    others = [each for each in diffed.changes if not is_schema(each) or each.change.rule.id in STORING]
    crds = crds_of(diffed.sides, facts.moves)
    scene = StepContext(
        targets=targets,
        crds=crds,
        bundled=frozenset(
            (name, each.bundle.component)
            for name, each in facts.targets.items()
            if each.bundle and not known.back  # it takes none of that way
        ),
        alone=targets[0] if len(targets) == 1 else "",
    )
    images = images_of((each for each in others if is_image(each)), targets)
    others = [each for each in others if not is_image(each)]
    listed = changed_crds(schemas, crds, targets)
    before = (
        *(olm_step(facts.targets, known.release) if known.back else ()),
        *steps_of(diffed.changes, BEFORE, scene),
        *manifests_step(diffed.changes, scene),
        *images_step(images, targets),
        *large_step(listed, targets),
    )
    return replace(
        known,
        summary=counts(diffed.changes),
        before=worst_first(before),
        after=worst_first(steps_of(diffed.changes, AFTER, scene)),
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
