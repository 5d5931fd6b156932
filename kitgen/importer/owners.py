"""Who says what in a spec: owners, what each says and no longer says, and one place over all trees."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from msgspec import Struct, field

from kitgen.diff.objects import ABSENT, Absent
from kitgen.findings import Path
from kitgen.yamlio import Json

Group: TypeAlias = frozenset[str]
"""Trees that a new feature is for, each by its target; empty for the component by itself."""
Owner: TypeAlias = str | Group
"""The component is the empty name, a feature goes by its own; a new one by its trees."""
Value: TypeAlias = Json | Absent
COMPONENT = ""


class Edit(Struct, frozen=True, kw_only=True):
    """What an owner says now, and no longer says."""

    new: dict[Path, Json] = field(default_factory=dict)
    gone: dict[Path, None] = field(default_factory=dict)


class Solution(Struct, frozen=True, kw_only=True):
    """All edits, and what targets are denied."""

    own: Mapping[Path, Json] = field(default_factory=dict)
    """What the component says in the older spec."""
    edits: dict[Owner, Edit] = field(default_factory=dict)
    withheld: dict[str, dict[Path, Json]] = field(default_factory=dict)
    """Target → permissions that the component grants and the target does not have."""
    kept: dict[str, dict[Path, Json]] = field(default_factory=dict)
    """Target → permissions for objects with a name that it has instead of those."""
    switched: dict[str, dict[str, bool]] = field(default_factory=dict)
    """Target → features of the older spec that it turns on, since they say what it wants by now."""

    def say(self, owner: Owner, path: Path, value: Json) -> None:
        """Note that an owner says something."""
        self.edits.setdefault(owner, Edit()).new[path] = value

    def is_default(self, owner: Owner) -> bool:
        """Tell whether a new feature is on by itself: all it says, the component or its own tree says.

        What only some trees still have of the component, targets without a tree keep.
        """
        if isinstance(owner, str):
            return False
        gone = self.edits[COMPONENT].gone if COMPONENT in self.edits else {}
        new = self.edits[owner].new.items()
        return COMPONENT in owner or all(path in gone and self.own.get(path) == value for path, value in new)

    def drop(self, owner: Owner, path: Path) -> None:
        """Note that an owner says something no longer."""
        self.edits.setdefault(owner, Edit()).gone[path] = None


class Place(Struct, frozen=True, kw_only=True):
    """One place over all trees."""

    path: Path
    wanted: dict[str, Value]
    said: dict[str, list[tuple[str, Json]]]
    on: Mapping[str, Group]

    @property
    def trees(self) -> Group:
        """Return all trees."""
        return frozenset(self.wanted)

    @property
    def owners(self) -> dict[str, Json]:
        """Return who says the place in an older spec, and what."""
        return {owner: value for some in self.said.values() for owner, value in some}

    @property
    def features(self) -> list[str]:
        """Return the features that say the place in an older spec."""
        return [owner for owner in self.owners if owner != COMPONENT]

    def wants(self, trees: Iterable[str]) -> list[Value]:
        """Return the values that some trees want, each once."""
        found: list[Value] = []
        for tree in trees:
            if self.wanted[tree] not in found:
                found.append(self.wanted[tree])
        return found

    @property
    def have(self) -> Group:
        """Return the trees that have something there."""
        return frozenset(who for who, value in self.wanted.items() if value is not ABSENT)
