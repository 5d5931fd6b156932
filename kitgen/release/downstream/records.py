"""What files of others name, each with its place, and how readers get at YAML of any shape."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, TypeAlias, TypeVar

from msgspec import Struct, field

from kitgen.findings import Finding, Origin, Path, make_problem
from kitgen.kit.foreign_objects import parse_documents
from kitgen.kit.manifests import ReadBudget
from kitgen.text.values import map_at, value_at
from kitgen.text.wording import describe_value
from kitgen.text.yaml import Json, JsonObject

T = TypeVar("T")
GITHUB = "github.com/"


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

    def origin_at(self, line: int) -> Origin:
        """Return the origin of a line."""
        return Origin(self.name, (), line)


class NamedVersion(Struct, frozen=True, kw_only=True):
    """A version that a file names, or an image with one."""

    name: str = ""
    """Whose it is: the label of a row, a component, a key."""
    value: str
    source: str = ""
    """Where the file says that it comes from: a link, or a repository with its owner."""
    origin: Origin


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


class VersionList(Struct, frozen=True, kw_only=True):
    """The versions of a file, or of an object in it."""

    origin: Origin
    place: FilePlace = FilePlace(folder=(), root=())
    """That of the file, where it matters."""
    entries: tuple[NamedVersion, ...] = ()


class Readme(VersionList, frozen=True):
    """The rows of a compatibility matrix."""


class ComponentMetadata(VersionList, frozen=True):
    """A component_metadata.yaml: what a platform is to show of components."""


class ParamsFile(VersionList, frozen=True):
    """The lines of a params.env."""


class Csv(VersionList, frozen=True, kw_only=True):
    """A ClusterServiceVersion, with the images of its containers and the one that it shows."""

    package: str
    version: str
    replaces: str
    """The name of another one."""
    base: bool
    """Whether it runs nothing: bundles are made from it."""


class Sources(Struct, frozen=True, kw_only=True):
    """All manifest sources of a file."""

    origin: Origin
    entries: tuple[DownstreamManifestSource, ...]


Record: TypeAlias = VersionList | Sources | Finding
"""What a reader yields: what it read, or why it cannot."""
Reader: TypeAlias = Callable[[DownstreamFile, ReadBudget], Iterator[Record]]
PartReader: TypeAlias = Callable[[JsonObject, Origin, DownstreamFile], Iterator[Record]]
"""Reads a document."""


class FileKind(NamedTuple):
    """A kind of file: what it is called, who reads it, and what is in it."""

    name: str
    """A regular expression."""
    read: Reader
    sign: str = ""
    """A text that such a file has; empty if its name tells what it is."""
    sure: bool = True
    """Whether one that cannot be read is worth a finding, though only a folder above it was named."""

    def matches_name(self, name: str) -> bool:
        """Return whether a file may be of this kind, by its own name."""
        return re.fullmatch(self.name, name, re.IGNORECASE) is not None


class Downstream(Struct, frozen=True, kw_only=True):
    """What was read behind names."""

    records: tuple[VersionList | Sources, ...] = ()
    folders: frozenset[tuple[str, ...]] = frozenset()
    """The steps to each folder that was looked at."""
    findings: tuple[Finding, ...] = ()
    """Why something could not be read."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """The files that were recognised, for the lines of findings."""
    remarks: tuple[str, ...] = ()
    """What was not recognised."""

    def records_of(self, kind: type[T]) -> list[T]:
        """Return the records of a kind."""
        return [each for each in self.records if isinstance(each, kind)]


def make_document_reader(read: PartReader) -> Reader:
    """Return what reads a file by its documents, those that are mappings."""

    def read_file(file: DownstreamFile, intake: ReadBudget) -> Iterator[Record]:
        found, wrong = parse_documents(file.name, file.text, intake)
        yield from wrong
        for number, each in enumerate(found):
            if isinstance(each, dict):
                yield from read(each, Origin(file.name, document=number), file)

    return read_file


def scalar_at(data: Json, *path: str) -> str:
    """Return the text or number at a path, without space around it; empty if there is none."""
    found = value_at(data, *path)
    plain = isinstance(found, str | int | float) and not isinstance(found, bool)
    return str(found).strip() if plain else ""


def maps_at(data: Json, *path: str) -> dict[str, JsonObject]:
    """Return the mappings in the mapping at a path, by their keys."""
    return {str(key): each for key, each in map_at(data, *path).items() if isinstance(each, dict)}


def report_bad_shape(data: Json, path: Path, expected: str, origin: Origin) -> Finding:
    """Return that something has another shape than its readers expect."""
    message = f"found {describe_value(value_at(data, *path), reveal=False)}, expected {expected}"
    return make_problem("against-shape", message, path).to_finding(origin)


def repository_of(address: str) -> str:
    """Return the owner and the name in the address of a repository; other texts stay."""
    return address.partition(GITHUB)[2].strip("/").removesuffix(".git") if GITHUB in address else address


LONGEST = 4_000
"""Characters of a line that are looked at."""


def select_nonblank_lines(file: DownstreamFile) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file that say something, with their numbers and without space around them."""
    for number, line in enumerate(file.text.splitlines(), 1):
        if said := line[:LONGEST].strip():
            yield number, said
