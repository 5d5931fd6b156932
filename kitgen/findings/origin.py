"""Origins: a file and a path inside it; and causes, which record what made a value."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from msgspec import Struct

Step: TypeAlias = str | int
Path: TypeAlias = tuple[Step, ...]
MAX_DIGITS = 10
"""No list is longer than a number of so many digits says."""


def format_pointer(path: Path) -> str:
    """Write a path as a JSON pointer."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def parse_pointer(text: str) -> Path:
    """Read a JSON pointer back; steps that are digits become list indexes."""
    return tuple(parse_step(part.replace("~1", "/").replace("~0", "~")) for part in text.split("/")[1:])


def parse_step(text: str) -> Step:
    """Return a list index when a step is a plain number, else the key."""
    number = text.isdecimal() and text.isascii() and len(text) < MAX_DIGITS
    return int(text) if number and str(int(text)) == text else text


class OriginTrail:
    """Where the parts of a value stand that do not stand below it, because another file says them.

    Two ways to one place are the same place, so a trail makes no difference between origins.
    """

    __slots__ = ("below",)

    def __init__(self, below: Mapping[Step, Origin]) -> None:
        self.below = below

    def __eq__(self, other: object) -> bool:
        return other is None or isinstance(other, OriginTrail)

    def __hash__(self) -> int:
        return hash(None)


class Origin(Struct, frozen=True, order=True):
    """A place in an input file: `file` relative to the kit's root, and the path inside it."""

    file: str
    path: Path = ()
    line: int = 0
    """Known only where the pointer cannot say it (broken YAML); 0 means: look it up."""
    trail: OriginTrail | None = None
    """Of a value that several files make together."""
    document: int = 0
    """Which document of the file, for files of manifests that hold several."""

    def at(self, *steps: Step) -> Origin:
        """Return the origin of a value below this one, which may be in another file."""
        if not steps:
            return self
        if self.trail is None:
            return Origin(self.file, self.path + steps, 0, None, self.document)
        origin, done = self, 0
        while origin.trail and done < len(steps) and (below := origin.trail.below.get(steps[done])):
            origin, done = below, done + 1
        if done == len(steps):
            return origin
        return Origin(origin.file, origin.path + steps[done:], document=origin.document)

    def __str__(self) -> str:
        return f"{self.file} {self.place}".rstrip()

    @property
    def place(self) -> str:
        """Return the pointer; from the second document on, its number comes first (`#2 /spec`)."""
        number = f"#{self.document + 1} " if self.document else ""
        return f"{number}{format_pointer(self.path)}".rstrip()


class CauseKind(StrEnum):
    """What makes values, in the words of those who read of it."""

    FAMILY = "family"
    OBJECTS = "objects"
    FEATURE = "feature"
    SETTING = "setting"
    PATCH = "patch"
    PARAMETER = "parameter"
    IMAGE = "image"
    LABELS = "labels"
    COMPONENT = "component"
    NAMESPACE = "namespace"
    PREFIX = "prefix"
    RELEASE = "release"
    TARGET = "target"
    VERSION = "version"
    CRD = "crd declaration"
    CLUSTER = "dataScienceCluster"
    BUNDLE = "bundle"
    ARGOCD = "argocd"
    MIGRATION = "migration"
    MANIFEST = "manifest"

    __hash__ = str.__hash__  # sources are held against each other by the thousand


class Cause(NamedTuple):
    """One thing that makes values: a kind, and its name where there are several."""

    kind: CauseKind
    name: str = ""

    def __str__(self) -> str:
        return f"{self.kind} {self.name}".rstrip()


Reads: TypeAlias = tuple[tuple[Path, tuple[tuple[Cause, Origin], ...]], ...]
"""What expressions read and where that stands, by their place inside a value."""
