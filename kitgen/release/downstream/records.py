"""What files of others say, each with the place that says it."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from kitgen.findings import Finding, Origin, rule

AGAINST_NOTHING = rule("against-nothing")
AGAINST_SHAPE = rule("against-shape")


class FilePlace(Struct, frozen=True, kw_only=True):
    """Where a file is."""

    folder: tuple[str, ...]
    """The steps of the whole path to its folder."""
    root: tuple[str, ...]
    """Those to the folder that was named, or to that of the file."""


class DownstreamFile(Struct, frozen=True, kw_only=True):
    """A text, and where it is."""

    name: str
    """As it is shown."""
    text: str
    place: FilePlace
    named: bool = False
    """Whether the file itself was named, and not a folder above it."""

    def at(self, line: int) -> Origin:
        """Return the origin of a line."""
        return Origin(self.name, (), line)


class ReadmeRow(Struct, frozen=True, kw_only=True):
    """A row of a compatibility matrix."""

    label: str
    version: str
    address: str
    """Where the version links to; empty if it does not."""
    origin: Origin


class Readme(Struct, frozen=True, kw_only=True):
    """The compatibility matrix of a README."""

    origin: Origin
    rows: tuple[ReadmeRow, ...]


class MetadataEntry(Struct, frozen=True, kw_only=True):
    """What a platform is to show of a component."""

    name: str
    version: str
    repository: str
    """The owner and the name, as on GitHub."""
    origin: Origin


class ComponentMetadata(Struct, frozen=True, kw_only=True):
    """A component_metadata.yaml."""

    origin: Origin
    place: FilePlace
    entries: tuple[MetadataEntry, ...]


class Param(Struct, frozen=True, kw_only=True):
    """A line of a params.env."""

    key: str
    value: str
    origin: Origin


class ParamsFile(Struct, frozen=True, kw_only=True):
    """A params.env."""

    origin: Origin
    place: FilePlace
    params: tuple[Param, ...]


class DownstreamManifestSource(Struct, frozen=True, kw_only=True):
    """Where a platform's operator takes the manifests of a component from."""

    folder: str
    """Where it puts them."""
    repository: str = ""
    """The owner and the name; empty if the file does not say it."""
    ref: str = ""
    """A branch or a tag; empty if the file does not say one."""
    commit: str = ""
    path: str
    platform: str = ""
    """The platform that it is for, if the file has several."""
    origin: Origin


class Sources(Struct, frozen=True, kw_only=True):
    """All manifest sources of a file."""

    origin: Origin
    entries: tuple[DownstreamManifestSource, ...]


class RelatedImage(Struct, frozen=True, kw_only=True):
    """The image that a variable of the platform's operator holds."""

    name: str
    image: str
    key: str = ""
    """The key of params.env that it goes to, if the file says it."""
    platform: str = ""
    origin: Origin


class RelatedImages(Struct, frozen=True, kw_only=True):
    """The images that a build puts into the platform's operator."""

    origin: Origin
    images: tuple[RelatedImage, ...]
    whole: bool = False
    """Whether the file lists all of them."""


class Csv(Struct, frozen=True, kw_only=True):
    """A ClusterServiceVersion."""

    origin: Origin
    place: FilePlace
    package: str
    version: str
    replaces: str
    """The name of another one."""
    images: tuple[tuple[str, Origin], ...]
    """Those of its containers, and the one that it shows."""
    related: tuple[RelatedImage, ...]
    base: bool
    """Whether it runs nothing: bundles are made from it."""


class CatalogEntry(Struct, frozen=True, kw_only=True):
    """A version in a catalog."""

    version: str
    replaces: str = ""
    """The name of another one; empty if it replaces none, or if that is not known."""
    origin: Origin


class PackageCatalog(Struct, frozen=True, kw_only=True):
    """What a catalog has of a package: its folder, or a channel."""

    package: str
    origin: Origin
    entries: tuple[CatalogEntry, ...]


class BuiltBy(StrEnum):
    """What says the version that something is built or tested with."""

    MAKE = "Makefile"
    GO = "go.mod"


class BuiltVersion(Struct, frozen=True, kw_only=True):
    """A version that something is built or tested with."""

    by: BuiltBy
    name: str
    """A variable without _VERSION, or the path of a module."""
    version: str
    place: FilePlace
    origin: Origin


class StreamTag(Struct, frozen=True, kw_only=True):
    """A tag of an ImageStream, and the image that it stands for."""

    name: str
    image: str
    software: tuple[tuple[str, str], ...] = ()
    """What is in the image, each with its version, as its annotations say."""
    origin: Origin


class Stream(Struct, frozen=True, kw_only=True):
    """An ImageStream."""

    origin: Origin
    name: str
    tags: tuple[StreamTag, ...]


Record: TypeAlias = (
    Readme
    | ComponentMetadata
    | ParamsFile
    | Sources
    | RelatedImages
    | Csv
    | PackageCatalog
    | BuiltVersion
    | Stream
    | Finding
)
"""What a reader yields: what it read, or why it cannot."""
