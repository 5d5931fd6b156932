"""Whether webhooks no longer look at requests that they looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from itertools import islice, product
from typing import TypeAlias

from kitgen.compare.upgrade.webhooks import LOOKED_AT, Request, resource_of, terms_of, texts
from kitgen.crd.types import plural_of
from kitgen.kube.definitions import kinds, minors
from kitgen.text.values import entries_at, value_at
from kitgen.text.wording import text_of
from kitgen.text.yaml import Json, JsonObject

ALL, EXACT, VERSIONS = "*", "Exact", "apiVersions"
Served: TypeAlias = Mapping[tuple[str, str], set[str]]
"""Group and resource → the versions that are served."""
OPERATIONS = ("CREATE", "UPDATE", "DELETE", "CONNECT")


def served_versions(crds: Iterable[JsonObject]) -> Served:
    """Return the versions in which CRDs serve their resources."""
    return {
        resource_of(each): {
            text_of(version.get("name"))
            for _, version in entries_at(each, "spec", "versions")
            if version.get("served")
        }
        for each in crds
    }


class Narrowing:
    """Tells which webhooks of a configuration no longer match requests that those of their names did."""

    def __init__(self, was: JsonObject, now: JsonObject, served: Callable[[], Served]) -> None:
        """Look at nothing before somebody asks."""
        self._was, self._now, self._served = was, now, served
        self._narrowed: dict[int, bool] = {}

    def at(self, index: int) -> bool:
        """Tell it of a webhook; every difference in its rules asks for that."""
        if index not in self._narrowed:
            hook = value_at(self._now, "webhooks", index)
            self._narrowed[index] = isinstance(hook, dict) and is_narrowed(
                self._before.get(_name(hook), {}), hook, self._served()
            )
        return self._narrowed[index]

    @cached_property
    def _before(self) -> dict[str, JsonObject]:
        """Return the webhooks by name; of two with one name the first counts."""
        return {_name(each): each for _, each in reversed(entries_at(self._was, "webhooks"))}


def _name(hook: JsonObject) -> str:
    name = hook.get("name")
    return name if isinstance(name, str) else ""


def is_narrowed(was: JsonObject, now: JsonObject, served: Served) -> bool:
    """Tell whether the rules of a webhook no longer match requests that they did."""
    rules = _Rules(each for _, each in entries_at(now, "rules"))
    every = (
        (request, rules.versions(request, old.get("scope", ALL)), had)
        for _, old in entries_at(was, "rules")
        for had in [{*texts(old, VERSIONS)}]
        for request in product(*_words(old))
    )
    exact = now.get("matchPolicy") == EXACT
    return any(
        _is_missed(had, has, served.get(asked) or _own_versions().get(asked), exact=exact)
        for (group, resource, _), has, had in islice(every, LOOKED_AT)
        for asked in [(group, resource.partition("/")[0])]
    )


@cache
def _own_versions() -> dict[tuple[str, str], set[str]]:
    """Return the versions in which some minor of Kubernetes serves resources of its own."""
    found: dict[tuple[str, str], set[str]] = {}
    for each in (each for minor in minors() for each in kinds(minor)):
        found.setdefault((each.group, plural_of(each.kind)), set()).add(each.version)
    return found


def _is_missed(had: set[str], has: set[str], served: set[str] | None, *, exact: bool) -> bool:
    """Tell whether rules that have some versions miss requests of those that the old rule had.

    By default the API server converts a request into a version that the rule names, if the kind is served in
    one. Of a kind that is not known, it is assumed that it is.
    """
    if not has or ALL in has:
        return not has
    if exact:
        missed = (served or had) if ALL in had else had if served is None else had & served
        return not missed <= has
    return served is not None and not has & served


class _Rules:
    """The rules of a webhook, by each word that they name: groups, resources and operations multiply."""

    def __init__(self, rules: Iterable[JsonObject]) -> None:
        self.rules = [*rules]
        self.naming: tuple[dict[str, set[int]], ...] = ({}, {}, {})
        for number, rule in enumerate(self.rules):
            for naming, words in zip(self.naming, _words(rule), strict=True):
                for word in words:
                    naming.setdefault(word, set()).add(number)

    def versions(self, request: Request, scope: Json) -> set[str]:
        """Return the versions of the rules that match a request in a scope."""
        asked = zip(self.naming, terms_of(request), strict=True)
        matching = [set().union(*(naming.get(word, ()) for word in words)) for naming, words in asked]
        same = set.intersection(*sorted(matching, key=len))
        scopes = (ALL, None, scope)
        return {
            word
            for number in same
            if self.rules[number].get("scope") in scopes
            for word in texts(self.rules[number], VERSIONS)
        }


def _words(rule: JsonObject) -> tuple[Sequence[str], Sequence[str], Sequence[str]]:
    """Return the groups, resources and operations of a rule."""
    operations = texts(rule, "operations")
    every = OPERATIONS if ALL in operations else operations
    return texts(rule, "apiGroups"), texts(rule, "resources"), every
