"""What can be asked for below a resource: Kubernetes' own, and what CRDs say of theirs."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TypeAlias

from kitgen.check.index import below, entries
from kitgen.findings import is_slip
from kitgen.load.served import EVERYWHERE, SUBRESOURCES
from kitgen.objects.rbac.rules import ALL
from kitgen.schema.wording import choice
from kitgen.yamlio import JsonObject

OF_CRDS = ("scale", "status")
Below: TypeAlias = dict[tuple[str, str], frozenset[str]]
"""Group and resource → what is below it."""


def declared_below(crds: Iterable[JsonObject]) -> Below:
    """Return what CRDs of any shape have below their resources, in any of their versions."""
    found: Below = {}
    for body in crds:
        key = (str(below(body, "spec", "group")), str(below(body, "spec", "names", "plural")))
        own = {
            each
            for _, version in entries(body, "spec", "versions")
            for each in OF_CRDS
            if isinstance(below(version, "subresources", each), dict)
        }
        found[key] = found.get(key, frozenset()) | own
    return found


def known_below(group: str, resource: str, declared: Below) -> Collection[str] | None:
    """Return what can be asked for below a resource; None if nobody knows."""
    if (group, resource) in declared:
        return declared[group, resource]
    return SUBRESOURCES[group].get(resource, ()) if group in SUBRESOURCES else None


def wrong_below(resource: str, known: Collection[str]) -> str | None:
    """Say what is meant instead of what stands below a resource; None if that is there."""
    name, _, inner = resource.partition("/")
    if inner in (*known, EVERYWHERE):
        return None
    there = {each: f"{name}/{each}" for each in sorted(known)}
    has = f"there is {choice([*there.values()], last='and')}" if there else "there is nothing below it"
    if inner == ALL:
        return f"a wildcard is no part of a name; {has}"
    word = inner.strip().casefold()
    meant = next((each for each in there if is_slip(word, each) or word.startswith(each)), None)
    return f"did you mean {there[meant]!r}?" if meant else has
