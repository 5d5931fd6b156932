"""Results of pure stages, kept across runs by the hash of all that went into them.

A stage asks for its result here, and knows nothing of the cache. Without one, every result is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

from kitgen.files.cache_store import CacheStore
from kitgen.files.reads import hash_bytes

T = TypeVar("T")


class ResultCache(NamedTuple):
    """Where results are kept, for one kitgen."""

    store: CacheStore
    program: str
    """What changes whenever kitgen may give other results for the same input."""

    def make_key(self, stage: str, parts: Iterable[bytes]) -> str:
        """Return the key of a result: a hash of the stage and all that goes into it."""
        inputs = [f"{self.program}\0{stage}".encode()]
        for part in parts:
            inputs += [b"\0%d\0" % len(part), part]
        return hash_bytes(b"".join(inputs))


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


class ResultSlot(NamedTuple):
    """Where one result is kept."""

    store: CacheStore
    key: str

    def read(self) -> bytes | None:
        """Return what is kept there."""
        return self.store.read(self.key)

    def write(self, content: bytes) -> None:
        """Keep a result there, in the place of another one."""
        self.store.write(self.key, content)


def find_slot(stage: str, parts: Callable[[], Iterable[bytes | None]]) -> ResultSlot | None:
    """Return where the result of some input is kept; None without a cache, or if some input is None."""
    if _cache is None:
        return None
    inputs = [*parts()]
    known = [each for each in inputs if each is not None]
    return ResultSlot(_cache.store, _cache.make_key(stage, known)) if len(known) == len(inputs) else None


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
