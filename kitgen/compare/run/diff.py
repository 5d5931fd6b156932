"""What `kitgen diff` does: report what changes on a cluster between two states, by target, worst first."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from msgspec.structs import replace

from kitgen.compare.review.change import ReviewedChange, ReviewResult, join_changes
from kitgen.compare.review.live_objects import build_live_listing, has_live_objects, strip_cluster_fields
from kitgen.compare.review.review import review_scope
from kitgen.compare.review.scope import ReviewScope
from kitgen.kit.migrations import DeclaredMigrations
from kitgen.kit.model.moves import restrict_moves
from kitgen.text.wording import format_count, join_words
from kitgen.workspace.sources import Kits, SourceKind
from kitgen.workspace.states import (
    PINNED,
    SourceState,
    StateObjects,
    needs_only_pinned,
    oldest_minor,
    pair_states,
    resolve_source_pair,
    state_of,
)


def compare_states(before: SourceState, after: SourceState, declared: DeclaredMigrations) -> ReviewResult:
    """Return all that changes from one state to the other; moves that are declared are told as such."""
    pairs = pair_states(before, after)
    several = len(pairs) > 1
    remarks: list[str] = []
    found: list[ReviewedChange] = []
    for name, both in pairs.items():
        alive = [has_live_objects(each.objects) for each in both]
        old, new, said = _make_comparable(*both, *alive)
        pairs[name] = (old, new)
        remarks += said
        scope = ReviewScope(
            name=name if several else "",
            before=old.objects,
            after=new.objects,
            minor=oldest_minor(old, new),
            components={**old.components, **new.components},
            moves=declared.moves if several else restrict_moves(declared.moves, name),
            revisions=(before.revision, after.revision),
        )
        lone = alive[0] is not alive[1]  # servers write amounts in a way of their own
        found += [
            each for each in review_scope(scope) if not (lone and each.change.rule.id == "amount-rewritten")
        ]
    return ReviewResult(
        names=(before.name, after.name),
        changes=join_changes(found),
        scopes=tuple(pairs) if several else (),
        sides={name: (old.objects, new.objects) for name, (old, new) in pairs.items()},
        texts={**before.texts, **after.texts},
        remarks=tuple(remarks),
        unread=declared.unread,
    )


def _make_comparable(
    old: StateObjects, new: StateObjects, was_live: bool, is_live: bool
) -> tuple[StateObjects, StateObjects, list[str]]:
    """Return both sides without what only a cluster has, if something was read from one."""
    if was_live and is_live:
        return (
            replace(old, objects=strip_cluster_fields(old.objects)),
            replace(new, objects=strip_cluster_fields(new.objects)),
            [],
        )
    if not (was_live or is_live):
        return old, new, []
    target, cluster = (new, old) if was_live else (old, new)
    found = build_live_listing(target.objects, cluster.objects)
    target, cluster = replace(target, objects=found.target), replace(cluster, objects=found.live)
    unlisted, others = join_words(found.unlisted, last="and"), format_count(found.others, "object")
    remarks = [f"not compared, since the cluster's list has none: {unlisted}"] if found.unlisted else []
    if found.others:
        remarks.append(f"left out: {others} of the cluster that the other side does not have")
    return (cluster, target, remarks) if was_live else (target, cluster, remarks)


def diff_sources(root: Path | None, first: str | None, second: str | None) -> ReviewResult:
    """Compare two states; without a second one the work tree, without a first one the last commit."""
    kits = Kits(root, PINNED if needs_only_pinned(first, second) else None, everywhere=True)
    one, other = resolve_source_pair(kits, first, second)
    # A whole kit on one side is narrowed to the target that the other one is.
    wanted = {
        each.name for each in (one, other) if each.kind is SourceKind.TARGET and not each.component
    } or None
    if one.kind is SourceKind.RELEASE and other.kind is SourceKind.KIT:
        before = state_of(kits, one)
        after = state_of(kits, other, before.parts)
    else:
        before, after = (_select_targets(state_of(kits, each, wanted), wanted) for each in (one, other))
    return compare_states(before, after, kits.load_declared_moves())


def _select_targets(state: SourceState, targets: Collection[str] | None) -> SourceState:
    """Return a state without what stands beside the targets, such as what has OLM install their bundles."""
    if targets is None:
        return state
    return replace(state, parts={name: part for name, part in state.parts.items() if name in {*targets, ""}})


def review_render(
    was: SourceState, now: SourceState, declared: DeclaredMigrations
) -> tuple[ReviewResult, dict[str, str]]:
    """Return what a render changes on a cluster, and the CRDs that migrations move with what tells how."""
    diff = compare_states(was, now, declared)
    return diff, {each.change.detail: each.change.hint for each in diff.changes if each.is_move}
