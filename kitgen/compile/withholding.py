"""Permissions that a target withholds: what is left of those that roles grant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kitgen.findings import By, Cause
from kitgen.yamlio import JsonObject

WITHHELD = Cause(By.SETTING, "withhold")
ALL = "*"


def takes_from(withheld: JsonObject, rule: JsonObject) -> bool:
    """Tell whether a rule grants something of what another one withholds, in so many words."""
    return bool(_hit(withheld, rule))


def _hit(withheld: JsonObject, rule: JsonObject) -> JsonObject:
    """Return the part of a rule that is withheld, list by list; empty if there is none."""
    places = "nonResourceURLs" if "nonResourceURLs" in withheld else "resources"
    if withheld.get("apiGroups") != rule.get("apiGroups"):
        return {}
    found = {key: _both(rule.get(key, ()), withheld[key]) for key in (places, "verbs")}
    if "resourceNames" in withheld:
        found["resourceNames"] = _both(rule.get("resourceNames", ()), withheld["resourceNames"])
    return found if all(found.values()) else {}


def _both(first: Iterable[str], second: Iterable[str]) -> list[str]:
    known = set(second)
    return [each for each in first if each in known]


def left_of(rule: JsonObject, withheld: JsonObject) -> list[JsonObject]:
    """Return what is left of a rule: the same for other resources and names, and other verbs for these."""
    hit = _hit(withheld, rule)
    left = []
    for key in ("resources", "nonResourceURLs", "resourceNames", "verbs") if hit else ():
        here: list[str] = rule.get(key, [])
        others = [each for each in here if each not in hit.get(key, here)]
        if others:
            left.append({**rule, key: others})
        if key in hit:
            rule = {**rule, key: hit[key]}
    return left if hit else [rule]


def through_wildcard(withheld: JsonObject, rule: JsonObject) -> bool:
    """Tell whether a rule grants what is withheld by a `*`, from which nothing can be taken."""
    wide = {
        key: withheld[key] if ALL in rule.get(key, ()) else rule.get(key, ())
        for key in withheld
        if key != "resourceNames"
    }
    return wide != {key: rule.get(key, ()) for key in wide} and bool(_hit(withheld, {**rule, **wide}))


def missing(withheld: JsonObject, rules: Iterable[JsonObject]) -> Iterator[str]:
    """Yield what is withheld and not granted, such as `core/secrets: delete`."""
    known = list(rules)
    key = "nonResourceURLs" if "nonResourceURLs" in withheld else "resources"
    group = "".join(f"{each or 'core'}/" for each in withheld.get("apiGroups", ()))
    for place in withheld[key]:
        verbs = []
        for verb in withheld["verbs"]:
            wanted = {**withheld, key: [place], "verbs": [verb]}
            if not any(takes_from(wanted, rule) for rule in known):
                verbs.append(verb)
        if verbs:
            yield f"{group}{place}: {' '.join(verbs)}"
