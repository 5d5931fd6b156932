"""Permissions by what they grant: how rules are grouped does not count."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from kitgen.compare.objects.difference import ABSENT, Found, ObjectPlace, PlacedDifference
from kitgen.compare.objects.values import compare_values
from kitgen.kube.rbac.rules import read_rules
from kitgen.text.wording import text_of
from kitgen.text.yaml import Json, JsonObject

CORE = "core"
"""What the group is called that has no name."""
FIELDS = ("clusterPermissions", "permissions")
"""Where a ClusterServiceVersion has permissions, by service account."""
KEYS = ("verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs")
MOST = 50_000
"""How many single permissions rules are taken apart into; those with more are compared as they stand."""


def collect_grants(rules: Found) -> dict[str, dict[str, int]]:
    """Return what rules permit: resource, object or URL → verb → index of the first rule that grants it."""
    found: dict[str, dict[str, int]] = {}
    for index, permit in enumerate(read_rules(rules)):
        # A group that is really called core is another one, and a mistake.
        groups = [repr(each) if each == CORE else each or CORE for each in permit.groups]
        names = [f"[{name}]" if name else "" for name in permit.names] or [""]
        parts = product(groups, permit.resources, names)
        for what in (*permit.urls, *(f"{group}/{resource}{name}" for group, resource, name in parts)):
            granted = found.setdefault(what, {})
            for verb in permit.verbs:
                granted.setdefault(verb, index)
    return found


def compare_rules(left: Found, right: Found, spot: ObjectPlace) -> Iterator[PlacedDifference]:
    """Yield a difference for every resource on which the rules do not grant the same."""
    if not (_is_rule_list(left) and _is_rule_list(right)):
        yield from compare_values(left, right, spot)
        return
    mine, other = collect_grants(left), collect_grants(right)
    for what in sorted(mine.keys() | other.keys()):
        had, has = mine.get(what, {}), other.get(what, {})
        if had.keys() != has.keys():
            index = next(iter([index for verb, index in had.items() if verb not in has] or had.values()), -1)
            before, after = (" ".join(sorted(verbs)) if verbs else ABSENT for verbs in (had, has))
            yield PlacedDifference(spot.item(index, what), before, after)


def _is_rule_list(value: Found) -> bool:
    """Return whether rules have the form of such, and can be taken apart; none at all grant nothing."""
    if value is None or value is ABSENT:
        return True
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        return False
    lists = all(isinstance(rule.get(key), list | None) for rule in value for key in KEYS)
    return lists and sum(len(each.verbs) * each.size for each in read_rules(value)) <= MOST


def compare_csv_permissions(left: JsonObject, right: JsonObject) -> Iterator[PlacedDifference]:
    """Yield what a ClusterServiceVersion grants differently, by account, and take that out of both."""
    installs = [_copy_install_spec(each) for each in (left, right)]
    spot = ObjectPlace().below("spec").below("install").below("spec")
    for key in FIELDS:
        given = [(each[key] or []) if key in each else None for each in installs]
        if not all(isinstance(some, list) and all(isinstance(e, dict) for e in some) for some in given):
            continue
        mine, other = (_rules_by_account(some) for some in given)
        for account in sorted(mine.keys() & other.keys()):
            yield from compare_rules(mine[account], other[account], spot.below(key).item(-1, account))
        for install, known in zip(installs, (mine, other), strict=True):
            install[key] = dict.fromkeys(known, True)


def _copy_install_spec(body: JsonObject) -> JsonObject:
    """Return the part of an object that says what is installed, as a copy to be changed in place."""
    for key in ("spec", "install", "spec"):
        if not isinstance(body.get(key), dict):
            return {}
        body[key] = {**body[key]}
        body = body[key]
    return body


def _rules_by_account(items: Any) -> dict[str, list[Json]]:
    """Return the rules of each account, which may have several items."""
    found: dict[str, list[Json]] = {}
    for item in items:
        rules: Json = item.get("rules")
        some = rules if isinstance(rules, list) else [] if rules is None else [rules]
        found.setdefault(text_of(item.get("serviceAccountName")), []).extend(some)
    return found
