"""Prove that every object of today passes a CEL rule, from the schemas before and after.

An object of today has none of the fields that are new, but for those that a default fills in. An old
field that may be left out is thought of as there, then as not there. What cannot be proved is not so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import TypeAlias

from msgspec import Struct

from kitgen.cel.parse import CelError, Expr, parse_expression
from kitgen.compare.cel.symbolic_reading import Reading, Search
from kitgen.compare.cel.symbolic_values import FALSE, TRUE, ObjectPart, UndecidedError, Value, ValueState
from kitgen.crd.schema_nodes import SchemaNode

Names: TypeAlias = tuple[str, ...]


class Proof(Struct, frozen=True, kw_only=True):
    """Whether objects of today surely pass, and what new fields have to do with it."""

    held: bool
    fields: tuple[str, ...] = ()
    """New fields that were looked at: objects of today have none of them."""
    missed: tuple[str, ...] = ()
    """New fields that the rule reads without asking whether they are there, which is an error."""
    cost: int = 0
    """Steps that it took to read the rule and to compare patterns."""


def prove_rule(
    rule: str, old: SchemaNode, new: SchemaNode, *, given: Iterable[str] = (), root: bool = False
) -> Proof:
    """Return whether objects that the old schema and the given rules let pass surely pass a rule."""
    try:
        expression = parse_expression(rule)
        transition = "oldSelf" in expression.collect_names()
        # What a default fills in was not there when the rules of before were asked.
        filled = list(_find_changed_defaults(old, new))
        known = frozenset(
            each for each in _parse_known_rules(given, transition) if not _reads_any_field(each, filled)
        )
        search = Search(root=root, given=known, refusals=not transition)
        before = Search(root=root, given=frozenset(), refusals=False)
        held = all(
            value == TRUE or _is_refused_by(known, Reading(before, _bind_self_names(old, old), way.there))
            for value, way in Reading(search, _bind_self_names(old, new)).evaluate_cases(expression)
        )
    except (CelError, RecursionError):  # nobody writes what nests that deep
        return Proof(held=False)
    return Proof(
        held=held,
        fields=tuple(sorted(search.seen)),
        missed=tuple(sorted(search.missed)),
        cost=search.implications.cost + search.steps // 4,
    )


def _parse_known_rules(rules: Iterable[str], transition: bool) -> Iterable[Expr]:
    """Yield what is known to be true; a rule with oldSelf says nothing of objects that are created."""
    for rule in rules:
        try:
            read = parse_expression(rule)
        except CelError:
            continue
        if transition or "oldSelf" not in read.collect_names():
            yield read
            yield from read.parts if read.kind == "&&" else ()


def _find_changed_defaults(old: SchemaNode, new: SchemaNode, names: Names = ()) -> Iterator[Names]:
    """Yield the fields of before that have another default now, by the names on the way to them."""
    if old is new:
        return
    if old.facts.get("default") != new.facts.get("default"):
        yield names
    pairs: list[tuple[Names, SchemaNode | None, SchemaNode | None]]
    pairs = [((), old.items, new.items), ((), old.values, new.values)]
    pairs += [((name,), child, new.properties.get(name)) for name, child in old.properties.items()]
    for step, before, after in pairs:
        if before is not None and after is not None:
            yield from _find_changed_defaults(before, after, (*names, *step))


def _reads_any_field(expression: Expr, filled: list[Names]) -> bool:
    """Return whether an expression reads one of some fields, what is in it or what it is in."""
    names: Names = ()
    while expression.kind in ("field", "maybe-field"):
        names = (str(expression.value), *names)
        expression = expression.parts[0]
    if expression.kind == "name" and expression.value in ("self", "oldSelf"):
        return any(each[: len(names)] == names[: len(each)] for each in filled)
    return any(_reads_any_field(part, filled) for part in expression.parts)


def _bind_self_names(old: SchemaNode, new: SchemaNode) -> dict[str, Value]:
    return {name: ObjectPart(old, new, (name,)) for name in ("self", "oldSelf")}


def _is_refused_by(rules: Iterable[Expr], reading: Reading) -> bool:
    """Return whether rules refuse an object that has just the fields that are settled."""
    for rule in rules:
        with suppress(UndecidedError):
            if reading.evaluate(rule) in (FALSE, ValueState.ERROR):
                return True
    return False
