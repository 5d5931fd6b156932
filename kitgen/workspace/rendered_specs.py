"""The specs of the last render, so that the next one can tell what changes on a cluster.

They may hold secrets, so only the user who rendered may read them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from msgspec import MsgspecError
from msgspec.msgpack import decode, encode

from kitgen.files.cache_store import CacheStore, open_cache
from kitgen.files.read import MAX_BYTES, MAX_TOTAL, read_file
from kitgen.files.reads import hash_bytes
from kitgen.files.root import MARK, SPECS

MAX_FILES = 20_000
"""How many files and folders of specs are looked at."""


class EarlierSpecs(NamedTuple):
    """Specs as they were once."""

    files: Mapping[str, bytes]
    changed: frozenset[str]
    """The paths of what is other now, or no longer there, or new."""


class RenderedSpecs(NamedTuple):
    """What is kept of one kit."""

    root: Path
    store: CacheStore

    def recall(self) -> EarlierSpecs | None:
        """Return the specs of the last render; None if nothing is kept."""
        try:
            if (content := self.store.read(self._key)) is None:
                return None
            known, now = decode(content, type=dict[str, bytes]), dict(_read_specs(self.root))
        except (MsgspecError, OSError):
            return None
        changed = {path for path in (*known, *now) if known.get(path) != now.get(path)}
        return EarlierSpecs(known, frozenset(changed))

    def keep(self) -> None:
        """Keep the specs, unless there is more in their folders than a kit has."""
        try:
            self.store.write(self._key, encode(dict(_read_specs(self.root))))
        except OSError:
            return

    @property
    def _key(self) -> str:
        return hash_bytes(b"specs of the last render\0" + os.fsencode(self.root))


def open_rendered_specs(root: Path) -> RenderedSpecs | None:
    """Return what is kept of a kit; None if the user has no cache."""
    store = open_cache(str(root))
    return store and RenderedSpecs(root, store)


def _read_specs(root: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the files of the specs by their paths; none has a name that is no text.

    OSError if there is too much, or anything but files and folders.
    """
    ahead, files, left = [MARK, *SPECS], 0, MAX_TOTAL
    while ahead:
        name = ahead.pop()
        files += 1
        if files > MAX_FILES:
            raise OSError(f"there is more in {root} than specs")
        place = root / name
        if place.is_dir() and not place.is_symlink():
            ahead += [f"{name}/{each}" for each in islice(os.listdir(place), MAX_FILES)]  # noqa: PTH208
        elif os.path.lexists(place):
            content = read_file(place, min(left, MAX_BYTES))
            left -= len(content)
            if name.isprintable():
                yield name, content
