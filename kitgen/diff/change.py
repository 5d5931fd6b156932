"""A change: what it is, how bad, why, who feels it, and where; equal ones are joined."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from kitgen.diff.risk import ChangeRule, Risk
from kitgen.findings import Rule


class Place(Struct, frozen=True, order=True):
    """A field of one version of an object; a fact of the object itself has no version."""

    object: str
    """Its name, such as that of a CRD."""
    version: str = ""
    path: str = ""
    former: str = ""
    """The version that objects come from, where it is about those that go from one to another."""

    @property
    def span(self) -> str:
        """Return the version, or both where objects go from one to another."""
        return f"{self.former} to {self.version}" if self.former else self.version


class Change(Struct, frozen=True, kw_only=True):
    """One change, told once for all the places that it is in."""

    rule: ChangeRule | Rule
    risk: Risk
    message: str
    reason: str
    felt_by: str
    places: tuple[Place, ...]
    """One, until equal changes are joined."""
    detail: str = ""
    """Tells changes of one rule at one place apart: the enum value, the keyword, the column."""
    hint: str = ""
    group: Hashable = None
    """What it is part of; equal changes of equal groups are one. None stands for the place itself."""
    type_name: str = ""
    """The type that changed, such as one of Kubernetes; once joined, only if it is in several places."""
    type_path: str = ""
    """The path inside the group."""
    accepted: str = ""
    """Why it is accepted without anybody's exception: a migration declares it."""

    @property
    def object(self) -> str:
        """Return the object of the first place."""
        return self.places[0].object

    @property
    def path(self) -> str:
        """Return the path of the first place."""
        return self.places[0].path

    @property
    def versions(self) -> tuple[str, ...]:
        """Return the versions in which the first place changed."""
        first = (self.object, self.path)
        same = (place.span for place in self.places if (place.object, place.path) == first)
        return tuple(dict.fromkeys(version for version in same if version))

    @property
    def spots(self) -> int:
        """Count the places, versions apart."""
        return len({(place.object, place.path) for place in self.places})

    @property
    def id(self) -> str:
        """Return what an exception names: the same for the same change on every run."""
        if self.type_name:
            where = [self.type_name, self.type_path]
        else:
            more = f"+{self.spots - 1}" if self.spots > 1 else ""
            where = [self.object, "+".join(self.versions), f"{self.path}{more}"]
        # A type may change in a CRD that moves and in another one, which nobody accepted.
        apart = "declared" if self.accepted else ""
        return ":".join(part for part in (self.rule.id, *where, self.detail, apart) if part)


def join(changes: Iterable[Change], order: Callable[[Place], Any]) -> tuple[Change, ...]:
    """Join equal changes of a group and of the versions of a field; what is accepted comes last."""
    groups: dict[Hashable, list[Change]] = {}
    for each in changes:
        group = each.group or (each.object, each.path)
        said = (each.rule, each.risk, each.message, each.detail, each.felt_by, each.accepted)
        key = (*said, group, each.type_path)
        groups.setdefault(key, []).append(each)
    return tuple(sorted((_joined(group, order) for group in groups.values()), key=_sort_key))


def _joined(group: list[Change], order: Callable[[Place], Any]) -> Change:
    places = tuple(sorted({place for change in group for place in change.places}, key=order))
    joined = replace(group[0], places=places, group=None)
    return joined if joined.type_name and joined.spots > 1 else replace(joined, type_name="", type_path="")


def _sort_key(change: Change) -> tuple[object, ...]:
    where = (change.object, change.path)
    return (
        bool(change.accepted),
        change.risk.rank,
        *where,
        change.rule.id,
        change.detail,
        change.versions,
        change.message,
    )
