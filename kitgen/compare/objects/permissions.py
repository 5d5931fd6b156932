"""Permissions by what they grant: how rules are grouped does not count."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from kitgen.compare.objects.difference import ABSENT, Found, ObjectPlace, PlacedDifference
from kitgen.compare.objects.values import compare_values
from kitgen.text.wording import text_of
from kitgen.text.yaml import Json, JsonObject

CORE = "core"
"""What the group is called that has no name."""
FIELDS = ("clusterPermissions", "permissions")
"""Where a ClusterServiceVersion has permissions, by service account."""
MOST = 50_000
"""How many single permissions rules are taken apart into; those with more are compared as they stand."""


def grants(rules: list[JsonObject]) -> dict[str, dict[str, int]]:
    """Return what rules permit: resource, object or URL → verb → index of the first rule that grants it."""
    found: dict[str, dict[str, int]] = {}
    for index, rule in enumerate(rules):
        for what, verb in _granted(rule):
            found.setdefault(what, {}).setdefault(verb, index)
    return found


def _granted(rule: JsonObject) -> Iterator[tuple[str, str]]:
    verbs = _texts(rule, "verbs")
    names = [f"[{name}]" for name in _texts(rule, "resourceNames")] or [""]
    groups = [_group(name) for name in _texts(rule, "apiGroups")]
    for group, resource, name, verb in product(groups, _texts(rule, "resources"), names, verbs):
        yield f"{group}/{resource}{name}", verb
    yield from product(_texts(rule, "nonResourceURLs"), verbs)


def _group(name: str) -> str:
    """Return what a group is called; one that is really called core is another, and a mistake."""
    return repr(name) if name == CORE else name or CORE


def _texts(rule: JsonObject, key: str) -> list[str]:
    value: Json = rule.get(key)
    if isinstance(value, list):
        return ["" if each is None else text_of(each) for each in value]
    return [text_of(value)] if value else []


def compare_rules(left: Found, right: Found, spot: ObjectPlace) -> Iterator[PlacedDifference]:
    """Yield a difference for every resource on which the rules do not grant the same."""
    if not (_is_rules(left) and _is_rules(right)):
        yield from compare_values(left, right, spot)
        return
    mine, other = (grants(_items(each)) for each in (left, right))
    for what in sorted(mine.keys() | other.keys()):
        had, has = mine.get(what, {}), other.get(what, {})
        if had.keys() != has.keys():
            surplus = [index for verb, index in had.items() if verb not in has]
            index = next(iter(surplus or had.values()), -1)
            yield PlacedDifference(spot.item(index, what), _verbs(had), _verbs(has))


def _items(rules: Found) -> list[JsonObject]:
    return rules if isinstance(rules, list) else []


def _is_rules(value: Found) -> bool:
    """Tell whether rules have the form of such, and can be taken apart; none at all grant nothing."""
    return value in (None, ABSENT) or (_is_list(value) and sum(map(_size, _items(value))) <= MOST)


def _size(rule: JsonObject) -> int:
    """Return how many single permissions a rule comes to."""
    keys = ("verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs")
    verbs, groups, resources, names, urls = (len(_texts(rule, key)) for key in keys)
    return verbs * (groups * resources * max(names, 1) + urls)


def _is_list(value: Found) -> bool:
    return isinstance(value, list) and all(isinstance(each, dict) for each in value)


def _verbs(verbs: Mapping[str, int]) -> Found:
    return " ".join(sorted(verbs)) if verbs else ABSENT


def compare_accounts(left: JsonObject, right: JsonObject) -> Iterator[PlacedDifference]:
    """Yield what a ClusterServiceVersion grants differently, by account, and take that out of both."""
    installs = [_install(each) for each in (left, right)]
    spot = ObjectPlace().below("spec").below("install").below("spec")
    for key in FIELDS:
        given: list[Any] = [(each[key] or []) if key in each else None for each in installs]
        if not all(map(_is_list, given)):
            continue
        mine, other = map(_by_account, given)
        for account in sorted(mine.keys() & other.keys()):
            yield from compare_rules(mine[account], other[account], spot.below(key).item(-1, account))
        for install, known in zip(installs, (mine, other), strict=True):
            install[key] = dict.fromkeys(known, True)


def _install(body: JsonObject) -> JsonObject:
    """Return the part of an object that says what is installed, as a copy to be changed in place."""
    at = body
    for key in ("spec", "install", "spec"):
        inner: Json = at.get(key)
        if not isinstance(inner, dict):
            return {}
        at[key] = dict(inner)
        at = at[key]
    return at


def _by_account(items: list[JsonObject]) -> dict[str, list[Json]]:
    """Return the rules of each account, which may have several items."""
    found: dict[str, list[Json]] = {}
    for item in items:
        rules: Json = item.get("rules")
        found.setdefault(text_of(item.get("serviceAccountName")), []).extend(
            rules if isinstance(rules, list) else [] if rules is None else [rules]
        )
    return found
