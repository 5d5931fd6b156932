"""The CRDs of other projects' kinds, expanded from what kitgen ships: each when it is asked for, once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from kitgen.crds import expand
from kitgen.crds.declare.parts import named
from kitgen.errors import KitgenError
from kitgen.findings import Finding, Origin
from kitgen.load.changing import change
from kitgen.load.merging import Said
from kitgen.schema import kinds
from kitgen.yamlio import JsonObject


def shipped_crd(group: str, kind: str, *, admitted: bool = False) -> JsonObject | None:
    """Return the CRD of a kind, if kitgen has it; callers share it and must not change it.

    If `admitted`, it is as the project's own admission makes it: some ask for more than the CRD says, and
    some fill in what it requires.
    """
    plural = kinds.plurals(group).get(kind)
    if plural is None:
        return None
    return _expanded(group, plural, admitted and plural in kinds.about(group).admission)


@cache
def _expanded(group: str, plural: str, admitted: bool) -> JsonObject:
    about = kinds.about(group)
    own, *others = [Said(kinds.declaration(group, name), Origin(name)) for name in _needed(group, plural)]
    wrong: list[Finding] = []
    if admitted:
        own, wrong = change(own, about.admission[plural], Origin(plural), "crd")
    made = expand([(each.origin, each.data) for each in (own, *others)], minor=about.minor)
    if found := [*wrong, *made.findings]:
        message = f"the declaration of {plural}.{group} is broken: {found[0].message}"
        raise KitgenError(message, hint="install kitgen again")
    return made.bodies[0]


def _needed(group: str, plural: str) -> list[str]:
    """Return a declaration and those that it takes parts of, by plural; it comes first."""
    found, todo = {plural: None}, [plural]
    while todo:
        for name in _used(kinds.declaration(group, todo.pop())):
            if name not in found:
                found[name] = None
                todo.append(name)
    return [*found]


def _used(declaration: JsonObject) -> Iterator[str]:
    for part in named(declaration, "$use"):
        yield part.partition("/")[0]
    if isinstance(types := declaration.get("types"), str):
        yield types
