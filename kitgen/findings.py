"""Origins and findings: where a value comes from, and what is wrong with it.

An `Origin` is a file and a JSON pointer; the line is looked up only when it is shown. A `Finding`
names its rule, so that it can be documented, counted and excepted.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

Step: TypeAlias = str | int
Path: TypeAlias = tuple[Step, ...]


def pointer(path: Path) -> str:
    """Write a path as a JSON pointer."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def path_of(text: str) -> Path:
    """Read a JSON pointer back; steps that are digits become list indexes."""
    return tuple(step_of(part.replace("~1", "/").replace("~0", "~")) for part in text.split("/")[1:])


def step_of(text: str) -> Step:
    """Return a list index when a step is a plain number, else the key."""
    return int(text) if text.isdecimal() and text.isascii() and str(int(text)) == text else text


@dataclass(frozen=True, slots=True, order=True)
class Origin:
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


class Severity(StrEnum):
    """An error blocks a write and fails the command; a warning does neither."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that is wrong, where it is, and what would fix it."""

    rule: str
    """Stable id in kebab-case."""
    message: str
    """Lower case, no full stop: what was found and what was expected."""
    origin: Origin
    hint: str = ""
    severity: Severity = Severity.ERROR
    subject: str = ""
    """What it is about when that is not the origin itself, such as a rendered object's field."""


def sort_key(finding: Finding) -> tuple[str, int, int, list[str], str, str, str]:
    """Order findings by place, then rule, so that every run shows them alike."""
    steps = [f"{step:09d}" if isinstance(step, int) else step for step in finding.origin.path]
    where = finding.origin
    return (where.file, where.document, where.line, steps, finding.rule, finding.subject, finding.message)


def unique(findings: list[Finding]) -> list[Finding]:
    """Sort findings and drop those that say the same thing of the same place."""
    return sorted(dict.fromkeys(findings), key=sort_key)


def near(word: str, known: list[str], *, sure: float = 0.6) -> str:
    """Return a hint with the known word that is closest, or an empty one if none is that much alike."""
    from difflib import get_close_matches

    same = next((each for each in known if each.casefold() == word.casefold()), None)
    if same is not None:
        return f"did you mean {same!r}?"
    close = get_close_matches(word, known, n=1, cutoff=sure)
    return f"did you mean {close[0]!r}?" if close else ""


def is_slip(word: str, meant: str) -> bool:
    """Tell whether a word is another one but for a letter that is missing, added or wrong, or two swapped.

    The first letter is hardly ever wrong: `match` is a word of its own, and not `watch`.
    """
    word, meant = word.casefold(), meant.casefold()
    if word[:1] != meant[:1]:
        return False
    short, long = sorted((word, meant), key=len)
    start = next((i for i, (a, b) in enumerate(zip(short, long, strict=False)) if a != b), len(short))
    rest, other = short[start:], long[start:]
    swapped = rest[:2] == other[1::-1] and rest[2:] == other[2:]
    return other[1:] == (rest[1:] if len(short) == len(long) else rest) or swapped
