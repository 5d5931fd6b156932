"""What kit.yaml shows and publishes versions of: something that a release has, or the kit can build."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Finding, Origin, near
from kitgen.load.references import REFERENCE_MISSING
from kitgen.model import ITSELF, Kit


def check_named(kit: Kit) -> Iterator[Finding]:
    """Yield rows of the matrix, and published images, of what no release has a version of."""
    if len(kit.releases) < len(kit.release_names):
        return  # others may know it
    known = {name for each in kit.releases.values() for name in (*each.components, *each.records)}
    for name, origin in _named(kit):
        if name not in known and name not in kit.versions:
            message = f"found no release with a version of {name!r}"
            yield REFERENCE_MISSING(message, hint=near(name, sorted(known))).at(origin)


def _named(kit: Kit) -> Iterator[tuple[str, Origin]]:
    rows = kit.matrix.rows if kit.matrix else ()
    named = [(row.of, row.origin) for row in rows]
    named += [(image.of, image.origin) for image in kit.publishing.images]
    yield from ((name, origin.at("of")) for name, origin in named if name != ITSELF)
