"""Where the comparison of two CRDs stands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from kitgen.crds.outline.nodes import Node
from kitgen.diff.change import Change, Place
from kitgen.diff.patience import Patience
from kitgen.diff.risk import ChangeRule, Risk

RulePair: TypeAlias = tuple[ChangeRule, ChangeRule]
"""What it is called that something is new, and that it is gone."""
USERS = "users who set it"
OMITTERS = "users who leave it out"
AUTHORS = "users who write the object"
READERS = "clients that read it"
STORED = "stored objects"
OPERATOR = "the operator"
STATUS = dict.fromkeys((USERS, OMITTERS, AUTHORS), "the operator that writes it and clients that read it")
"""Who feels a change in the status instead of those who write the rest."""


class Spot(Struct, frozen=True, kw_only=True):
    """Where the walk stands: the place, and the pair of types that holds it."""

    place: Place
    owner: tuple[Node, Node] | None = None
    within: str = ""
    top: str = ""
    """The first step of the path."""
    patience: Patience = field(default_factory=Patience)
    """One for a whole comparison."""

    @property
    def type_name(self) -> str:
        """Return the name of the type that holds the place, if it has one."""
        return (self.owner[0].name or self.owner[1].name) if self.owner else ""

    def step(self, text: str) -> Spot:
        """Return the spot below this one."""
        place = replace(self.place, path=self.place.path + text)
        return replace(self, place=place, within=self.within + text, top=self.top or text)

    def enter(self, old: Node, new: Node) -> Spot:
        """Return the spot inside a type: a named one, or any object that no named one holds."""
        if old.name or new.name or not self.type_name:
            return replace(self, owner=(old, new), within="")
        return self

    def entries(
        self, rules: RulePair, old: Iterable[str], new: Iterable[str], *, shown: Callable[[str], str] = str
    ) -> Iterator[Change]:
        """Yield a change for each entry that only one side has."""
        added, removed = rules
        past, present = dict.fromkeys(old), dict.fromkeys(new)
        for name in (name for name in past if name not in present):
            yield self.change(removed, f"{shown(name)} is gone", detail=name)
        for name in (name for name in present if name not in past):
            yield self.change(added, f"{shown(name)} is new", detail=name)

    def change(
        self,
        rule: ChangeRule,
        message: str,
        *,
        risk: Risk | None = None,
        reason: str = "",
        felt_by: str = "",
        detail: str = "",
        hint: str = "",
    ) -> Change:
        """Return a change at this spot; what is not said comes from the rule."""
        who = felt_by or rule.felt_by
        return Change(
            rule=rule,
            places=(self.place,),
            message=message,
            risk=risk or rule.risk,
            reason=reason or rule.reason,
            felt_by=STATUS.get(who, who) if self.top == ".status" else who,
            detail=detail,
            hint=hint,
            group=self.owner,  # equal pairs of types change in the same way everywhere
            type_name=self.type_name,
            type_path=self.within,
        )
