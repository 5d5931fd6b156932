"""Write what somebody gained or lost in few words: those who have it by the same line together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeAlias

from kitgen.check.upgrade.causes import Place, role_of
from kitgen.check.upgrade.values import short
from kitgen.findings import Path
from kitgen.objects.rbac.access import ROLES, Holder
from kitgen.objects.rbac.changes import Grant
from kitgen.objects.rbac.rules import One, in_words
from kitgen.schema.wording import choice

MOST, MOST_PLACES, MOST_PEOPLE = 4, 2, 3
"""How many kinds of permissions, of namespaces and of people a message names."""
MOST_RESOURCES = 6
LOOKED_AT = 200
"""How many permissions are asked for their lines."""
Grants: TypeAlias = list[tuple[str | None, tuple[Grant, ...]]]
"""What somebody has, by where it counts."""
Cause: TypeAlias = Callable[[Grant, Holder], Place | None]
Told: TypeAlias = tuple[Place, str, str]
"""Where, to whom, what."""


def together(
    found: dict[Holder, Grants], cause: Cause, kept: Mapping[Holder, Grants] | None = None
) -> Iterator[Told]:
    """Yield what changed for people in few words, and what is kept; those of the same line together."""
    alike: dict[tuple[int, Path, str], tuple[Place, list[Holder]]] = {}
    for holder, scopes in found.items():
        if place := _first(holder, scopes, cause):
            what, rest = (_all(some, holder) for some in (scopes, (kept or {}).get(holder, [])))
            what += f"; kept: {rest}" if rest else ""
            alike.setdefault((id(place[0].body), place[1], what), (place, []))[1].append(holder)
    for (*_, what), (place, some) in alike.items():
        people = [short(each) for each in some if each.kind not in ROLES]
        roles = [short(each) for each in some if each.kind in ROLES and each != Holder(*role_of(place[0]))]
        people += [f"whoever has the {choice(roles, most=MOST_PEOPLE)}"] if roles else []
        whom = f" to {choice(people, last='and', most=MOST_PEOPLE)}" if people else ""
        yield place, whom, what


def _all(scopes: Grants, holder: Holder) -> str:
    said = [_said(*each, holder) for each in scopes]
    more = f" and in {len(said) - MOST_PLACES} more" if len(said) > MOST_PLACES else ""
    return " and ".join(said[:MOST_PLACES]) + more


def _first(holder: Holder, scopes: Grants, cause: Cause) -> Place | None:
    """Return the first line behind what changed, in the object that has most to do with it."""
    grants = (grant for _, some in scopes for grant in some)
    places = [place for each in islice(grants, LOOKED_AT) if (place := cause(each, holder))]
    if not places:
        return None
    counts = Counter(id(manifest.body) for manifest, _ in places)
    most = max(counts.values())
    own = next(id(each.body) for each, _ in places if counts[id(each.body)] == most)
    paths = {path: manifest for manifest, path in places if id(manifest.body) == own}
    above = {path[:size] for path in paths for size in range(len(path))}
    first = min(({*paths} - above), key=lambda path: [(str(type(step)), step) for step in path])
    return paths[first], first


def _said(where: str | None, grants: Sequence[Grant], holder: Holder) -> str:
    """Write permissions in few words, and where they count."""
    verbs: dict[One, list[str]] = {}
    for each in grants:
        verbs.setdefault(each.one._replace(verb=""), []).append(each.one.verb)
    alike: dict[tuple[str, str], list[str]] = {}
    for one in sorted(verbs):
        group, _, resource = ("", "", one.url) if one.url else one.what.partition("/")
        alike.setdefault((group, in_words(verbs[one])), []).append(resource)
    said = [
        f"{group}{'/' * bool(group)}{_some(resources)} ({words})"
        for (group, words), resources in alike.items()
    ]
    place = "" if holder.kind in ROLES else f" {_place(where)}"
    return choice(said, last="and", most=MOST) + place


def _some(resources: Sequence[str]) -> str:
    more = f",… {len(resources) - MOST_RESOURCES} more" if len(resources) > MOST_RESOURCES else ""
    return ",".join(map(short, resources[:MOST_RESOURCES])) + more


def _place(where: str | None) -> str:
    return "in the whole cluster" if where is None else f"in {short(where)}" if where else "in its namespace"
