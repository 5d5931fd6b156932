"""What is known of the files of the package kubernetes-validate before they are read.

It follows from the files alone, and to find it out would cost every run: `make docs` does it once. It counts
for files of the same size as the index was made of; others are read and compared as they are.
"""

from __future__ import annotations

from functools import cache, cached_property
from pathlib import Path

from msgspec import Raw, Struct, json

INDEX = Path(__file__).with_name("definitions.json")


class KnownFile(Struct, frozen=True, array_like=True, kw_only=True):
    """One file of definitions; names and kinds are those of the index, by number."""

    size: int
    lengths: list[int]
    """Of each name's definition, in bytes and in the order of the file; 0 if the file lacks it."""
    kinds: list[int]
    """What the minor serves."""
    forms: list[int]
    """Which form each definition has: minors have it alike, save for words, if the number is the same."""
    unfit: list[int]
    """The definitions that no CRD can hold as they are: servers refuse them, or they hold themselves."""


class DefinitionIndex(Struct, frozen=True, dict=True):
    """All files that the package had when this version of kitgen was made."""

    names: list[str]
    kinds: list[tuple[str, str, str, str]]
    """Group, version and kind, and the name of the definition."""
    narrowed: list[tuple[str, int, int]]
    """A definition and two of its forms, the later of which may refuse what the earlier accepts."""
    files: dict[str, Raw]
    """By folder; few of them are read in a run."""

    @cached_property
    def narrowed_forms(self) -> frozenset[tuple[str, int, int]]:
        """Return what is narrowed, to look it up."""
        return frozenset(self.narrowed)

    def find_file(self, folder: str, size: int) -> KnownFile | None:
        """Return what is known of a file, if it is one of these."""
        found = json.decode(self.files[folder], type=KnownFile) if folder in self.files else None
        return found if found and found.size == size else None


@cache
def load_index() -> DefinitionIndex:
    """Return the index."""
    return json.decode(INDEX.read_bytes(), type=DefinitionIndex)
