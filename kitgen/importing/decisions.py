"""Decide which owner sets one place of a spec, so that every tree gets its value."""

from __future__ import annotations

from collections.abc import Mapping

from kitgen.compare.objects.difference import ABSENT
from kitgen.importing.places import COMPONENT, Owner, Solution, SpecPlace, Value, format_verbs, parse_verbs


def decide_value(place: SpecPlace, home: Owner, made: Solution, *, exclusive: bool) -> None:
    """Decide on a value that the last layer says, or that only one may say."""
    if _is_place_satisfied(place, exclusive=exclusive):
        return
    if len(wants := place.list_wanted_values(place.wanted)) == 1:
        _decide_common_value(place, wants[0], home, made, exclusive=exclusive)
        return
    got = _decide_feature_values(place, made)
    rest = [who for who in place.wanted if who not in got]
    now: Value = ABSENT
    if rest and not exclusive and all(place.wanted[who] is not ABSENT for who in rest):
        now = place.wanted[rest[0]]  # the component's own tree comes first
    _set_component_value(place, now, made)
    for value in wants:
        lacking = frozenset(
            who for who, want in place.wanted.items() if want == value and got.get(who, now) != value
        )
        if value is not ABSENT and lacking:
            made.set_value(home if lacking in (home, place.trees_with_value) else lacking, place.path, value)


def _decide_common_value(
    place: SpecPlace, value: Value, home: Owner, made: Solution, *, exclusive: bool
) -> None:
    """Decide on what all trees want: the component says it, or a feature that is on for all and said it."""
    everywhere = [each for each in place.features if place.on[each] == place.trees]
    owner: Owner = everywhere[-1] if everywhere else home if not place.owners else COMPONENT
    for each, said in place.owners.items():
        if value is ABSENT or (each != owner and (each != COMPONENT or exclusive)):
            made.drop_value(each, place.path)
        elif each == owner and said != value:
            made.set_value(each, place.path, value)
    if value is not ABSENT and owner not in place.owners:
        made.set_value(owner, place.path, value)


def _decide_feature_values(place: SpecPlace, made: Solution) -> dict[str, Value]:
    """Keep in features what all their trees want, changed if need be; return what trees get."""
    got: dict[str, Value] = {}
    for owner in place.features:
        trees = place.on[owner]
        if len(wants := place.list_wanted_values(sorted(trees))) > 1 or wants[0] is ABSENT:
            made.drop_value(owner, place.path)
            continue
        if wants[0] != place.owners[owner]:
            made.set_value(owner, place.path, wants[0])
        got |= dict.fromkeys(trees, wants[0])
    return got


def _is_place_satisfied(place: SpecPlace, *, exclusive: bool) -> bool:
    """Return whether the older spec gives every tree what it wants."""
    return all(
        (said[-1][1] if said else ABSENT) == place.wanted[who] and not (exclusive and len(said) > 1)
        for who, said in place.said.items()
    )


def _set_component_value(place: SpecPlace, now: Value, made: Solution) -> None:
    """Make the component say a value, or no longer say it."""
    base = place.owners.get(COMPONENT, ABSENT)
    if now is ABSENT and base is not ABSENT:
        made.drop_value(COMPONENT, place.path)
    elif now is not ABSENT and now != base:
        made.set_value(COMPONENT, place.path, now)


def decide_verbs(place: SpecPlace, home: Owner, made: Solution) -> None:
    """Decide on verbs, which add up; what a target lacks of the component's is withheld from it."""
    wanted = {who: parse_verbs(value) for who, value in place.wanted.items()}
    if all(wanted[who] == set[str]().union(*(parse_verbs(v) for _, v in place.said[who])) for who in wanted):
        return
    got = _decide_feature_verbs(place, wanted, made)
    base = parse_verbs(place.owners.get(COMPONENT, ABSENT))
    own = next(iter(wanted))
    now = set[str]() if not base and home != COMPONENT else wanted[own] - got[own]
    if now != base:
        _set_component_value(place, format_verbs(now) if now else ABSENT, made)
    more: dict[str, list[str]] = {}
    for who, verbs in wanted.items():
        if extra := verbs - got[who] - now:
            more.setdefault(format_verbs(extra), []).append(who)
        if lacking := now - verbs:
            made.withheld.setdefault(who, {})[place.path] = format_verbs(lacking)
    for words, trees in more.items():
        feature = isinstance(home, str) and home != COMPONENT
        made.set_value(home if feature else frozenset(trees), place.path, words)


def _decide_feature_verbs(
    place: SpecPlace, wanted: Mapping[str, set[str]], made: Solution
) -> dict[str, set[str]]:
    """Keep in features what their trees want granted, unless all trees want it; return what trees get."""
    got: dict[str, set[str]] = {who: set() for who in wanted}
    for owner in place.features:
        verbs, trees = parse_verbs(place.owners[owner]), place.on[owner]
        others = [who for who in wanted if who not in trees]
        needed = not others or not all(verbs <= wanted[who] for who in others)
        kept = verbs.intersection(*(wanted[who] for who in trees)) if needed else set[str]()
        if not kept:
            made.drop_value(owner, place.path)
        elif kept != verbs:
            made.set_value(owner, place.path, format_verbs(kept))
        for who in trees:
            got[who] |= kept
    return got
