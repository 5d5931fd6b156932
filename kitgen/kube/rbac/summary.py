"""Summarise permissions in few lines: resources with the same verbs share one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from kitgen.kube.rbac.rules import ALL, Permit
from kitgen.text.values import group_pairs

MOST = 5_000
"""Of how many resources and objects a rule is taken apart."""


class GrantedRules(NamedTuple):
    """Rules that somebody has."""

    where: str | None
    """The namespace that they count in; None for all of the cluster."""
    role: str
    through: str
    """The group that he has them by; empty if they are his own."""
    permits: Iterable[Permit]


class AccessLine(NamedTuple):
    """Verbs for some resources of a group, for some objects among them, or for URLs."""

    where: str | None
    group: str
    resources: tuple[str, ...]
    names: tuple[str, ...]
    urls: tuple[str, ...]
    verbs: tuple[str, ...]
    roles: tuple[str, ...]
    through: str


class _Spot(NamedTuple):
    """What a verb may be for, and how somebody has it."""

    where: str | None
    through: str
    group: str
    resource: str
    name: str
    url: str


class _Held(NamedTuple):
    verbs: tuple[str, ...]
    roles: tuple[str, ...]


def summarize_rules(given: Iterable[GrantedRules]) -> list[AccessLine]:
    """Return what rules come to, each thing once, what counts everywhere first."""
    lines: list[AccessLine] = []
    verbs: dict[_Spot, set[str]] = {}
    roles: dict[_Spot, dict[str, None]] = {}
    for each in given:
        for permit in each.permits:
            if permit.size > MOST:
                lines.append(_summarize_large_rule(each, permit))
                continue
            for things in permit.expand():
                spot = _Spot(each.where, each.through, *things)
                verbs.setdefault(spot, set()).update(permit.verbs)
                roles.setdefault(spot, {})[each.role] = None
    held = {
        spot: _Held(left, tuple(sorted(roles[spot])))
        for spot in verbs
        if (left := _drop_implied_verbs(spot, verbs))
    }
    return sorted([*lines, *_group_permissions(held)], key=_sort_key)


def _drop_implied_verbs(spot: _Spot, verbs: Mapping[_Spot, set[str]]) -> tuple[str, ...]:
    """Return the verbs that somebody has not for more than this already."""
    wider = {
        spot._replace(where=where, through=through, name=name)
        for where in (spot.where, None)
        for through in (spot.through, "")
        for name in (spot.name, "")
    } - {spot}
    found = verbs[spot].difference(*(verbs.get(each, ()) for each in wider))
    if any(ALL in verbs.get(each, ()) for each in wider):
        return ()
    return (ALL,) if ALL in found else tuple(sorted(found))


def _group_permissions(held: Mapping[_Spot, _Held]) -> Iterator[AccessLine]:
    """Yield permissions in lines: objects of one resource, then resources of one group, together."""
    objects = group_pairs(
        ((spot._replace(name="", url=""), each), spot.name or spot.url) for spot, each in held.items()
    )
    resources = group_pairs(
        ((spot._replace(resource=""), each, tuple(sorted(filter(None, names)))), spot.resource)
        for (spot, each), names in objects.items()
    )
    for (spot, each, only), found in resources.items():
        urls = not any(found)
        yield AccessLine(
            where=spot.where,
            group=spot.group,
            resources=() if urls else tuple(sorted(found)),
            names=() if urls else only,
            urls=only if urls else (),
            verbs=each.verbs,
            roles=each.roles,
            through=spot.through,
        )


def _summarize_large_rule(given: GrantedRules, permit: Permit) -> AccessLine:
    """Write a rule that is too large to be taken apart."""
    return AccessLine(
        where=given.where,
        group=", ".join(dict.fromkeys(each or "core" for each in permit.groups)),
        resources=tuple(dict.fromkeys(permit.resources)),
        names=tuple(dict.fromkeys(permit.names)),
        urls=tuple(dict.fromkeys(permit.urls)),
        verbs=tuple(sorted({*permit.verbs})),
        roles=(given.role,),
        through=given.through,
    )


def _sort_key(line: AccessLine) -> tuple[object, ...]:
    where = (line.where is not None, line.where or "")
    return (*where, line.through, bool(line.urls), line.group, line.resources, line.names, line.verbs)
