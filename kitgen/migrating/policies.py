"""What a migration says of a key: of itself, or of all that start like it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from kitgen.model.migration import MovedKey, Policy


class Policies(Struct, frozen=True, kw_only=True):
    """The keys of a migration, by their names: objects may have any number of labels."""

    old: Mapping[str, MovedKey] = {}
    new: frozenset[str] = frozenset()

    def of(self, key: str) -> MovedKey | None:
        """Return what is said of a key: of itself, or of all that start like it, up to a slash."""
        return next((self.old[each] for each in _starts(key) if each in self.old), None)

    def made(self, key: str) -> bool:
        """Tell whether a key is the new name of another one."""
        return any(each in self.new for each in _starts(key))

    @property
    def moving(self) -> bool:
        """Tell whether some key is not there any more afterwards."""
        return any(each.policy is Policy.MOVE for each in self.old.values())


def policies_of(keys: Iterable[MovedKey]) -> Policies:
    """Return the keys of a migration by their names."""
    said = tuple(keys)
    return Policies(old={each.key: each for each in said}, new=frozenset(each.to for each in said if each.to))


def _starts(key: str) -> Iterator[str]:
    """Yield a key and what it starts with, the longest first; a migration names none with two slashes."""
    yield key
    parts = key.split("/", 2)
    yield from ("/".join(parts[:number]) for number in range(len(parts) - 1, 0, -1))


def new_name(key: str, said: MovedKey) -> str:
    """Return what a key becomes."""
    return said.to + key[len(said.key) :]
