"""Permissions by what they grant: how rules are grouped does not count."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from kitgen.diff.objects.difference import ABSENT
from kitgen.diff.objects.spot import Spot, Told
from kitgen.yamlio import Json, JsonObject


def grants(rules: Json) -> dict[str, dict[str, int]]:
    """Return what rules permit: resource, with the name of an object behind it → verb → the rule's index."""
    found: dict[str, dict[str, int]] = {}
    for index, rule in enumerate(rules if isinstance(rules, list) else ()):
        if isinstance(rule, dict):
            for what, verb in _granted(rule):
                found.setdefault(what, {}).setdefault(verb, index)
    return found


def _granted(rule: JsonObject) -> Iterator[tuple[str, str]]:
    verbs = _texts(rule, "verbs")
    names = _texts(rule, "resourceNames") or [""]
    for group, resource, name, verb in product(
        _texts(rule, "apiGroups"), _texts(rule, "resources"), names, verbs
    ):
        yield f"{group or 'core'}/{resource}{f'[{name}]' if name else ''}", verb
    yield from product(_texts(rule, "nonResourceURLs"), verbs)


def _texts(rule: JsonObject, key: str) -> list[str]:
    value: Json = rule.get(key)
    return [str(each or "") for each in value] if isinstance(value, list) else []


def compare_rules(left: Json, right: Json, spot: Spot) -> Iterator[Told]:
    """Yield a difference for every resource on which the rules do not grant the same."""
    mine, other = grants(left), grants(right)
    for what in sorted(mine.keys() | other.keys()):
        had, has = mine.get(what, {}), other.get(what, {})
        if had.keys() == has.keys():
            continue
        surplus = [index for verb, index in had.items() if verb not in has]
        index = next(iter(surplus or had.values()), -1)
        values = [" ".join(sorted(verbs)) if verbs else ABSENT for verbs in (had, has)]
        yield Told(spot.item(index, what), values[0], values[1])
