"""Rank a change of what leads to a service from outside, and of whom it trusts on the way."""

from __future__ import annotations

from collections.abc import Mapping

from kitgen.diff.objects.difference import ABSENT, Found
from kitgen.diff.risk import ChangeRule
from kitgen.findings import Path
from kitgen.review.rules import ADDRESS_GONE, FIELD_CHANGED, TRANSPORT_WEAKER

BLIND = ("insecureSkipTLSVerify", "insecureSkipVerify")
"""Fields by which a certificate is taken without a look."""
OPEN = "Allow"
TLS = ("spec", "tls")


def is_blind(path: Path, now: Found) -> bool:
    """Tell whether certificates are no longer looked at."""
    if path[-1:] and path[-1] in BLIND:
        return now is True
    return isinstance(now, Mapping) and any(now.get(each) is True for each in BLIND)


def route_rule(path: Path, was: Found, now: Found) -> ChangeRule:
    """Return what a difference in an Ingress or a Route means."""
    if path == TLS and now is ABSENT:
        return TRANSPORT_WEAKER
    if path == (*TLS, "insecureEdgeTerminationPolicy") and now == OPEN:
        return TRANSPORT_WEAKER
    if path == (*TLS, "termination") and now == "edge":
        return TRANSPORT_WEAKER
    if path[-1:] and path[-1] in ("host", "path") and was is not ABSENT:
        return ADDRESS_GONE
    if path == ("spec", "rules") and _hosts(was) - _hosts(now):
        return ADDRESS_GONE
    return FIELD_CHANGED


def _hosts(rules: Found) -> set[str]:
    items = rules if isinstance(rules, list) else []
    return {str(each.get("host", "")) for each in items if isinstance(each, dict)}
