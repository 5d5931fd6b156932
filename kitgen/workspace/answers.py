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
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple, TextIO

from kitgen.files.cache_store import CacheStore, open_cache
from kitgen.files.reads import ReadLog, hash_bytes, is_unchanged, record_reads
from kitgen.files.results import ResultCache, use_cache
from kitgen.workspace.program import fingerprint_program

READING = frozenset({"build", "diff", "drift", "list", "rbac", "show", "why"})
"""Commands that print and write nothing."""
COMMANDS = READING | {"render"}
"""A render answers as it would the next time, when it finds nothing to do."""
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
    command: str

    def find(self) -> Answer | None:
        """Return the answer, if the command would give the same now."""
        content = self.store.read(self.key) if self.command in COMMANDS else None
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
        """Keep results on the way, and what the command prints if it reads the kit alone and ends well."""
        global _recording  # noqa: PLW0603 # one command runs at a time
        with record_reads() as log, use_cache(self._open_results()):
            _recording = said = AnswerRecording(log)
            try:
                with said.run(is_shown=True):
                    yield
            finally:
                _recording = None
                found = said if self.command in READING else said.rehearsed
                if found and found.is_lasting:
                    self._keep(found)

    def _open_results(self) -> ResultCache:
        return ResultCache(self.store, fingerprint_program(), os.path.realpath(self.root))

    def _keep(self, said: AnswerRecording) -> None:
        import orjson

        read = {"contents": said.log.contents, "names": said.log.names, "kinds": said.log.kinds}
        known = {"root": os.path.realpath(self.root), **read, "printed": said.printed, "code": said.code}
        with suppress(orjson.JSONEncodeError):  # a path or a text may be no Unicode
            self.store.write(self.key, orjson.dumps(known))


class AnswerRecording:
    """What a command prints, and what it has read for that."""

    def __init__(self, log: ReadLog) -> None:
        self.log = log
        self.printed: list[tuple[int, str]] = []
        self.code: object = None
        self.rehearsed: AnswerRecording | None = None
        """What it would print the next time, if that is another answer."""

    @property
    def is_lasting(self) -> bool:
        """Return whether it can be given again."""
        size = sum(len(text) for _, text in self.printed)
        return self.code in (0, 1) and self.log.is_complete and size < LARGEST

    @contextmanager
    def tee(self, stream: Any, number: int, *, is_shown: bool) -> Iterator[None]:
        """Record what is written to a stream."""
        write: Callable[[str], int] = stream.write
        above = vars(stream).get("write")

        def record(text: str) -> int:
            write(text if is_shown else text[:0])  # which refuses what is no text
            self.printed.append((number, text))
            return len(text)

        stream.write = record
        try:
            yield
        finally:
            del stream.write
            if above is not None:
                stream.write = above

    @contextmanager
    def run(self, *, is_shown: bool) -> Iterator[None]:
        """Record what is printed, and the exit code."""
        with self.tee(sys.stdout, 1, is_shown=is_shown), self.tee(sys.stderr, 2, is_shown=is_shown):
            try:
                yield
                self.code = 0
            except SystemExit as stop:
                self.code = stop.code or 0
                raise


_recording: AnswerRecording | None = None
"""That of the command that runs."""


def rehearse_answer(log: ReadLog, end: Callable[[], None]) -> None:
    """Record what the command would print the next time, by an end that prints that and exits; show nothing.

    It holds for as long as what is in the log stays as it is.
    """
    if _recording is not None:
        _recording.rehearsed = AnswerRecording(log)
        with suppress(SystemExit), _recording.rehearsed.run(is_shown=False):
            end()


def open_slot(arguments: list[str]) -> AnswerSlot | None:
    """Return where the answer of a command is kept, and its results on the way; None without a cache."""
    if not arguments or arguments[0].startswith("-") or NO_CACHE in arguments:
        return None
    try:
        here = os.getcwd()
        root = _find_root(arguments, here)
        store = open_cache(root) if root else None
        return AnswerSlot(root, store, _make_key(arguments, here), arguments[0]) if store else None
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
