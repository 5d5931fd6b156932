"""Prove that every object of today passes a CEL rule, from the schemas before and after.

An object of today has none of the fields that are new, but for those that a default fills in. An old
field that may be left out is thought of as there, then as not there. What cannot be proved is not so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kitgen.crds.cel.parse import CelError, Expr, parse
from kitgen.crds.cel.reading import Reading, RefusedError, Search, UndecidedError
from kitgen.crds.cel.values import TRUE, Part, Steps, Value
from kitgen.crds.outline.nodes import Node


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """Whether objects of today surely pass, and what new fields have to do with it."""

    held: bool
    fields: tuple[str, ...] = ()
    """New fields that were looked at: objects of today have none of them."""
    missed: tuple[str, ...] = ()
    """New fields that the rule reads without asking whether they are there, which is an error."""


def prove(rule: str, old: Node, new: Node, *, given: Iterable[str] = (), root: bool = False) -> Proof:
    """Tell whether objects that the old schema and the given rules let pass surely pass a rule."""
    try:
        expression = parse(rule)
        transition = "oldSelf" in expression.names()
        search = Search(root=root, given=frozenset(_known(given, transition)), refusals=not transition)
        names = {name: Part(old, new, (name,)) for name in ("self", "oldSelf")}
        held = _holds(expression, names, {}, search)
    except (CelError, RecursionError):  # nobody writes what nests that deep
        return Proof(held=False)
    return Proof(held=held, fields=tuple(sorted(search.seen)), missed=tuple(sorted(search.missed)))


def _known(rules: Iterable[str], transition: bool) -> Iterable[Expr]:
    """Yield what is known to be true; a rule with oldSelf says nothing of objects that are created."""
    for rule in rules:
        try:
            read = parse(rule)
        except CelError:
            continue
        if transition or "oldSelf" not in read.names():
            yield read
            yield from read.parts if read.kind == "&&" else ()


def _holds(expression: Expr, names: Mapping[str, Value], there: Mapping[Steps, bool], search: Search) -> bool:
    """Tell whether an expression is true, whichever of the old fields are there."""
    if search.spent():
        return False
    try:
        return Reading(search, names, there).value(expression) == TRUE
    except RefusedError:
        return True
    except UndecidedError as asked:
        ways = ({**there, asked.steps: present} for present in (True, False))
        return all(_holds(expression, names, way, search) for way in ways)
