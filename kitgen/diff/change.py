"""A change: an edit where it is seen first, and as it is told after equal ones were joined."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Any

from kitgen.diff.risk import Risk


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A field of one version of an object; a fact of the object itself has no version."""

    object: str
    """Its name, such as that of a CRD."""
    version: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One change at one place."""

    rule: str
    place: Place
    message: str
    risk: Risk
    reason: str
    felt_by: str
    detail: str = ""
    """Tells changes of one rule at one place apart: the enum value, the keyword, the column."""
    hint: str = ""
    group: Hashable = None
    """What the edit is part of; equal edits of equal groups are one change. None is its own place."""
    type_name: str = ""
    """What people call the group, if it has a name."""
    within: str = ""
    """The path inside the group."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change, told once for all the places that it is in."""

    rule: str
    risk: Risk
    message: str
    reason: str
    felt_by: str
    detail: str = ""
    hint: str = ""
    type_name: str = ""
    """The type that changed, such as one of Kubernetes, when it is in more than one place."""
    type_path: str = ""
    places: tuple[Place, ...] = ()

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
        same = (place.version for place in self.places if (place.object, place.path) == first)
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
        return ":".join(part for part in (self.rule, *where, self.detail) if part)


def join(edits: Iterable[Edit], order: Callable[[Place], Any]) -> tuple[Change, ...]:
    """Join equal edits of a group and of the versions of a field; the worst come first, places in order."""
    groups: dict[Hashable, list[Edit]] = {}
    for edit in edits:
        group = edit.group if edit.group is not None else (edit.place.object, edit.place.path)
        key = (edit.rule, edit.risk, edit.message, edit.detail, edit.felt_by, group, edit.within)
        groups.setdefault(key, []).append(edit)
    changes = (_change(group, order) for group in groups.values())
    return tuple(
        sorted(
            changes, key=lambda c: (c.risk.rank, c.object, c.path, c.rule, c.detail, c.versions, c.message)
        )
    )


def _change(group: list[Edit], order: Callable[[Place], Any]) -> Change:
    first = group[0]
    places = tuple(sorted({edit.place for edit in group}, key=order))
    many = len({(place.object, place.path) for place in places}) > 1
    return Change(
        rule=first.rule,
        risk=first.risk,
        message=first.message,
        reason=first.reason,
        felt_by=first.felt_by,
        detail=first.detail,
        hint=first.hint,
        type_name=first.type_name if many else "",
        type_path=first.within if many and first.type_name else "",
        places=places,
    )
