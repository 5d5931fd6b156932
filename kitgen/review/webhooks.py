"""Rank a change of webhooks: whether requests are looked at that were not, or no longer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import islice, product
from typing import TypeAlias

from kitgen.check.index import entries
from kitgen.check.upgrade.webhooks import LOOKED_AT, Request, forms_of, resource_of, texts
from kitgen.crds.types.names import plural_of
from kitgen.diff.objects import ABSENT
from kitgen.diff.objects.difference import Found
from kitgen.diff.risk import ChangeRule
from kitgen.findings import Path
from kitgen.kubernetes import kinds, minors
from kitgen.review.rules import (
    CERTIFICATE_CHANGED,
    WEBHOOK_ADDED,
    WEBHOOK_CHANGED,
    WEBHOOK_ELSEWHERE,
    WEBHOOK_GONE,
    WEBHOOK_WEAKER,
)
from kitgen.yamlio import JsonObject

NARROWING = frozenset({"matchConditions", "namespaceSelector", "objectSelector"})
"""What leaves requests out; without it, all are looked at."""
EVERYTHING: tuple[Found, ...] = (ABSENT, None)
ALL, EXACT, VERSIONS = "*", "Exact", "apiVersions"
OPERATIONS = ("CREATE", "UPDATE", "DELETE", "CONNECT")
MOST = 20 * LOOKED_AT
"""Among how many requests of a webhook those are looked for."""
Matched: TypeAlias = dict[tuple[Request, str], set[str]]
"""A request and the scope of a rule → the versions that such rules match."""


def webhook_rule(path: Path, was: Found, now: Found, *, narrowed: bool) -> ChangeRule:
    """Return what a difference in a configuration of webhooks means; `narrowed` is said of its rules."""
    inside = [str(step) for step in path[2:]]
    if path[:1] != ("webhooks",) or not inside:
        if now is ABSENT:
            return WEBHOOK_GONE
        return WEBHOOK_ADDED if was is ABSENT else WEBHOOK_CHANGED
    match inside[0]:
        case "failurePolicy":
            return WEBHOOK_WEAKER if now == "Ignore" else WEBHOOK_CHANGED
        case "rules":
            return WEBHOOK_WEAKER if narrowed else WEBHOOK_CHANGED
        case "matchPolicy":
            return WEBHOOK_WEAKER if now == EXACT else WEBHOOK_CHANGED
        case "clientConfig" if inside[-1] == "caBundle":
            return CERTIFICATE_CHANGED
        case "clientConfig" if inside[-1] == "url" and now is not ABSENT:
            return WEBHOOK_ELSEWHERE
    narrower = inside[0] in NARROWING and not (_is_all(now) or (len(inside) == 1 and was == now))
    return WEBHOOK_WEAKER if narrower else WEBHOOK_CHANGED


def _is_all(selector: Found) -> bool:
    return selector in EVERYTHING or (isinstance(selector, Mapping | list) and not selector)


def is_narrowed(was: JsonObject, now: JsonObject, crds: Iterable[JsonObject]) -> bool:
    """Tell whether the rules of a webhook no longer match requests that they did."""
    served = {
        resource_of(each): {
            str(version.get("name"))
            for _, version in entries(each, "spec", "versions")
            if version.get("served")
        }
        for each in crds
    }
    exact = now.get("matchPolicy") == EXACT
    known = _matched(now)
    requests = ((old, request) for _, old in entries(was, "rules") for request in _requests(old))
    return any(
        _is_missed(old, request, known, served.get(asked) or _own_versions(*asked), exact=exact)
        for old, request in islice(requests, LOOKED_AT)
        for asked in [(request[0], request[1].partition("/")[0])]
    )


def _matched(hook: JsonObject) -> Matched:
    """Return the versions that the rules of a webhook match; more than anybody writes is not looked at."""
    found: Matched = {}
    every = ((rule, each) for _, rule in entries(hook, "rules") for each in _requests(rule))
    for rule, request in islice(every, MOST):
        found.setdefault((request, str(rule.get("scope"))), set()).update(texts(rule, VERSIONS))
    return found


@cache
def _own_versions(group: str, resource: str) -> set[str] | None:
    """Return the versions in which some minor of Kubernetes serves a resource of its own."""
    every = (each for minor in minors() for each in kinds(minor) if each.group == group)
    return {each.version for each in every if plural_of(each.kind) == resource} or None


def _is_missed(
    old: JsonObject, request: Request, known: Matched, served: set[str] | None, *, exact: bool
) -> bool:
    """Tell whether rules miss requests of a version that the old rule matches.

    By default the API server converts a request into a version that the rule names, if the kind is served in
    one. Of a kind that is not known, it is assumed that it is.
    """
    scopes = {ALL, str(None), str(old.get("scope", ALL))}
    same = [known.get(each, ()) for each in product(forms_of(request), scopes)]
    had, has = {*texts(old, VERSIONS)}, {word for versions in same for word in versions}
    if not has or ALL in has:
        return not has
    if exact:
        missed = (served or had) if ALL in had else had if served is None else had & served
        return not missed <= has
    return served is not None and not has & served


def _requests(rule: JsonObject) -> Iterator[Request]:
    operations = texts(rule, "operations")
    every = OPERATIONS if ALL in operations else operations
    return product(texts(rule, "apiGroups"), texts(rule, "resources"), every)
