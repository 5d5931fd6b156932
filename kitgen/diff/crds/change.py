"""A change of a CRD: where it is seen first, and as it is told after equal ones were joined."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from kitgen.crds.outline.nodes import Node
from kitgen.diff.crds.rules import RULES, Level

STORED = " to "
"""Stands between two versions where the stored one moves and objects are compared across."""


@dataclass(frozen=True, slots=True)
class Place:
    """A field of one version of one CRD; a fact of the CRD itself has no version."""

    crd: str
    version: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One change at one place."""

    rule: str
    place: Place
    message: str
    level: Level
    reason: str
    felt_by: str
    detail: str = ""
    """Tells changes of one rule at one place apart: the enum value, the keyword, the column."""
    hint: str = ""
    owner: tuple[Node, Node] | None = None
    """The pair of types that the change is in; equal pairs change in the same way everywhere."""
    within: str = ""
    """The path inside the owner."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """Where the walk stands: the place, and the type that holds it."""

    place: Place
    owner: tuple[Node, Node] | None = None
    within: str = ""

    def step(self, text: str) -> Spot:
        """Return the spot below this one."""
        path = self.place.path + text
        return Spot(place=replace(self.place, path=path), owner=self.owner, within=self.within + text)

    def enter(self, old: Node, new: Node) -> Spot:
        """Return the spot inside a type: a named one, or any object that no named one holds."""
        named = bool(old.name or new.name)
        held = self.owner is not None and bool(self.owner[0].name or self.owner[1].name)
        if named or not held:
            return Spot(place=self.place, owner=(old, new))
        return self

    def edit(
        self,
        rule: str,
        message: str,
        *,
        level: Level | None = None,
        reason: str = "",
        felt_by: str = "",
        detail: str = "",
        hint: str = "",
    ) -> Edit:
        """Return a change at this spot; what is not said comes from the rule."""
        known = RULES[rule]
        who = known.felt_by
        if self.place.path.startswith(".status") and who.startswith("users"):
            who = "the operator that writes it and clients that read it"
        return Edit(
            rule=rule,
            place=self.place,
            message=message,
            level=level or known.level,
            reason=reason or known.reason,
            felt_by=felt_by or who,
            detail=detail,
            hint=hint,
            owner=self.owner,
            within=self.within,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change, told once for all the places that it is in."""

    rule: str
    level: Level
    message: str
    reason: str
    felt_by: str
    detail: str = ""
    hint: str = ""
    type_name: str = ""
    """The Kubernetes type that changed, when it is in more than one place."""
    type_path: str = ""
    places: tuple[Place, ...] = field(default=())

    @property
    def crd(self) -> str:
        """Return the CRD of the first place."""
        return self.places[0].crd

    @property
    def path(self) -> str:
        """Return the path of the first place."""
        return self.places[0].path

    @property
    def versions(self) -> tuple[str, ...]:
        """Return the versions in which the first place changed."""
        first = self.places[0]
        same = (place.version for place in self.places if (place.crd, place.path) == (first.crd, first.path))
        return tuple(dict.fromkeys(version for version in same if version))

    @property
    def unconverted(self) -> bool:
        """Tell whether it is what stored objects lose because nothing converts them."""
        return all(STORED in place.version for place in self.places)

    @property
    def spots(self) -> int:
        """Count the places, versions apart."""
        return len({(place.crd, place.path) for place in self.places})

    @property
    def id(self) -> str:
        """Return what an exception names: the same for the same change on every run."""
        if self.type_name:
            where = [self.type_name, self.type_path]
        else:
            more = f"+{self.spots - 1}" if self.spots > 1 else ""
            where = [self.crd, "+".join(self.versions), f"{self.path}{more}"]
        return ":".join(part for part in (self.rule, *where, self.detail) if part)
