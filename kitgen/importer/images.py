"""Images of a new version: which are the component's, and which are a target's own."""

from __future__ import annotations

from collections.abc import Sequence

from kitgen.compile.families.inverse.naming import repository
from kitgen.importer.taking import run_images
from kitgen.importer.trees import Read
from kitgen.model import Component


def component_images(reads: Sequence[Read], older: Component | None) -> dict[str, str]:
    """Return name → image of the component: what the first tree has whose target does not say it itself.

    An image that a target's tree has from elsewhere is the target's own, unless all trees have it.
    """
    found: dict[str, str] = {}
    known = {name: repository(image) for name, image in older.images.items()} if older else {}
    for own in (False, True):
        for read in reads:
            settings = read.given.older.settings.images if read.given.older else {}
            for name, image in read.taken.images.items():
                moved = known.get(name, repository(image)) != repository(image)
                if read.given.who and moved and not _is_common(name, reads):
                    continue
                if (name in settings) is own and not (own and older and name in older.images):
                    found.setdefault(name, image)
    return found


def _is_common(name: str, reads: Sequence[Read]) -> bool:
    """Tell whether several trees have the same image of a name."""
    return len(reads) > 1 and len({read.taken.images.get(name) for read in reads}) == 1


def was_run(reads: Sequence[Read], name: str) -> bool:
    """Tell whether a container of the older spec ran an image in one of these trees."""
    return any(name in run_images(layer.words) for read in reads for layer in read.layers)
