"""What specs and files say of a release that is being made."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from kitgen.files.root import MARK, OVERLAYS, SPECS
from kitgen.kit.model import ITSELF, Kit, PublishedCatalog, Release
from kitgen.kit.releases import Tags
from kitgen.release.matrix.block import GITHUB
from kitgen.release.publishing import PublishedTag
from kitgen.text.semver import version_key

TRACKED = (MARK, *SPECS, OVERLAYS, "templates", "README.md")
"""What must be committed before a tag names it."""


class ReleaseBundle(Struct, frozen=True, kw_only=True):
    """A bundle that a target makes of the release."""

    target: str
    package: str
    folder: str
    """Where it goes in a catalog's repository."""
    image: str = ""
    """What the operator in it runs."""
    listed: bool = False
    """Whether the checkout of the catalog has it, merged."""


class ReadmeMatrix(Struct, frozen=True, kw_only=True):
    """The matrix that the README of the kit carries."""

    release: str
    """Empty if it does not say."""
    fresh: bool
    """Whether it is that of the release, as it is to be."""


class Repository(Struct, frozen=True, kw_only=True):
    """The git repository that the kit is in."""

    tagged: bool
    """Whether it has the tag of the release."""
    changed: Mapping[str, int]
    """Of what a tag is to hold, what is not committed, and how many files of it."""


class ReleaseFacts(Struct, frozen=True, kw_only=True):
    """All that the steps are computed from."""

    kit: Kit
    release: Release
    tags: Tags
    tagged: tuple[PublishedTag, ...]
    request: PublishedCatalog | None
    """What the specs say of the catalog's pull request, computed."""
    copied: Mapping[str, str] = field(default_factory=dict)
    """Folder of a spec that says nothing but its version and images → the version that it builds on."""
    errors: int = 0
    """What `kitgen check` finds in it."""
    fresh: Mapping[str, bool]
    """Target that pins the release → whether its overlays are up to date."""
    bundles: tuple[ReleaseBundle, ...] = ()
    readme: ReadmeMatrix | None = None
    git: Repository | None = None
    catalog: str = ""
    """The checkout of the catalog's repository, if one was given."""
    switched: bool = False
    """Whether it is on the branch of the pull request."""
    exporting: Mapping[str, bool] = field(default_factory=dict)
    """Target that exports something → whether it says where a platform takes that from."""

    @property
    def name(self) -> str:
        """Return what the release is called."""
        return self.release.name

    @property
    def file(self) -> str:
        """Return the file of the release."""
        return self.release.origin.file

    @property
    def repository(self) -> str:
        """Return where the release itself is tagged, as the matrix has it; empty if nobody says."""
        own = self.kit.matrix.release_row if self.kit.matrix else None
        return own.repository(self.name) if own else ""

    @property
    def tag_evidence(self) -> str:
        """Return what shows that the release is tagged for all to see; empty if nothing does."""
        known = self.tags.origin.file if self.tags.has_tag(self.repository, self.name) else ""
        return self.mark_of("tag") or known

    def mark_of(self, key: str) -> str:
        """Return what the release says of a step that no file can show; empty if it is not done."""
        said = self.release.done.get(key, "")
        return f"{said}, says {self.file}" if said else ""

    def is_newer(self, other: str) -> bool:
        """Return whether another release is newer than this one."""
        return version_key(other) > version_key(self.name)

    @property
    def project_images(self) -> tuple[PublishedTag, ...]:
        """Return the images of the release itself, and of the project."""
        return tuple(each for each in self.tagged if each.published.of in (ITSELF, self.kit.project))

    @property
    def images_to_build(self) -> tuple[PublishedTag, ...]:
        """Return the images to build before the tag: those that a bundle runs, or all of the project."""
        bundled = {each.image for each in self.bundles}
        return tuple(each for each in self.project_images if each.reference in bundled) or self.project_images

    @property
    def downstream_images(self) -> tuple[PublishedTag, ...]:
        """Return the images of the release that others build once it is tagged."""
        return tuple(each for each in self.project_images if each not in self.images_to_build)


def build_git_url(repository: str) -> str:
    """Return where git finds a repository."""
    return repository if "://" in repository else f"{GITHUB}/{repository}.git"
