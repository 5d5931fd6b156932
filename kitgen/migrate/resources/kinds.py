"""The tables of a migration: old and new kinds, and what becomes of each and of keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum, auto

from msgspec import Struct

from kitgen.kit.model.migration import KindName, Migration, MovedKey, MovedKind, Policy
from kitgen.kube.identity import split_api_version
from kitgen.migrate.kinds import MovedKinds
from kitgen.migrate.resources.fields import FieldTree, build_field_tree
from kitgen.text.values import group_pairs, text_at
from kitgen.text.yaml import JsonObject


class Policies(Struct, frozen=True, kw_only=True):
    """The keys of a migration, by their names: objects may have any number of labels."""

    old: Mapping[str, MovedKey] = {}
    new: frozenset[str] = frozenset()

    def find(self, key: str) -> MovedKey | None:
        """Return what is said of a key: of itself, or of all that start like it, up to a slash."""
        return next((self.old[each] for each in _list_prefixes(key) if each in self.old), None)

    def is_new_key(self, key: str) -> bool:
        """Return whether a key is the new name of another one."""
        return any(each in self.new for each in _list_prefixes(key))

    @property
    def has_moved_keys(self) -> bool:
        """Return whether some key is not there any more afterwards."""
        return any(each.policy is Policy.MOVE for each in self.old.values())


def build_policies(keys: Iterable[MovedKey]) -> Policies:
    """Return the keys of a migration by their names."""
    old = {each.key: each for each in keys}
    return Policies(old=old, new=frozenset(each.to for each in old.values() if each.to))


def _list_prefixes(key: str) -> Iterator[str]:
    """Yield a key and what it starts with, the longest first; a migration names none with two slashes."""
    yield key
    parts = key.split("/", 2)
    yield from ("/".join(parts[:number]) for number in range(len(parts) - 1, 0, -1))


def rename_key(key: str, said: MovedKey) -> str:
    """Return what a key becomes."""
    return said.to + key[len(said.key) :]


class MigrationRole(Enum):
    """Where an object stands in a migration."""

    OLD = auto()
    NEW = auto()
    STRANDED = auto()
    """Of an old group or kind, and nothing that the migration says is for it."""
    OTHER = auto()


class MigrationMoves(Struct, frozen=True, kw_only=True):
    """What a migration says, by what objects say."""

    kinds: MovedKinds
    old: Mapping[KindName, MovedKind]
    new: frozenset[KindName]
    trees: Mapping[KindName, FieldTree]
    """What becomes of fields, of the old kinds that say so."""
    schemas: Mapping[KindName, JsonObject]
    """The schemas of kinds, old and new, as far as they are known."""
    cluster_wide: frozenset[KindName]
    """New kinds that are of no namespace."""
    versions: Mapping[tuple[str, str], Sequence[str]]
    """Group and kind → the versions that move, old ones first; none of a kind that goes."""
    retired: frozenset[str]
    """Groups that no new kind is of."""
    keys: Policies
    selected: frozenset[str] = frozenset()
    """Labels with the policy move that something else selects by."""
    dropped: Mapping[KindName, str]
    """Kinds without a successor, and why they go."""
    elsewhere: Mapping[KindName, str]
    """Old kinds of other migrations of the kit, and what those are called."""

    def role_of(self, body: JsonObject) -> MigrationRole:
        """Return where an object is in the migration."""
        if (name := kind_name_of(body)) in self.old:
            return MigrationRole.OLD
        if name in self.new:
            return MigrationRole.NEW
        stranded = name.group in self.retired or (name.group, name.kind) in self.versions
        return MigrationRole.STRANDED if stranded else MigrationRole.OTHER


def kind_name_of(body: JsonObject) -> KindName:
    """Return what an object says that it is; what it does not say is empty."""
    return KindName(*split_api_version(text_at(body, "apiVersion")), text_at(body, "kind"))


def build_moves(moved: MovedKinds, others: Iterable[Migration] = ()) -> MigrationMoves:
    """Return the tables of a migration, and what others of the kit move."""
    kinds = [each.said for each in moved.moving_kinds]
    old = {each.before: each for each in kinds}
    # Of what is both, the schema is that of the release before.
    sides = [*(each.new for each in moved.moving_kinds), *(each.old for each in moved.moving_kinds)]
    gone: dict[tuple[str, str], list[str]] = {each.before[::2]: [] for each in moved.dropped_kinds}
    names = [name for each in kinds for name in (each.before, each.after)]
    versions = group_pairs(((name.group, name.kind), name.version) for name in names)
    return MigrationMoves(
        kinds=moved,
        old=old,
        new=frozenset(each.after for each in kinds) - old.keys(),
        trees={each.before: build_field_tree(each.fields) for each in kinds if each.fields},
        schemas={each.name: found for each in sides if isinstance(found := each.schema, dict)},
        cluster_wide=frozenset(each.new.name for each in moved.moving_kinds if each.new.cluster_wide),
        versions=gone | versions,
        retired=moved.retired_groups,
        keys=build_policies(moved.keys),
        dropped={each.before: each.reason for each in moved.dropped_kinds},
        elsewhere={each.before: other.name for other in others for each in other.kinds},
    )
