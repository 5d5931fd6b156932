"""The tables of a migration: old and new kinds, and what becomes of each and of keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import Enum, auto
from typing import NamedTuple

from msgspec import Struct

from kitgen.kit.model.migration import KindName, Migration, MovedKey, MovedKind, Policy
from kitgen.kube.identity import split_api_version
from kitgen.migrate.kinds import MovedKinds
from kitgen.migrate.resources.fields import FieldTree, tree_of
from kitgen.text.values import text_at
from kitgen.text.yaml import JsonObject


class Policies(Struct, frozen=True, kw_only=True):
    """The keys of a migration, by their names: objects may have any number of labels."""

    old: Mapping[str, MovedKey] = {}
    new: frozenset[str] = frozenset()

    def of(self, key: str) -> MovedKey | None:
        """Return what is said of a key: of itself, or of all that start like it, up to a slash."""
        return next((self.old[each] for each in _starts(key) if each in self.old), None)

    def made(self, key: str) -> bool:
        """Return whether a key is the new name of another one."""
        return any(each in self.new for each in _starts(key))

    @property
    def moving(self) -> bool:
        """Return whether some key is not there any more afterwards."""
        return any(each.policy is Policy.MOVE for each in self.old.values())


def policies_of(keys: Iterable[MovedKey]) -> Policies:
    """Return the keys of a migration by their names."""
    old = {each.key: each for each in keys}
    return Policies(old=old, new=frozenset(each.to for each in old.values() if each.to))


def _starts(key: str) -> Iterator[str]:
    """Yield a key and what it starts with, the longest first; a migration names none with two slashes."""
    yield key
    parts = key.split("/", 2)
    yield from ("/".join(parts[:number]) for number in range(len(parts) - 1, 0, -1))


def new_name(key: str, said: MovedKey) -> str:
    """Return what a key becomes."""
    return said.to + key[len(said.key) :]


class Standing(Enum):
    """Where an object stands in a migration."""

    OLD = auto()
    NEW = auto()
    STRANDED = auto()
    """Of an old group or kind, and nothing that the migration says is for it."""
    OTHER = auto()


class ObjectType(NamedTuple):
    """What an object says that it is."""

    api_version: str
    kind: str


class SelectedKey(NamedTuple):
    """A key of labels or annotations, as what selects by it means it."""

    where: str
    key: str


class MigrationMoves(Struct, frozen=True, kw_only=True):
    """What a migration says, by what objects say."""

    kinds: MovedKinds
    old: Mapping[ObjectType, MovedKind]
    new: frozenset[ObjectType]
    trees: Mapping[ObjectType, FieldTree]
    """What becomes of fields, of the old kinds that say so."""
    schemas: Mapping[ObjectType, JsonObject]
    """The schemas of kinds, old and new, as far as they are known."""
    cluster_wide: frozenset[ObjectType]
    """New kinds that are of no namespace."""
    versions: Mapping[tuple[str, str], tuple[str, ...]]
    """Group and kind → the versions that are known, old ones first."""
    retired: frozenset[str]
    """Groups that no new kind is of."""
    keys: Policies
    selected: frozenset[SelectedKey] = frozenset()
    """Keys with the policy move that something else selects by."""
    dropped: Mapping[ObjectType, str]
    """Kinds without a successor, and why they go."""
    dropped_kinds: Mapping[tuple[str, str], str]
    """The same in whichever version: group and kind → why."""
    elsewhere: Mapping[ObjectType, str]
    """Old kinds of other migrations of the kit, and what those are called."""

    def standing(self, body: JsonObject) -> Standing:
        """Return where an object is in the migration."""
        if (typed := typed_of(body)) in self.old:
            return Standing.OLD
        if typed in self.new:
            return Standing.NEW
        group, _ = split_api_version(typed.api_version)
        known = (group, typed.kind) in self.dropped_kinds or (group, typed.kind) in self.versions
        return Standing.STRANDED if known or group in self.retired else Standing.OTHER


def typed_of(body: JsonObject) -> ObjectType:
    """Return what an object says that it is; what it does not say is empty."""
    return ObjectType(text_at(body, "apiVersion"), text_at(body, "kind"))


def moves_of(moved: MovedKinds, others: Iterable[Migration] = ()) -> MigrationMoves:
    """Return the tables of a migration, and what others of the kit move."""
    kinds = [each.said for each in moved.moving]
    old = {_typed(each.before): each for each in kinds}
    # Of what is both, the schema is that of the release before.
    sides = [*(each.new for each in moved.moving), *(each.old for each in moved.moving)]
    return MigrationMoves(
        kinds=moved,
        old=old,
        new=frozenset(_typed(each.after) for each in kinds) - old.keys(),
        trees={_typed(each.before): tree_of(each.fields) for each in kinds if each.fields},
        schemas={_typed(each.name): found for each in sides if isinstance(found := each.schema, dict)},
        cluster_wide=frozenset(_typed(each.new.name) for each in moved.moving if each.new.cluster_wide),
        versions=_versions(name for each in kinds for name in (each.before, each.after)),
        retired=frozenset(each.before.group for each in kinds) - {each.after.group for each in kinds},
        keys=policies_of(moved.keys),
        dropped={_typed(each.before): each.reason for each in moved.dropped},
        dropped_kinds={each.before[::2]: each.reason for each in moved.dropped},
        elsewhere={_typed(each.before): other.name for other in others for each in other.kinds},
    )


def _typed(name: KindName) -> ObjectType:
    return ObjectType(name.api_version, name.kind)


def _versions(names: Iterable[KindName]) -> dict[tuple[str, str], tuple[str, ...]]:
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    for name in names:
        key = (name.group, name.kind)
        found[key] = tuple(dict.fromkeys((*found.get(key, ()), name.version)))
    return found
