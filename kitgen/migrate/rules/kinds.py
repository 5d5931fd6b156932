"""Kinds that move or go, by every name that objects call them."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from kitgen.kit.model.migration import KindName, MovedKey
from kitgen.migrate.phases.moves import Moved


class OldKind(Struct, frozen=True, kw_only=True):
    """A kind that moves or goes, with the names of its resources."""

    before: KindName
    plural: str
    after: KindName | None = None
    """What it becomes; None if nothing takes its place."""
    new_plural: str = ""
    reason: str = ""
    """Why it goes, if it does."""

    @property
    def within(self) -> bool:
        """Tell whether it stays in its group, so that only the version tells old from new."""
        return self.after is not None and self.before[::2] == self.after[::2]

    @property
    def old_crd(self) -> str:
        """Return the name of the CRD that serves it."""
        return f"{self.plural}.{self.before.group}"

    @property
    def new_crd(self) -> str:
        """Return the name of the CRD that serves the new kind; empty if there is none."""
        return f"{self.new_plural}.{self.after.group}" if self.after else ""

    @property
    def new_resource(self) -> str:
        """Return what kubectl calls resources of the new kind without doubt; empty if there is none."""
        return f"{self.new_plural}.{self.after.version}.{self.after.group}" if self.after else ""

    def is_old(self, group: str, kind: str, version: str) -> bool:
        """Tell whether a kind is the old one; of another group, whatever the version."""
        return (group, kind) == self.before[::2] and self.is_old_version(version)

    def is_old_resource(self, group: str, resource: str) -> bool:
        """Tell whether a rule names resources of the old kind, or parts of them."""
        return group == self.before.group and resource.partition("/")[0] in (self.plural, "*")

    def is_old_version(self, version: str) -> bool:
        """Tell whether a version counts as old: any, unless the kind stays in its group."""
        return not self.within or version == self.before.version


class Kinds(Struct, frozen=True, kw_only=True):
    """All that moves or goes together."""

    old: tuple[OldKind, ...]
    keys: tuple[MovedKey, ...] = ()

    @property
    def declared(self) -> frozenset[str]:
        """Return the keys of labels, annotations and finalizers that the migration decides on."""
        return frozenset(each.key for each in self.keys)

    @property
    def ways(self) -> dict[str, list[str]]:
        """Return the groups that kinds leave, with those that they go to."""
        found: dict[str, list[str]] = {}
        for old, new in self._groups():
            there = found.setdefault(old, [])
            there += [] if new in there or old == new else [new]
        return found

    @property
    def retired(self) -> frozenset[str]:
        """Return the groups that move as a whole: no new kind is of them."""
        old = {each.before.group for each in self.old}
        return frozenset(old - {each.after.group for each in self.old if each.after})

    def _groups(self) -> Iterator[tuple[str, str]]:
        return ((each.before.group, each.after.group) for each in self.old if each.after)


def kinds_of(moved: Moved, keys: tuple[MovedKey, ...] = ()) -> Kinds:
    """Return what moves and what goes, as checks want it."""
    moves = (
        OldKind(
            before=each.said.before,
            plural=each.old.plural,
            after=each.said.after,
            new_plural=each.new.plural,
        )
        for each in moved.kinds
    )
    drops = (
        OldKind(before=each.said.kind, plural=each.old.plural, reason=each.said.reason)
        for each in moved.dropped
    )
    return Kinds(old=(*moves, *drops), keys=keys)
