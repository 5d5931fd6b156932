"""How releases are published: images and tags, the catalog, and repositories to notify."""

from __future__ import annotations

from msgspec import Struct

from kitgen.findings import Origin

STABLE = "stable"
"""The tag that moves with each release."""
DEV = "dev"
"""The tag that moves with each change."""


class PublishingStep(Struct, frozen=True, kw_only=True):
    """Something that is done with releases."""

    releases: str = ""
    """Those that it is for; empty for all, of images for all that know a version of it."""
    origin: Origin


class PublishedImage(PublishingStep, frozen=True, kw_only=True):
    """An image that comes out with a release."""

    image: str
    """Without a tag."""
    of: str
    """The component or record whose version it has, or the release itself."""
    tag: str = "{{ version }}"
    moving: tuple[str, ...] = ()
    """Tags that move."""


class PublishedCatalog(Struct, frozen=True, kw_only=True):
    """The pull request that brings a bundle into a catalog."""

    repository: str
    fork: str
    """Where the branch is pushed to."""
    base: str = "main"
    branch: str
    title: str
    body: str
    commit: str
    origin: Origin


class PublishedReadme(PublishingStep, frozen=True, kw_only=True):
    """A README of another project that shows the matrix."""

    repository: str
    path: str = "README.md"


class PublishedFork(PublishingStep, frozen=True, kw_only=True):
    """A fork that takes a release over."""

    repository: str
    source: str
    """What it is synced with; this may be another fork."""
    branch: str = "main"


class PublishedUpdate(PublishingStep, frozen=True, kw_only=True):
    """A project that takes a new version of something by a pull request."""

    repository: str
    of: str
    """The component or record whose version it takes, or the release itself."""


class Publishing(Struct, frozen=True, kw_only=True):
    """Everything that is done once a release is made."""

    images: tuple[PublishedImage, ...] = ()
    catalog: PublishedCatalog | None = None
    announce: tuple[str, ...] = ()
    readmes: tuple[PublishedReadme, ...] = ()
    forks: tuple[PublishedFork, ...] = ()
    updates: tuple[PublishedUpdate, ...] = ()
