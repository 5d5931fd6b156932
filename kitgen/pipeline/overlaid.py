"""A kit with some files laid over it, to try what they would do before they are written."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from kitgen.findings import Problem
from kitgen.load.files import Files, Memory


class Overlaid(Struct, frozen=True):
    """The files of a kit, with others over them."""

    below: Files
    texts: Mapping[str, str]

    @property
    def above(self) -> Memory:
        """Return the files that are laid over."""
        return Memory({name: text.encode() for name, text in self.texts.items()})

    def names(self, folder: str) -> list[str]:
        """Return the names in a folder, sorted."""
        return sorted({*self.below.names(folder), *self.above.names(folder)})

    def is_folder(self, name: str) -> bool | Problem:
        """Tell whether a path is a folder's."""
        return self.above.is_folder(name) or self.below.is_folder(name)

    def exists(self, name: str) -> bool:
        """Tell whether something has this path."""
        return self.above.exists(name) or self.below.exists(name)

    def read(self, name: str) -> bytes | Problem:
        """Return a file's content, or why it must not be read."""
        return self.above.read(name) if name in self.texts else self.below.read(name)
