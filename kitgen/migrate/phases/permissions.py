"""Permissions of a phase: what is granted for one group is granted for the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from kitgen.findings import Path
from kitgen.kit.model.migration import Migration
from kitgen.kube.identity import RBAC
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.migrate.phases.moves import Moved, Moving, added, words
from kitgen.text.yaml import JsonObject

ROLES = ("ClusterRole", "Role")
READ_ONLY = ("get", "list", "watch", "delete")
"""What is left of an old kind: to look at its resources, and to remove them."""
FREEING = (*READ_ONLY, "patch")
"""What whoever carries resources over does with old ones: finalizers are taken off by a patch."""
MAKING = ("get", "list", "watch", "create", "patch")
"""And with new ones: a server-side apply is a patch, which creates what is not there."""
Resource: TypeAlias = tuple[str, str]
"""Group and resources."""
ANY = "*"


def with_counterparts(
    migration: Migration,
    objects: Iterable[Manifest],
    ways: Mapping[Resource, Moving],
    *,
    verbs: Sequence[str] = (),
) -> Iterator[Manifest]:
    """Yield objects whose roles grant for other kinds what they grant for some, or some verbs alone.

    The ways lead from a resource to what moves; the counterpart is the other side of it.
    """
    for each in objects:
        if (each.id.group, each.id.kind) not in {(RBAC, kind) for kind in ROLES}:
            yield each
            continue
        rules = each.body.get("rules") or []
        more = [*_counterparts(rules, ways, verbs)]
        yield _extended(migration, each, rules, more) if more else each


def _extended(
    migration: Migration, role: Manifest, rules: list[JsonObject], more: list[tuple[JsonObject, Moving]]
) -> Manifest:
    fresh = [rule for rule, _ in more]
    sources: list[FieldSource] = []
    for index, (_, moving) in enumerate(more):
        path: Path = ("rules", len(rules) + index)
        sources += added(migration, moving.said.origin, path)
    return role.with_({**role.body, "rules": [*rules, *fresh]}, *sources)


def _counterparts(
    rules: Sequence[JsonObject], ways: Mapping[Resource, Moving], verbs: Sequence[str]
) -> Iterator[tuple[JsonObject, Moving]]:
    known = [*rules]
    for rule in rules:
        for group, some in _granted(rule, ways).items():
            fresh: JsonObject = {
                "apiGroups": [group],
                "resources": [each for each, _ in some if not verbs or "/" not in each],
                **{key: value for key, value in rule.items() if key not in ("apiGroups", "resources")},
            }
            if verbs:
                fresh["verbs"] = list(verbs)
            if fresh["resources"] and fresh not in known:
                known.append(fresh)
                yield fresh, some[0][1]


def _granted(rule: JsonObject, ways: Mapping[Resource, Moving]) -> dict[str, list[tuple[str, Moving]]]:
    """Return the resources on the other side of those that a rule grants, by their group."""
    found: dict[str, list[tuple[str, Moving]]] = {}
    groups, resources = words(rule, "apiGroups"), words(rule, "resources")
    for (group, plural), moving in ways.items():
        if group not in groups and ANY not in groups:
            continue
        other = moving.new if moving.old.resource == (group, plural) else moving.old
        if ANY in groups or (other.name.group in groups and other.plural in resources):
            continue  # it grants both
        for each in resources:
            name, slash, rest = each.partition("/")
            if name == plural or each == ANY:
                there = found.setdefault(other.name.group, [])
                word = ANY if each == ANY else f"{other.plural}{slash}{rest}"
                there += [] if word in [one for one, _ in there] else [(word, moving)]
    return found


def mover_role(migration: Migration, some: Moved) -> Manifest:
    """Return what whoever carries resources over may do; binding it is up to people."""
    rules: list[JsonObject] = []
    for verbs, sides in ((FREEING, some.old), (MAKING, [each.new for each in some.kinds])):
        for group in sorted({each.name.group for each in sides}):
            plurals = sorted({each.plural for each in sides if each.name.group == group})
            rules.append({"apiGroups": [group], "resources": plurals, "verbs": list(verbs)})
    body: JsonObject = {
        "apiVersion": f"{RBAC}/v1",
        "kind": "ClusterRole",
        "metadata": {"name": f"{migration.name}-migration"},
        "rules": rules,
    }
    return Manifest(body=body, sources=tuple(added(migration, migration.origin.at("kinds"), ())))
