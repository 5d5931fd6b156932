"""Decide which owner sets one place of a spec, so that every tree gets its value."""

from __future__ import annotations

from collections.abc import Mapping

from kitgen.compare.objects.difference import ABSENT
from kitgen.importing.places import COMPONENT, Owner, Solution, SpecPlace, Value, in_order, verbs_of


def decide_value(place: SpecPlace, home: Owner, made: Solution, *, exclusive: bool) -> None:
    """Decide on a value that the last layer says, or that only one may say."""
    if _is_settled(place, exclusive=exclusive):
        return
    if len(wants := place.wants(place.wanted)) == 1:
        _common(place, wants[0], home, made, exclusive=exclusive)
        return
    got = _kept(place, made)
    rest = [who for who in place.wanted if who not in got]
    now: Value = ABSENT
    if rest and not exclusive and all(place.wanted[who] is not ABSENT for who in rest):
        now = place.wanted[rest[0]]  # the component's own tree comes first
    _put(place, now, made)
    for value in wants:
        lacking = frozenset(
            who for who, want in place.wanted.items() if want == value and got.get(who, now) != value
        )
        if value is not ABSENT and lacking:
            made.say(home if lacking in (home, place.have) else lacking, place.path, value)


def _common(place: SpecPlace, value: Value, home: Owner, made: Solution, *, exclusive: bool) -> None:
    """Decide on what all trees want: the component says it, or a feature that is on for all and said it."""
    everywhere = [each for each in place.features if place.on[each] == place.trees]
    owner: Owner = everywhere[-1] if everywhere else home if not place.owners else COMPONENT
    for each, said in place.owners.items():
        if value is ABSENT or (each != owner and (each != COMPONENT or exclusive)):
            made.drop(each, place.path)
        elif each == owner and said != value:
            made.say(each, place.path, value)
    if value is not ABSENT and owner not in place.owners:
        made.say(owner, place.path, value)


def _kept(place: SpecPlace, made: Solution) -> dict[str, Value]:
    """Keep in features what all their trees want, changed if need be; return what trees get."""
    got: dict[str, Value] = {}
    for owner in place.features:
        trees = place.on[owner]
        if len(wants := place.wants(sorted(trees))) > 1 or wants[0] is ABSENT:
            made.drop(owner, place.path)
            continue
        if wants[0] != place.owners[owner]:
            made.say(owner, place.path, wants[0])
        got |= dict.fromkeys(trees, wants[0])
    return got


def _is_settled(place: SpecPlace, *, exclusive: bool) -> bool:
    """Return whether the older spec gives every tree what it wants."""
    return all(
        (said[-1][1] if said else ABSENT) == place.wanted[who] and not (exclusive and len(said) > 1)
        for who, said in place.said.items()
    )


def _put(place: SpecPlace, now: Value, made: Solution) -> None:
    """Make the component say a value, or no longer say it."""
    base = place.owners.get(COMPONENT, ABSENT)
    if now is ABSENT and base is not ABSENT:
        made.drop(COMPONENT, place.path)
    elif now is not ABSENT and now != base:
        made.say(COMPONENT, place.path, now)


def decide_verbs(place: SpecPlace, home: Owner, made: Solution) -> None:
    """Decide on verbs, which add up; what a target lacks of the component's is withheld from it."""
    wanted = {who: verbs_of(value) for who, value in place.wanted.items()}
    if all(wanted[who] == set[str]().union(*(verbs_of(v) for _, v in place.said[who])) for who in wanted):
        return
    got = _granted(place, wanted, made)
    base = verbs_of(place.owners.get(COMPONENT, ABSENT))
    own = next(iter(wanted))
    now = set[str]() if not base and home != COMPONENT else wanted[own] - got[own]
    if now != base:
        _put(place, in_order(now) if now else ABSENT, made)
    more: dict[str, list[str]] = {}
    for who, verbs in wanted.items():
        if extra := verbs - got[who] - now:
            more.setdefault(in_order(extra), []).append(who)
        if lacking := now - verbs:
            made.withheld.setdefault(who, {})[place.path] = in_order(lacking)
    for words, trees in more.items():
        feature = isinstance(home, str) and home != COMPONENT
        made.say(home if feature else frozenset(trees), place.path, words)


def _granted(place: SpecPlace, wanted: Mapping[str, set[str]], made: Solution) -> dict[str, set[str]]:
    """Keep in features what their trees want granted, unless all trees want it; return what trees get."""
    got: dict[str, set[str]] = {who: set() for who in wanted}
    for owner in place.features:
        verbs, trees = verbs_of(place.owners[owner]), place.on[owner]
        others = [who for who in wanted if who not in trees]
        needed = not others or not all(verbs <= wanted[who] for who in others)
        kept = verbs.intersection(*(wanted[who] for who in trees)) if needed else set[str]()
        if not kept:
            made.drop(owner, place.path)
        elif kept != verbs:
            made.say(owner, place.path, in_order(kept))
        for who in trees:
            got[who] |= kept
    return got
