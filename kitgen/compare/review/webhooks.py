"""Whether webhooks no longer look at requests that they looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import islice, product
from typing import TypeAlias

from kitgen.compare.upgrade.webhooks import LOOKED_AT, Request, list_rule_terms, resource_of
from kitgen.crd.types import plural_of
from kitgen.kube.definitions import list_kinds, list_minors
from kitgen.text.values import entries_at, group_pairs, text_at, texts_at, value_at
from kitgen.text.wording import text_of
from kitgen.text.yaml import Json, JsonObject

ALL, EXACT, VERSIONS = "*", "Exact", "apiVersions"
Served: TypeAlias = Mapping[tuple[str, str], set[str]]
"""Group and resource → the versions that are served."""
OPERATIONS = ("CREATE", "UPDATE", "DELETE", "CONNECT")


def collect_served_versions(crds: Iterable[JsonObject]) -> Served:
    """Return the versions in which CRDs serve their resources."""
    return {
        resource_of(each): {
            text_of(version.get("name"))
            for _, version in entries_at(each, "spec", "versions")
            if version.get("served")
        }
        for each in crds
    }


def build_narrowing_check(
    was: JsonObject, now: JsonObject, served: Callable[[], Served]
) -> Callable[[int], bool]:
    """Return what tells of a webhook whether it misses requests that the one of its name did not.

    Every difference in its rules asks for that, and nothing is looked at before.
    """
    # Of two with one name the first counts.
    before = {text_at(each, "name"): each for _, each in reversed(entries_at(was, "webhooks"))}

    @cache
    def is_narrowed_at(index: int) -> bool:
        hook = value_at(now, "webhooks", index)
        return isinstance(hook, dict) and is_webhook_narrowed(
            before.get(text_at(hook, "name"), {}), hook, served()
        )

    return is_narrowed_at


def is_webhook_narrowed(was: JsonObject, now: JsonObject, served: Served) -> bool:
    """Return whether the rules of a webhook no longer match requests that they did."""
    rules = _Rules(each for _, each in entries_at(now, "rules"))
    every = (
        (request, rules.find_versions(request, old.get("scope", ALL)), had)
        for _, old in entries_at(was, "rules")
        for had in [{*texts_at(old, VERSIONS)}]
        for request in product(*_split_rule(old))
    )
    exact = now.get("matchPolicy") == EXACT
    return any(
        _misses_requests(had, has, served.get(asked) or _collect_builtin_versions().get(asked), exact=exact)
        for (group, resource, _), has, had in islice(every, LOOKED_AT)
        for asked in [(group, resource.partition("/")[0])]
    )


@cache
def _collect_builtin_versions() -> dict[tuple[str, str], set[str]]:
    """Return the versions in which some minor of Kubernetes serves resources of its own."""
    found = group_pairs(
        ((each.group, plural_of(each.kind)), each.version)
        for minor in list_minors()
        for each in list_kinds(minor)
    )
    return {resource: {*versions} for resource, versions in found.items()}


def _misses_requests(had: set[str], has: set[str], served: set[str] | None, *, exact: bool) -> bool:
    """Return whether rules that have some versions miss requests of those that the old rule had.

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
        self.naming = group_pairs(
            ((part, word), number)
            for number, rule in enumerate(self.rules)
            for part, words in enumerate(_split_rule(rule))
            for word in words
        )

    def find_versions(self, request: Request, scope: Json) -> set[str]:
        """Return the versions of the rules that match a request in a scope."""
        matching = [
            {number for word in words for number in self.naming.get((part, word), ())}
            for part, words in enumerate(list_rule_terms(request))
        ]
        same = set.intersection(*sorted(matching, key=len))
        scopes = (ALL, None, scope)
        return {
            word
            for number in same
            if self.rules[number].get("scope") in scopes
            for word in texts_at(self.rules[number], VERSIONS)
        }


def _split_rule(rule: JsonObject) -> tuple[Sequence[str], Sequence[str], Sequence[str]]:
    """Return the groups, resources and operations of a rule."""
    operations = texts_at(rule, "operations")
    every = OPERATIONS if ALL in operations else operations
    return texts_at(rule, "apiGroups"), texts_at(rule, "resources"), every
