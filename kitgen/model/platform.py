"""What the platform's operator knows of a component: where its manifests come from, and where they go."""

from __future__ import annotations

from msgspec import Struct

from kitgen.findings import Origin
from kitgen.semver import in_range


class Source(Struct, frozen=True, kw_only=True):
    """Where the platform's operator takes the manifests of a component from."""

    repository: str
    ref: str
    """A branch, a tag or branch@commit; may be an expression."""
    path: str
    tag_template: str = "{SHA}"
    """How the images of a commit are tagged there."""


class Metadata(Struct, frozen=True, kw_only=True):
    """What the platform shows of a component."""

    name: str
    repository: str
    releases: str = ""
    """Releases that have the file; empty for all."""

    def fits(self, release: str) -> bool:
        """Tell whether a release has the file."""
        return not self.releases or in_range(release, self.releases)


class Export(Struct, frozen=True, kw_only=True):
    """Where the ODH operator expects a component: its folder, what it builds, where params.env is."""

    folder: str
    build: str
    params: str
    metadata: Metadata | None = None
    origin: Origin
