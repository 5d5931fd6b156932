"""What `kitgen render` does. The cache comes first, so that what is up to date imports nothing else."""

from __future__ import annotations

from kitgen.workspace.cache import Cache
from kitgen.workspace.render_request import Progress, Rendered, RenderRequest


def render(request: RenderRequest, progress: Progress) -> Rendered:
    """Render targets, unless an earlier render of the whole kit still holds."""
    whole = not (request.targets or request.release or request.out)
    cache = Cache.open(request.root) if whole else None
    known = cache.lookup() if cache and request.cached else None
    if known is not None:
        return known
    from kitgen.workspace.render import render_anew

    made = render_anew(request, progress, cache.recall if cache else None)
    if cache and made.lasting and not request.dry_run:
        cache.store(made)
    return made
