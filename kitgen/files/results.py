"""Results of pure stages, kept across runs by the hash of all that went into them.

A stage asks for its result here, and knows nothing of the cache. Without one, every result is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from kitgen.files.cache_store import CacheStore
from kitgen.files.reads import hash_bytes

T = TypeVar("T")

SMALL, MOST_SHARED = 64 * 1024, 32 * 1024 * 1024
"""So large a result shares an entry with others, and so large is that."""


class ResultCache:
    """Where results are kept, for one kitgen.

    Small ones share an entry of the store, because a file for each would cost more than many of them. They
    are read with the first one that is asked for, and written together.
    """

    def __init__(self, store: CacheStore, program: str, place: str = "") -> None:
        """Keep results in a store; `program` changes whenever kitgen may give others for the same input.

        Whoever works in the same place finds small ones again.
        """
        self.store = store
        self.program = program
        self.shared = hash_bytes(f"results\0{program}\0{place}".encode(errors="surrogateescape"))
        self.added: dict[str, bytes | None] = {}
        """What was not known before, by key; None if it has an entry of its own."""
        self._used: dict[str, bytes | None] = {}

    @cached_property
    def _known(self) -> dict[str, bytes | None]:
        try:
            return dict(decode_value(self.store.read(self.shared) or b"\x80"))
        except (TypeError, ValueError):
            return {}

    def make_key(self, stage: str, parts: Iterable[bytes]) -> str:
        """Return the key of a result: a hash of the stage and all that goes into it."""
        inputs = [f"{self.program}\0{stage}".encode()]
        for part in parts:
            inputs += [b"\0%d\0" % len(part), part]
        return hash_bytes(b"".join(inputs))

    def read(self, key: str) -> bytes | None:
        """Return a result, if it is kept."""
        for results in (self.added, self._known):
            if key in results:
                found = self._used[key] = results[key]
                return self.store.read(key) if found is None else found
        return None

    def write(self, key: str, content: bytes) -> None:
        """Keep a result."""
        if len(content) > SMALL:
            self.store.write(key, content)
        self.added[key] = content if len(content) <= SMALL else None

    def save(self) -> None:
        """Write what was added, with all that was used, and as much of the rest as there is room for."""
        if not self.added:
            return
        kept, size = self.added | self._used, 0
        for key, content in (self.added | self._used | self._known).items():
            size += len(key) + len(content or b"")
            if size <= MOST_SHARED:
                kept[key] = content
        self.store.write(self.shared, encode_value(kept) or b"")


_cache: ResultCache | None = None
"""That of the command that runs, if there is one for its kit."""


@contextmanager
def use_cache(cache: ResultCache | None) -> Iterator[None]:
    """Keep the results of all stages there from here on."""
    global _cache  # noqa: PLW0603 # stages are pure, so that it does not matter to them whether there is one
    before, _cache = _cache, cache
    try:
        yield
    finally:
        _cache = before
        if cache is not None:
            cache.save()


def take_results() -> dict[str, bytes | None]:
    """Return the results that were added so far, and forget them: whoever takes them adds them elsewhere."""
    if _cache is None:
        return {}
    taken, _cache.added = _cache.added, {}
    return taken


def add_results(taken: Mapping[str, bytes | None]) -> None:
    """Keep the results that another process has added."""
    if _cache is not None:
        _cache.added |= taken


class ResultSlot(NamedTuple):
    """Where one result is kept."""

    cache: ResultCache
    key: str

    def read(self) -> bytes | None:
        """Return what is kept there."""
        return self.cache.read(self.key)

    def write(self, content: bytes) -> None:
        """Keep a result there, in the place of another one."""
        self.cache.write(self.key, content)


def find_slot(stage: str, parts: Callable[[], Iterable[bytes | None]]) -> ResultSlot | None:
    """Return where the result of some input is kept; None without a cache, or if some input is None."""
    if _cache is None:
        return None
    inputs = [*parts()]
    known = [each for each in inputs if each is not None]
    return ResultSlot(_cache, _cache.make_key(stage, known)) if len(known) == len(inputs) else None


def remember(
    stage: str,
    parts: Callable[[], Iterable[bytes | None]],
    make: Callable[[], T],
    encode: Callable[[T], bytes | None],
    decode: Callable[[bytes], T],
) -> T:
    """Return what a stage makes of its input, if an earlier run made it or else now.

    Nothing is kept whose input or result encodes to None.
    """
    if (slot := find_slot(stage, parts)) is None:
        return make()
    if (found := slot.read()) is not None:
        return decode(found)
    made = make()
    if (content := encode(made)) is not None:
        slot.write(content)
    return made


def remember_whether(stage: str, value: object, holds: Callable[[], bool]) -> bool:
    """Return whether something holds of a value; only that it does is kept."""
    return remember(
        stage, lambda: [encode_value(value)], holds, lambda held: b"" if held else None, lambda _: True
    )


def encode_value(value: object) -> bytes | None:
    """Return a value of JSON as bytes, exactly; None if a number or a text in it has no such form."""
    from msgspec.msgpack import encode

    try:
        return encode(value)
    except (OverflowError, TypeError, ValueError):
        return None


def decode_value(content: bytes) -> Any:
    """Return what was encoded."""
    from msgspec.msgpack import decode

    return decode(content)
