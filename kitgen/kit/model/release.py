"""Releases: the compatibility matrix, locked image digests, and sources for the platform's operator."""

from __future__ import annotations

from msgspec import Struct, field

from kitgen.findings import Origin
from kitgen.text.semver import is_in_range

ITSELF = "release"
"""What a row says that shows the release itself."""


class MatrixRow(Struct, frozen=True, kw_only=True):
    """One row: what it is called, and what it shows the version of."""

    label: str
    of: str
    repositories: dict[str, str] = field(default_factory=dict)
    """Range of releases → where the tags are; an empty range takes all."""
    origin: Origin

    def repository(self, release: str) -> str:
        """Return the repository of the tags of a release; empty if unknown."""
        return next((each for wanted, each in self.repositories.items() if is_in_range(release, wanted)), "")


class Matrix(Struct, frozen=True, kw_only=True):
    """How the matrix of any release looks."""

    title: str
    rows: tuple[MatrixRow, ...]
    plain: str = ""
    """Releases whose cells have no link; empty for none."""
    widths: tuple[int, int] = (0, 0)
    """The least widths of the two columns."""
    origin: Origin

    @property
    def release_row(self) -> MatrixRow | None:
        """Return the row that shows the release itself."""
        return next((each for each in self.rows if each.of == ITSELF), None)


EVERY_PLATFORM = "all"
"""What an entry says whose digest is that of an index: nodes of any kind find their image by it."""


class LockedImage(Struct, frozen=True, kw_only=True):
    """An image, and the digest that it had."""

    image: str
    """As specs write it."""
    digest: str
    platform: str = ""
    """Whose digest it is: all, or one such as linux/amd64; empty when nobody knows."""
    source: str = ""
    """What told it."""
    origin: Origin


class Lock(Struct, frozen=True, kw_only=True):
    """The digests of one release."""

    release: str
    images: dict[str, LockedImage]
    origin: Origin


class PlatformSource(Struct, frozen=True, kw_only=True):
    """Where the platform's operator takes the manifests of a component from."""

    repository: str
    ref: str
    """A branch, a tag or branch@commit; may be an expression."""
    path: str
    tag_template: str = "{SHA}"
    """How the images of a commit are tagged there."""


class PlatformMetadata(Struct, frozen=True, kw_only=True):
    """What the platform shows of a component."""

    name: str
    repository: str
    releases: str = ""
    """Releases that have the file; empty for all."""

    def applies_to(self, release: str) -> bool:
        """Return whether a release has the file."""
        return not self.releases or is_in_range(release, self.releases)


class Export(Struct, frozen=True, kw_only=True):
    """Where the ODH operator expects a component: its folder, what it builds, where params.env is."""

    folder: str
    build: str
    params: str
    metadata: PlatformMetadata | None = None
    origin: Origin
