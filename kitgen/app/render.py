"""Run `kitgen render`, with what an earlier one was made from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from kitgen.files.root import find_root
from kitgen.workspace.render import render_targets
from kitgen.workspace.render_request import Progress, RenderRequest, RenderResult
from kitgen.workspace.rendered_specs import open_rendered_specs

if TYPE_CHECKING:
    from kitgen.compare.review.change import ReviewResult
    from kitgen.kit.migrations import DeclaredMigrations
    from kitgen.workspace.states import SourceState


def render_kit(request: RenderRequest, progress: Progress) -> RenderResult[ReviewResult]:
    """Render targets; of a whole kit, keep the specs for what the next render reports."""
    specs = open_rendered_specs(find_root(request.root)) if request.is_whole else None
    made = render_targets(request, progress, specs.recall if specs else None, _review_changes)
    if specs and not request.dry_run:
        specs.keep()
    return made


def _review_changes(
    was: SourceState, now: SourceState, declared: DeclaredMigrations
) -> tuple[ReviewResult, Mapping[str, str]]:
    from kitgen.compare.run.diff import review_render  # where nothing was rendered before, nothing changes

    return review_render(was, now, declared)
