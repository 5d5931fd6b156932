"""The permissions of a role in a table that is fast to look up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kitgen.kube.rbac.access import RbacRole
from kitgen.kube.rbac.rules import ALL, Permit, SinglePermission, Spot

MOST = 50_000
"""How many single permissions of one role are taken apart; nobody writes so many."""
LONGEST_URL = 500


class RoleRule(NamedTuple):
    """A rule, and the role that it stands in: one that is made of others has theirs."""

    role: RbacRole
    permit: Permit


def count_permissions(permit: Permit) -> int:
    """Return how many single permissions a rule comes to."""
    return permit.size * len(permit.verbs)


class RoleTable:
    """Single permissions, each with the first rule that grants it."""

    def __init__(self, parts: Iterable[RbacRole]) -> None:
        """Take the rules of some roles apart."""
        rules = [RoleRule(role, permit) for role in parts for permit in role.permits]
        self.whole = sum(count_permissions(each.permit) for each in rules) <= MOST
        """Whether all is in it; one that would be too large is empty."""
        self._spots: dict[Spot, dict[str, RoleRule]] = {}
        for rule in rules if self.whole else ():
            for verb in rule.permit.verbs:
                for spot in rule.permit.expand():
                    self._spots.setdefault(spot, {}).setdefault(verb, rule)

    def __iter__(self) -> Iterator[tuple[SinglePermission, RoleRule]]:
        """Yield every single permission, in the order of the rules."""
        yield from (
            (SinglePermission(verb, *spot), rule)
            for spot, verbs in self._spots.items()
            for verb, rule in verbs.items()
        )

    def grants(self, one: SinglePermission, groups: Iterable[str] = ()) -> bool:
        """Return whether something is permitted, by its name or by a wildcard, here or in other groups."""
        if one.url:
            return any(
                self._has_permission(("", "", "", url), one.verb) for url in _list_url_patterns(one.url)
            )
        if self._has_permission(one[1:], one.verb):
            return True  # most is granted by its name
        _, slash, below = one.resource.partition("/")
        resources = (one.resource, ALL, *((f"{ALL}/{below}",) if slash else ()))
        return any(
            self._has_permission((group, resource, name, ""), one.verb)
            for group in dict.fromkeys((one.group, ALL, *groups))
            for resource in dict.fromkeys(resources)
            for name in dict.fromkeys((one.name, ""))
        )

    def find_rule(self, one: SinglePermission) -> Permit | None:
        """Return a rule that is for the same, whatever its verbs are."""
        verbs = self._spots.get(one[1:])
        return next(iter(verbs.values())).permit if verbs else None

    def _has_permission(self, spot: Spot, verb: str) -> bool:
        verbs = self._spots.get(spot)
        return verbs is not None and (verb in verbs or ALL in verbs)


def _list_url_patterns(url: str) -> Iterator[str]:
    """Yield the forms under which a URL may be granted: itself, and every start of it."""
    yield url
    start = url.rstrip(ALL)[:LONGEST_URL]
    yield from (start[:size] + ALL for size in range(len(start) + 1))
