"""Permissions of roles, including those of bundles, as far as a migration needs them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from kitgen.findings import Path
from kitgen.kube.identity import RBAC
from kitgen.kube.manifest import Manifest
from kitgen.kube.rbac.rules import ALL
from kitgen.text.values import entries_at, texts_at
from kitgen.text.yaml import JsonObject

CSV = ("operators.coreos.com", "ClusterServiceVersion")
ROLES = frozenset({(RBAC, "ClusterRole"), (RBAC, "Role")})
INSTALLED: Path = ("spec", "install", "spec")
READ = frozenset({"get", "list", ALL})


class GrantedRule(NamedTuple):
    """A rule, and whose it is."""

    manifest: Manifest
    path: Path
    rule: JsonObject

    @property
    def role_key(self) -> tuple[str, ...]:
        """Return the identity of a role; a bundle has another name in each version."""
        name = self.manifest.id
        if (name.group, name.kind) != CSV:
            return (name.group, name.kind, name.namespace, name.name)
        return (*CSV, str(self.path[len(INSTALLED)]))

    @property
    def can_read(self) -> bool:
        """Return whether all resources can be read by it."""
        return bool(READ & {*texts_at(self.rule, "verbs")}) and not self.rule.get("resourceNames")


def list_granted_rules(
    some: Iterable[Manifest], resource: tuple[str, str] | None = None
) -> Iterator[GrantedRule]:
    """Yield the rules of roles, those for a resource alone if it is given."""
    for each in some:
        for path, rule in _list_role_rules(each):
            if resource is None or matches_resource(rule, *resource):
                yield GrantedRule(each, path, rule)


def _list_role_rules(manifest: Manifest) -> Iterator[tuple[Path, JsonObject]]:
    if (kind := (manifest.id.group, manifest.id.kind)) in ROLES:
        yield from ((("rules", index), rule) for index, rule in entries_at(manifest.body, "rules"))
    for field in ("clusterPermissions", "permissions") if kind == CSV else ():
        for at, each in entries_at(manifest.body, *INSTALLED, field):
            for index, rule in entries_at(each, "rules"):
                yield (*INSTALLED, field, at, "rules", index), rule


def matches_resource(rule: JsonObject, group: str, plural: str, *, parts: bool = False) -> bool:
    """Return whether a rule of a role or a webhook is for a resource, or for parts of it where they count."""
    names = {each.partition("/")[0] if parts else each for each in texts_at(rule, "resources")}
    return bool({group, ALL} & {*texts_at(rule, "apiGroups")}) and bool({plural, ALL} & names)
