"""Rank a change of webhooks: whether requests are looked at that were not, or no longer."""

from __future__ import annotations

from collections.abc import Mapping

from kitgen.diff.objects import ABSENT
from kitgen.diff.objects.difference import Found
from kitgen.diff.risk import ChangeRule
from kitgen.findings import Path
from kitgen.review.rules import (
    CERTIFICATE_CHANGED,
    WEBHOOK_ADDED,
    WEBHOOK_CHANGED,
    WEBHOOK_ELSEWHERE,
    WEBHOOK_GONE,
    WEBHOOK_WEAKER,
)
from kitgen.yamlio import Json

NARROWING = frozenset({"matchConditions", "namespaceSelector", "objectSelector"})
"""What leaves requests out; without it, all are looked at."""
LISTS = frozenset({"apiGroups", "apiVersions", "operations", "resources"})
EVERYTHING: tuple[Found, ...] = (ABSENT, None)
ALL = "*"


def webhook_rule(path: Path, was: Found, now: Found) -> ChangeRule:
    """Return what a difference in a configuration of webhooks means."""
    inside = [str(step) for step in path[2:]]
    if path[:1] != ("webhooks",) or not inside:
        if now is ABSENT:
            return WEBHOOK_GONE
        return WEBHOOK_ADDED if was is ABSENT else WEBHOOK_CHANGED
    match inside[0]:
        case "failurePolicy":
            return WEBHOOK_WEAKER if now == "Ignore" else WEBHOOK_CHANGED
        case "rules":
            return WEBHOOK_WEAKER if _fewer(inside[-1], was, now) else WEBHOOK_CHANGED
        case "clientConfig" if inside[-1] == "caBundle":
            return CERTIFICATE_CHANGED
        case "clientConfig" if inside[-1] == "url" and now is not ABSENT:
            return WEBHOOK_ELSEWHERE
    narrower = inside[0] in NARROWING and not (_is_all(now) or (len(inside) == 1 and was == now))
    return WEBHOOK_WEAKER if narrower else WEBHOOK_CHANGED


def _is_all(selector: Found) -> bool:
    return selector in EVERYTHING or (isinstance(selector, Mapping | list) and not selector)


def _fewer(field: str, was: Found, now: Found) -> bool:
    """Tell whether fewer requests may be looked at: of a list, if one of its words is gone."""
    if field in LISTS and isinstance(was, list) and isinstance(now, list):
        return ALL not in now and bool(_words(was) - _words(now))
    return now is ABSENT or was is not ABSENT


def _words(items: list[Json]) -> set[str]:
    return {str(each) for each in items}
