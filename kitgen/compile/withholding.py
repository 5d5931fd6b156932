"""Rules of roles, and what is left of them without what a target withholds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Generic, TypeVar

from kitgen.objects.rbac.rules import ALL, covers
from kitgen.yamlio import JsonObject

T = TypeVar("T")
NO_GROUP = "/"
"""What rules for URLs stand under."""
KEYS = ("apiGroups", "resources", "nonResourceURLs", "resourceNames", "verbs")
KEEP = "keep"
"""Where what is withheld has the names that it is not withheld for; rules themselves have no such key."""
VERBS = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]
PLAIN = {
    "": frozenset(
        (
            *("configmaps", "endpoints", "events", "limitranges", "namespaces", "persistentvolumeclaims"),
            *("persistentvolumes", "pods", "podtemplates", "resourcequotas", "secrets", "services"),
        )
    ),
    "apps": frozenset(("controllerrevisions", "daemonsets", "deployments", "replicasets", "statefulsets")),
    "batch": frozenset(("cronjobs", "jobs")),
    "coordination.k8s.io": frozenset(("leases",)),
    "networking.k8s.io": frozenset(("ingresses", "networkpolicies")),
}
"""Resources that servers know these verbs of and no others, so that a `*` can be written out."""


def _verbs(rule: JsonObject, withheld: JsonObject) -> list[str]:
    """Return the verbs of a rule; a `*` is written out where something of it is to be withheld."""
    verbs: list[str] = rule.get("verbs") or []
    places = product(withheld.get("apiGroups") or ("*",), withheld.get("resources") or ("*",))
    if ALL not in verbs or ALL in withheld["verbs"]:
        return verbs
    return VERBS if all(name in PLAIN.get(group, ()) for group, name in places) else verbs


def _hit(withheld: JsonObject, rule: JsonObject) -> JsonObject:
    """Return the words of a rule that are withheld, list by list; empty if there is nothing."""
    found = {}
    for key in KEYS:
        here, gone = rule.get(key) or (), withheld.get(key)
        if key == "resourceNames":
            gone = [name for name in gone or here if name not in withheld.get(KEEP, ())]
            if not here and key not in withheld:
                continue  # whatever they are called
        if key in withheld or here:
            found[key] = [each for each in here if any(covers(key, wide, each) for wide in gone or ())]
            if not found[key]:
                return {}
    return found


def left_of(rule: JsonObject, withheld: JsonObject) -> list[JsonObject]:
    """Return what is left of a rule: the same for other resources and names, and other verbs for these."""
    verbs = _verbs(rule, withheld)
    hit = _hit(withheld, {**rule, "verbs": verbs})
    left = []
    for key in (key for key in KEYS if key in hit):
        others = [each for each in (verbs if key == "verbs" else rule[key]) if each not in hit[key]]
        if others:
            left.append({**rule, key: others})
        rule = {**rule, key: hit[key]}
    if (names := withheld.get(KEEP)) and "resources" in hit and not rule.get("resourceNames"):
        named = {**rule, "resourceNames": [*names]}
        left.append({key: named[key] for key in KEYS if key in named})
    return left if hit else [rule]


def grants(rule: JsonObject, wanted: JsonObject) -> bool:
    """Tell whether a rule grants something of what another one says, in so many words or by a wildcard."""
    for key in KEYS:
        here, there = rule.get(key) or (), wanted.get(key) or ()
        if key == "resourceNames":
            names = [{*some}.difference(wanted.get(KEEP, ())) for some in (here, there) if some]
            if names and not set.intersection(*names):
                return False
            continue  # none of them is for every name
        pairs = product(here, there)
        if (here or there) and not any(covers(key, a, b) or covers(key, b, a) for a, b in pairs):
            return False
    return True


class Index(Generic[T]):
    """Things that have rules, by API group: those of other groups have nothing in common."""

    def __init__(self) -> None:
        self._known: dict[str, dict[int, T]] = {}
        self._all: list[T] = []

    def add(self, rule: JsonObject, thing: T) -> None:
        """Note a thing under the groups of its rule."""
        for group in rule.get("apiGroups") or (NO_GROUP,):
            self._known.setdefault(group, {})[len(self._all)] = thing
        self._all.append(thing)

    def near(self, rule: JsonObject) -> list[T]:
        """Return the things that may have something in common with a rule, in the order of their coming."""
        groups = rule.get("apiGroups") or (NO_GROUP,)
        if ALL in groups:
            return self._all
        found: dict[int, T] = {}
        for group in (*groups, ALL):
            found |= self._known.get(group, {})
        return [found[at] for at in sorted(found)]


def missing(withheld: JsonObject, rules: Iterable[JsonObject]) -> Iterator[str]:
    """Yield what is withheld and not granted, such as `core/secrets: delete`."""
    known = [rule for rule in rules if grants(rule, withheld)]
    key = "nonResourceURLs" if "nonResourceURLs" in withheld else "resources"
    group = "".join(f"{each or 'core'}/" for each in withheld.get("apiGroups", ()))
    for place, name in product(withheld[key], withheld.get("resourceNames", [""])):
        one = {**withheld, key: [place], **({"resourceNames": [name]} if name else {})}
        verbs = [
            verb
            for verb in withheld["verbs"]
            if not any(grants(rule, {**one, "verbs": [verb]}) for rule in known)
        ]
        if verbs:
            yield f"{group}{place}{f'[{name}]' if name else ''}: {' '.join(verbs)}"
