"""Changes: what each is, how bad, why, who feels it and where, in one vocabulary for every comparison.

Equal changes are joined. A comparison may guess and find only so much: likenesses and proofs are worth some
seconds, not hours.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar

from msgspec import Struct, json
from msgspec.structs import replace

from kitgen.findings.errors import KitgenError
from kitgen.findings.rule_table import read_rule_table
from kitgen.text.values import group_pairs


class Risk(StrEnum):
    """What a change can do to those who use the old state, from worst to best."""

    BREAKING = "breaking"
    """Something that works today is refused, lost or not found."""
    SECURITY = "security"
    """Somebody may do more than before, or is kept from less."""
    BEHAVIOUR = "behaviour"
    """Nothing is refused, but something behaves differently."""
    COSMETIC = "cosmetic"
    """What works today works on."""

    @property
    def rank(self) -> int:
        """Return the place in the order from worst to best."""
        return list(Risk).index(self)


class About(StrEnum):
    """What a rule is about."""

    CRD = "crd"
    """What a CRD defines."""
    OBJECT = "object"
    """An object of any kind."""
    UPGRADE = "upgrade"
    """What the rule of upgrades of the same id finds, which `kitgen check` has too."""


class ChangeRule(Struct, frozen=True, eq=False, forbid_unknown_fields=True):
    """One kind of change, as changes.yaml describes it; code names it by its id."""

    risk: Risk
    """The risk unless the circumstances of the change say otherwise."""
    id: str
    reason: str
    felt_by: str
    about: About = About.CRD


@cache
def load_change_rules() -> dict[str, ChangeRule]:
    """Return every rule of changes by its id."""
    return {each.id: each for each in json.decode(read_rule_table().changes, type=tuple[ChangeRule, ...])}


UNPROVED = "not proved harmless"
"""What is said of a change that may be harmless, where that could not be proved."""


class ChangePlace(Struct, frozen=True, order=True):
    """A field of one version of an object; a fact of the object itself has no version."""

    object: str
    """Its name, such as that of a CRD."""
    version: str = ""
    path: str = ""
    former: str = ""
    """The version that objects come from, where it is about those that go from one to another."""

    @property
    def version_label(self) -> str:
        """Return the version, or both where objects go from one to another."""
        return f"{self.former} to {self.version}" if self.former else self.version


class Change(Struct, frozen=True, kw_only=True):
    """One change, told once for all the places that it is in."""

    rule: ChangeRule
    risk: Risk
    message: str
    reason: str
    felt_by: str
    places: tuple[ChangePlace, ...]
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
        same = (place.version_label for place in self.places if (place.object, place.path) == first)
        return tuple(dict.fromkeys(version for version in same if version))

    @property
    def place_count(self) -> int:
        """Count the places, versions apart."""
        return len({(place.object, place.path) for place in self.places})

    @property
    def id(self) -> str:
        """Return what an exception names: the same for the same change on every run."""
        if self.type_name:
            where = [self.type_name, self.type_path]
        else:
            more = f"+{self.place_count - 1}" if self.place_count > 1 else ""
            where = [self.object, "+".join(self.versions), f"{self.path}{more}"]
        # A type may change in a CRD that moves and in another one, which nobody accepted.
        apart = "declared" if self.accepted else ""
        return ":".join(part for part in (self.rule.id, *where, self.detail, apart) if part)


def build_change(
    place: ChangePlace,
    rule: str,
    message: str,
    *,
    risk: Risk | None = None,
    reason: str = "",
    felt_by: str = "",
    hint: str = "",
) -> Change:
    """Return what a rule says of a place; what is not given comes from the rule."""
    known = load_change_rules()[rule]
    return Change(
        rule=known,
        risk=risk or known.risk,
        message=message,
        reason=reason or known.reason,
        felt_by=felt_by or known.felt_by,
        places=(place,),
        hint=hint,
    )


def join_equal_changes(changes: Iterable[Change], order: Callable[[ChangePlace], Any]) -> tuple[Change, ...]:
    """Join equal changes of a group and of the versions of a field; what is accepted comes last."""
    groups = group_pairs((_equality_key(each), each) for each in changes)
    return tuple(sorted((_join_group(group, order) for group in groups.values()), key=_sort_key))


def _equality_key(change: Change) -> Hashable:
    """Return what equal changes have in common."""
    said = (change.rule, change.risk, change.message, change.detail, change.felt_by, change.accepted)
    return (*said, change.group or (change.object, change.path), change.type_path)


def _join_group(group: list[Change], order: Callable[[ChangePlace], Any]) -> Change:
    joined = replace(
        group[0],
        places=tuple(sorted({place for change in group for place in change.places}, key=order)),
        group=None,
    )
    return (
        joined if joined.type_name and joined.place_count > 1 else replace(joined, type_name="", type_path="")
    )


def _sort_key(change: Change) -> tuple[object, ...]:
    return (
        bool(change.accepted),
        change.risk.rank,
        change.object,
        change.path,
        change.rule.id,
        change.detail,
        change.versions,
        change.message,
    )


T = TypeVar("T")

ENOUGH = 200_000
"""About ten microseconds each."""


class GuessBudget:
    """What is left for guesses; without it, changes are told without them."""

    left = ENOUGH

    def try_spend(self, cost: int) -> bool:
        """Take what a guess costs; return whether there was enough left."""
        if cost > self.left:
            return False
        self.left -= cost
        return True

    def spend(self, cost: int) -> None:
        """Take what a guess has cost; the last one may cost more than is left."""
        self.left = max(self.left - cost, 0)


def limit_results(found: Iterable[T], most: int, noun: str) -> Iterator[T]:
    """Yield what was found; nobody reads more than so many, and they take time and space to write."""
    for number, each in enumerate(found):
        if number >= most:
            raise KitgenError(f"found more than {most:,} {noun}", hint="compare some objects at a time")
        yield each
