"""Permissions of a role, or of an operator's bundle, that are gone or new."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod
from typing import NamedTuple

from kitgen.check.index import below, entries
from kitgen.check.upgrade.rules import UPGRADE_PERMISSION_GAINED, UPGRADE_PERMISSION_LOST
from kitgen.diff.objects.permissions import FIELDS, grants
from kitgen.findings import Path, Problem
from kitgen.objects import RBAC, ObjectId
from kitgen.schema.wording import choice
from kitgen.yamlio import JsonObject

ROLES = frozenset({(RBAC, "ClusterRole"), (RBAC, "Role")})
BUNDLE = ("operators.coreos.com", "ClusterServiceVersion")
INSTALL = ("spec", "install", "spec")
ALL = "*"
MOST_GRANTS = 50_000
MOST = 4
"""How many kinds of permissions a message names."""


class Granted(NamedTuple):
    """What some rules grant: resource → verb → the first rule that does."""

    path: Path
    """Where the rules are."""
    verbs: dict[str, dict[str, int]]


def permissions(
    old: JsonObject, new: JsonObject, groups: Mapping[tuple[str, str], str] | None = None
) -> Iterator[Problem]:
    """Yield what an object no longer grants, and what it grants anew.

    What went to another API group with its kind is the same permission there.
    """
    heirs: dict[str, set[str]] = {}
    for (was, _), now in (groups or {}).items():
        heirs.setdefault(was, set()).add(now)
    before, after = _granted(old), _granted(new)
    for account in dict.fromkeys([*after, *before]):
        had = before.get(account, Granted((), {}))
        has = after.get(account, Granted(INSTALL, {}))
        whom = f" to {account}" if account else ""
        if lost := _surplus(had, has, heirs):
            message = f"found no longer granted{whom}: {folded(lost)}"
            yield UPGRADE_PERMISSION_LOST(message, _left(lost, has) if not account else has.path)
        back = {
            new: {old for old, some in heirs.items() if new in some} for new in set().union(*heirs.values())
        }
        if gained := _surplus(has, had, back):
            first = min(index for what, verbs in gained.items() for verb, index in verbs.items())
            message = f"found granted{whom} and not before: {folded(gained)}"
            path = has.path if account else (*has.path, first)
            yield UPGRADE_PERMISSION_GAINED(message, path)


def _left(lost: Mapping[str, Mapping[str, int]], has: Granted) -> Path:
    """Return the verbs that are left of the first resource that lost some, or all rules if none are."""
    left = next((has.verbs[what] for what in sorted(lost) if what in has.verbs), None)
    return (*has.path, min(left.values()), "verbs") if left else has.path


def _granted(body: JsonObject) -> dict[str, Granted]:
    """Return what an object grants, by account; a role has no account, and one that gathers others none."""
    name = ObjectId.of(body)
    if (name.group, name.kind) in ROLES and not body.get("aggregationRule"):
        return {"": Granted(("rules",), _verbs(body))}
    found: dict[str, Granted] = {}
    for field in FIELDS if (name.group, name.kind) == BUNDLE else ():
        for index, item in entries(body, *INSTALL, field):
            account = f"{below(item, 'serviceAccountName')}" + (
                "" if field == FIELDS[0] else " in its namespace"
            )
            verbs = _verbs(item)
            known = found.setdefault(account, Granted((*INSTALL, field, index), {}))
            for what, some in verbs.items():
                known.verbs.setdefault(what, {}).update(some)
    return found


def _verbs(body: JsonObject) -> dict[str, dict[str, int]]:
    """Return what the rules of a role grant; more of them than anybody writes count for nothing."""
    rules = [each for _, each in entries(body, "rules")]
    sizes = ([len(each) for each in rule.values() if isinstance(each, list) and each] for rule in rules)
    return grants(rules) if sum(map(prod, sizes)) <= MOST_GRANTS else {}


def _surplus(these: Granted, those: Granted, heirs: Mapping[str, set[str]]) -> dict[str, dict[str, int]]:
    """Return what the one grants and the other does not, neither by name nor by a wildcard."""
    found: dict[str, dict[str, int]] = {}
    for what, verbs in these.verbs.items():
        wide = [those.verbs[each] for each in _covers(what, heirs) if each in those.verbs]
        missing = {
            verb: index
            for verb, index in verbs.items()
            if not any(verb in some or ALL in some for some in wide)
        }
        if missing:
            found[what] = missing
    return found


def _covers(what: str, heirs: Mapping[str, set[str]]) -> Iterator[str]:
    """Yield the forms under which a resource may be granted; a URL is only granted by itself or a start."""
    yield what
    if what.startswith("/"):
        steps = what.rstrip("*").split("/")
        yield from ("/".join([*steps[:size], ALL]) for size in range(1, len(steps)))
        yield ALL
        return
    group, _, resource = what.partition("/")
    plain, bracket, _ = resource.partition("[")
    _, slash, inner = plain.partition("/")
    resources = [plain, ALL, *([f"{ALL}/{inner}"] if slash else ())]
    for name in (group, ALL, *heirs.get(group, ())):
        yield from (f"{name}/{each}" for each in resources)
        if bracket:
            yield f"{name}/{resource}"


def folded(found: Mapping[str, Mapping[str, int]]) -> str:
    """Write permissions in few words: those of a group that have the same verbs together."""
    together: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for what in sorted(found):
        group, slash, resource = what.partition("/")
        key = (f"{group}/" if group else "", tuple(sorted(found[what])))
        together.setdefault(key, []).append(resource if slash else what)
    said = [
        f"{group}{','.join(some[:6])}{',…' if len(some) > 6 else ''} ({' '.join(verbs)})"
        for (group, verbs), some in together.items()
    ]
    return choice(said, last="and", most=MOST)
