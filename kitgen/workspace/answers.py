"""Answers of commands that only read: given again for as long as nothing that was read has changed.

An answer is what a command printed, with its exit code. It is kept under all that a command starts from: its
arguments, folder and terminal, and the program itself. It holds digests of all that the command read of the
kit, which are compared before it is given again. A command that read anything else is never answered so.
Looking for an answer imports next to nothing.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TextIO

from kitgen.files.cache_store import CacheStore, open_cache
from kitgen.files.reads import ReadLog, hash_bytes, is_unchanged, record_reads
from kitgen.workspace.program import fingerprint_program

COMMANDS = frozenset({"build", "diff", "drift", "list", "rbac", "show", "why"})
"""Commands that print and write nothing."""
NO_CACHE = "--no-cache"
VARIABLES = ("COLUMNS", "FORCE_COLOR", "LINES", "NO_COLOR", "TERM")
"""What decides how a command prints, besides its terminal."""
MARK, STATES = "kit.yaml", ("overlays/.kitgen/journal", "overlays/.kitgen/stage", ".kitgen")
"""Where a write that was cut short left something to repair."""
LARGEST = 32 * 1024 * 1024


class Answer(NamedTuple):
    """What a command printed, in order, and its exit code."""

    printed: list[tuple[int, str]]
    """Each text with the number of its stream."""
    code: int


class AnswerSlot(NamedTuple):
    """Where the answer of one command is kept."""

    root: str
    store: CacheStore
    key: str

    def find(self) -> Answer | None:
        """Return the answer, if the command would give the same now."""
        content = self.store.read(self.key)
        if content is None or any(os.path.lexists(f"{self.root}/{each}") for each in STATES):
            return None
        import orjson

        known = orjson.loads(content)
        same = known["root"] == os.path.realpath(self.root) and is_unchanged(
            known["contents"], known["names"], known["kinds"]
        )
        return Answer(known["printed"], known["code"]) if same else None

    @contextmanager
    def record(self) -> Iterator[None]:
        """Keep what the command prints, if it reads nothing but the kit and ends well."""
        printed: list[tuple[int, str]] = []
        code: object = None
        with record_reads() as log, _tee(sys.stdout, 1, printed), _tee(sys.stderr, 2, printed):
            try:
                yield
                code = 0
            except SystemExit as stop:
                code = stop.code or 0
                raise
            finally:
                if code in (0, 1) and log.is_complete and sum(len(text) for _, text in printed) < LARGEST:
                    self._keep(log, printed, code)

    def _keep(self, log: ReadLog, printed: list[tuple[int, str]], code: object) -> None:
        import orjson

        read = {"contents": log.contents, "names": log.names, "kinds": log.kinds}
        known = {"root": os.path.realpath(self.root), **read, "printed": printed, "code": code}
        self.store.write(self.key, orjson.dumps(known))


def open_slot(arguments: list[str]) -> AnswerSlot | None:
    """Return where the answer of a command is kept; None if it is not one that is kept."""
    if not arguments or arguments[0] not in COMMANDS or NO_CACHE in arguments:
        return None
    try:
        here = os.getcwd()
        root = _find_root(arguments, here)
        store = open_cache(root) if root else None
        return AnswerSlot(root, store, _make_key(arguments, here)) if store else None
    except (OSError, ValueError):
        return None  # what is wrong is for the command to report


def _find_root(arguments: list[str], here: str) -> str:
    """Return the folder of the kit, as commands find it; empty if there is none."""
    for at, each in enumerate(arguments):
        if each == "--root" and at + 1 < len(arguments):
            return os.path.join(here, arguments[at + 1])
        if each.startswith("--root="):
            return os.path.join(here, each.partition("=")[2])
    place = here
    while not os.path.isfile(f"{place}/{MARK}"):
        above = os.path.dirname(place)
        if above == place:
            return ""
        place = above
    return place


def _make_key(arguments: list[str], here: str) -> str:
    streams = [
        f"{each.isatty()} {each.encoding} {_find_width(each)}" if each else "closed"
        for each in (sys.stdout, sys.stderr)
    ]
    variables = [f"{name}={os.environ.get(name)}" for name in VARIABLES]
    own = [f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith("KITGEN_")]
    today = time.strftime("%Y-%m-%d")  # exceptions and declared differences may end
    parts = [fingerprint_program(), today, here, *arguments, "", *streams, *variables, *own]
    return hash_bytes("\0".join(parts).encode(errors="surrogateescape"))


def _find_width(stream: TextIO) -> int:
    return os.get_terminal_size(stream.fileno()).columns if stream.isatty() else 0


@contextmanager
def _tee(stream: Any, number: int, printed: list[tuple[int, str]]) -> Iterator[None]:
    write: Callable[[str], int] = stream.write

    def record(text: str) -> int:
        size = write(text)  # which refuses what is no text
        printed.append((number, text))
        return size

    stream.write = record
    try:
        yield
    finally:
        del stream.write
