"""Places in input files: a file, and the path of a value inside it."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

Step: TypeAlias = str | int
Path: TypeAlias = tuple[Step, ...]
MAX_DIGITS = 10
"""No list is longer than a number of so many digits says."""


def pointer(path: Path) -> str:
    """Write a path as a JSON pointer."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def path_of(text: str) -> Path:
    """Read a JSON pointer back; steps that are digits become list indexes."""
    return tuple(step_of(part.replace("~1", "/").replace("~0", "~")) for part in text.split("/")[1:])


def step_of(text: str) -> Step:
    """Return a list index when a step is a plain number, else the key."""
    number = text.isdecimal() and text.isascii() and len(text) < MAX_DIGITS
    return int(text) if number and str(int(text)) == text else text


class Origin(Struct, frozen=True, order=True):
    """A place in an input file: `file` relative to the kit's root, and the path inside it."""

    file: str
    path: Path = ()
    line: int = 0
    """Known only where the pointer cannot say it (broken YAML); 0 means: look it up."""
    document: int = 0
    """Which document of the file, for files of manifests that hold several."""

    def at(self, *steps: Step) -> Origin:
        """Return the origin of a value below this one."""
        return Origin(self.file, self.path + steps, document=self.document)

    def __str__(self) -> str:
        return f"{self.file} {self.place}".rstrip()

    @property
    def place(self) -> str:
        """Return the pointer; from the second document on, its number comes first (`#2 /spec`)."""
        number = f"#{self.document + 1} " if self.document else ""
        return f"{number}{pointer(self.path)}".rstrip()
