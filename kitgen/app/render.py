"""Run `kitgen render`. The cache is asked first, so that an up-to-date tree imports nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kitgen.workspace.cache import Cache
from kitgen.workspace.render_request import Progress, RenderRequest, RenderResult

if TYPE_CHECKING:
    from kitgen.compare.review.change import ReviewResult
    from kitgen.kit.migrations import DeclaredMigrations
    from kitgen.workspace.states import SourceState


def render_kit(request: RenderRequest, progress: Progress) -> RenderResult[ReviewResult]:
    """Render targets, unless an earlier render of the whole kit still holds."""
    whole = not (request.targets or request.release or request.out)
    cache = Cache.open(request.root) if whole else None
    known: RenderResult[ReviewResult] | None = cache.lookup() if cache and request.cached else None
    if known is not None:
        return known
    from kitgen.workspace.render import render_targets

    made = render_targets(request, progress, cache.recall if cache else None, _review_changes)
    if cache and made.lasting and not request.dry_run:
        cache.store(made)
    return made


def _review_changes(
    was: SourceState, now: SourceState, declared: DeclaredMigrations
) -> tuple[ReviewResult, Mapping[str, str]]:
    from kitgen.compare.run.diff import review_render  # where nothing was rendered before, nothing changes

    return review_render(was, now, declared)
