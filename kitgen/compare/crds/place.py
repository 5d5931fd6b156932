"""Where the comparison of two CRDs stands, and what the fields of a migration say of a place in a schema."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from kitgen.compare.change import Change, ChangePlace, GuessBudget, Risk, build_change
from kitgen.crd.schema_nodes import SchemaNode
from kitgen.kit.model.migration import MovedField
from kitgen.text.values import map_at, value_at
from kitgen.text.yaml import Json

RulePair: TypeAlias = tuple[str, str]
"""What it is called that something is new, and that it is gone."""
USERS = "users who set it"
OMITTERS = "users who leave it out"
AUTHORS = "users who write the object"
READERS = "clients that read it"
STORED = "stored objects"
STATUS = dict.fromkeys((USERS, OMITTERS, AUTHORS), "the operator that writes it and clients that read it")
"""Who feels a change in the status instead of those who write the rest."""


class CrdCursor(Struct, frozen=True, kw_only=True):
    """Where the walk stands: the place, and the pair of types that holds it."""

    place: ChangePlace
    owner: tuple[SchemaNode, SchemaNode] | None = None
    within: str = ""
    top: str = ""
    """The first step of the path."""
    patience: GuessBudget = field(default_factory=GuessBudget)
    """One for a whole comparison."""
    known: dict[Hashable, tuple[str, list[Change]]] = field(default_factory=dict)
    """Pair of types → the path where it was met first, and what changes there; one for a whole comparison."""

    @property
    def type_name(self) -> str:
        """Return the name of the type that holds the place, if it has one."""
        return (self.owner[0].name or self.owner[1].name) if self.owner else ""

    def descend(self, text: str) -> CrdCursor:
        """Return the spot below this one."""
        return replace(
            self,
            place=replace(self.place, path=self.place.path + text),
            within=self.within + text,
            top=self.top or text,
        )

    def enter_type(self, old: SchemaNode, new: SchemaNode) -> CrdCursor:
        """Return the spot inside a type: a named one, or any object that no named one holds."""
        if old.name or new.name or not self.type_name:
            return replace(self, owner=(old, new), within="")
        return self

    def repeat_change(self, change: Change, path: str) -> Change:
        """Return a change at or below a path as one at or below this spot."""
        below = change.places[0].path[len(path) :]
        return replace(change, places=(replace(self.place, path=self.place.path + below),))

    def compare_entries(
        self, rules: RulePair, old: Iterable[str], new: Iterable[str], *, shown: Callable[[str], str] = str
    ) -> Iterator[Change]:
        """Yield a change for each entry that only one side has."""
        added, removed = rules
        past, present = dict.fromkeys(old), dict.fromkeys(new)
        gone = (name for name in past if name not in present)
        yield from (self.build_change(removed, f"{shown(name)} is gone", detail=name) for name in gone)
        come = (name for name in present if name not in past)
        yield from (self.build_change(added, f"{shown(name)} is new", detail=name) for name in come)

    def build_change(
        self,
        rule: str,
        message: str,
        *,
        risk: Risk | None = None,
        reason: str = "",
        felt_by: str = "",
        detail: str = "",
        hint: str = "",
    ) -> Change:
        """Return a change at this spot; what is not said comes from the rule."""
        found = build_change(self.place, rule, message, risk=risk, reason=reason, felt_by=felt_by, hint=hint)
        return replace(
            found,
            felt_by=STATUS.get(found.felt_by, found.felt_by) if self.top == ".status" else found.felt_by,
            detail=detail,
            group=self.owner,  # equal pairs of types change in the same way everywhere
            type_name=self.type_name,
            type_path=self.within,
        )


ELSEWHERE = "the fields below it are said to move, or to be lost"


def describe_field_move(path: str, fields: Sequence[MovedField], schema: Json) -> str:
    """Return what becomes of a field, by its own word, by one above it, or by all below it.

    The schema is that of the old kind. Nothing is said of a field that stays where it is: what changes in it
    is not what the migration is for.
    """
    going = [each for each in fields if each.field != each.to]
    for each in going:
        if _is_below(path, _format_path(each.field)) or (each.to and _is_below(path, _format_path(each.to))):
            return each.lost or f"{'.'.join(each.field)} moves to {'.'.join(each.to)}"
    came = any(each.to and _is_below(_format_path(each.to), path) for each in going)
    gone = _schema_at(schema, path)
    ways = [_format_path(each.field) for each in going]
    return ELSEWHERE if (gone is None and came) or _covers_all_fields(gone, path, ways) else ""


def _schema_at(schema: Json, path: str) -> Json:
    """Return the schema of a field, if there is one."""
    for step in path.replace("[]", ".[]").split(".")[1:]:
        schema = value_at(schema, "items") if step == "[]" else value_at(schema, "properties", step)
    return schema


def _covers_all_fields(schema: Json, path: str, ways: Sequence[str]) -> bool:
    """Return whether something is said of every field at or below a place."""
    if any(_is_below(path, way) for way in ways):
        return True
    if not any(_is_below(way, path) for way in ways):
        return False
    parts = {f".{key}": each for key, each in map_at(schema, "properties").items()}
    parts |= {"[]": items} if isinstance(items := value_at(schema, "items"), dict) else {}
    return bool(parts) and all(_covers_all_fields(each, path + step, ways) for step, each in parts.items())


def _is_below(path: str, way: str) -> bool:
    return path == way or path.startswith((f"{way}.", f"{way}[", f"{way}{{"))


def _format_path(steps: tuple[str, ...]) -> str:
    return "".join(each if each == "[]" else f".{each}" for each in steps)
