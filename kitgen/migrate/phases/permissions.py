"""Permissions of a phase: what is granted for one group is granted for the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple, TypeAlias

from kitgen.findings import Origin
from kitgen.kit.model.migration import Migration
from kitgen.kube.identity import RBAC
from kitgen.kube.manifest import Manifest
from kitgen.kube.rbac.rules import ALL
from kitgen.migrate.kinds import MovedKinds, ServedKind
from kitgen.migrate.phases.crds import build_field_sources
from kitgen.text.values import list_at, texts_at
from kitgen.text.yaml import JsonObject

READ_ONLY = ("get", "list", "watch", "delete")
"""What is left of an old kind: to look at its resources, and to remove them."""
FREEING = (*READ_ONLY, "patch")
"""What whoever carries resources over does with old ones: finalizers are taken off by a patch."""
MAKING = ("get", "list", "watch", "create", "patch")
"""And with new ones: a server-side apply is a patch, which creates what is not there."""


class Counterpart(NamedTuple):
    """One side of a kind that moves, and the other one, for which the same is to hold."""

    here: ServedKind
    there: ServedKind
    origin: Origin


Counterparts: TypeAlias = Mapping[tuple[str, str], Counterpart]
"""Group and plural of one side → what is beside it."""


def add_role_counterparts(
    migration: Migration, objects: Iterable[Manifest], pairs: Counterparts, verbs: Sequence[str] = ()
) -> Iterator[Manifest]:
    """Yield objects whose roles grant for other kinds what they grant for some, or some verbs alone."""
    for each in objects:
        rules = list_at(each.body, "rules") if each.id.group == RBAC else []
        more = [*_build_counterpart_rules(rules, pairs, verbs)]
        body = {**each.body, "rules": [*rules, *(rule for rule, _ in more)]}
        sources = (
            build_field_sources(migration, origin, ("rules", at))
            for at, (_, origin) in enumerate(more, len(rules))
        )
        yield each.replace_body(body, *chain.from_iterable(sources)) if more else each


def _build_counterpart_rules(
    rules: Sequence[JsonObject], pairs: Counterparts, verbs: Sequence[str]
) -> Iterator[tuple[JsonObject, Origin]]:
    known = [*rules]
    for rule in rules:
        for group, some in _find_counterparts(rule, pairs).items():
            fresh: JsonObject = {
                "apiGroups": [group],
                "resources": [each for each in some if not verbs or "/" not in each],
                **{key: value for key, value in rule.items() if key not in ("apiGroups", "resources")},
            }
            if verbs:
                fresh["verbs"] = list(verbs)
            if fresh["resources"] and fresh not in known:
                known.append(fresh)
                yield fresh, next(iter(some.values()))


def _find_counterparts(rule: JsonObject, pairs: Counterparts) -> dict[str, dict[str, Origin]]:
    """Return the resources on the other side of those that a rule grants, by their group."""
    found: dict[str, dict[str, Origin]] = {}
    groups, resources = texts_at(rule, "apiGroups"), texts_at(rule, "resources")
    for (group, plural), (_, there, origin) in pairs.items():
        if ALL in groups or group not in groups or (there.name.group in groups and there.plural in resources):
            continue  # it grants none, or both
        for each in resources:
            name, slash, rest = each.partition("/")
            if name == plural or each == ALL:
                word = ALL if each == ALL else f"{there.plural}{slash}{rest}"
                found.setdefault(there.name.group, {}).setdefault(word, origin)
    return found


def build_migration_role(migration: Migration, some: MovedKinds) -> Manifest:
    """Return the role for those who migrate resources; binding it is up to people."""
    rules: list[JsonObject] = []
    for verbs, sides in (
        (FREEING, [each.old for each in some.old]),
        (MAKING, [each.new for each in some.moving_kinds]),
    ):
        for group in sorted({each.name.group for each in sides}):
            plurals = sorted({each.plural for each in sides if each.name.group == group})
            rules.append({"apiGroups": [group], "resources": plurals, "verbs": list(verbs)})
    body: JsonObject = {
        "apiVersion": f"{RBAC}/v1",
        "kind": "ClusterRole",
        "metadata": {"name": role_name(migration)},
        "rules": rules,
    }
    return Manifest(
        body=body, sources=tuple(build_field_sources(migration, migration.origin.at("kinds"), ()))
    )


def role_name(migration: Migration) -> str:
    """Return the name of the role for those who carry resources over."""
    return f"{migration.name}-migration"
