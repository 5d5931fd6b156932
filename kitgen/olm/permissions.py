"""Who may do what: OLM makes accounts, roles and bindings from what the ClusterServiceVersion lists."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeAlias

from msgspec import Struct

from kitgen.kube.identity import RBAC
from kitgen.kube.manifest import Manifest
from kitgen.olm.csv_parts import CsvPart, join_parts, select_sources
from kitgen.text.yaml import JsonObject

ROLES = ("ClusterRole", "Role")
BINDINGS = ("ClusterRoleBinding", "RoleBinding")
ACCOUNT = "ServiceAccount"
AGGREGATED = f"{RBAC}/aggregate-to-"
Grants: TypeAlias = dict[str, dict[int, Manifest]]
"""Account → the roles that it has, by their ids."""


class OperatorPermissions(Struct, frozen=True, kw_only=True):
    """What the operator's accounts may do, and which objects say nothing else."""

    cluster: dict[str, list[CsvPart]]
    """Account → rules in all namespaces."""
    own: dict[str, list[CsvPart]]
    """Account → rules in the operator's namespace."""
    taken: frozenset[int]
    """Ids of objects that the ClusterServiceVersion stands for."""
    trimmed: dict[int, Manifest]
    """Ids of bindings that have other subjects too → the binding with these alone."""


def find_permissions(
    objects: Sequence[Manifest], accounts: Collection[str], namespace: str
) -> OperatorPermissions:
    """Find what roles grant the accounts of the operator; what others have too stays as it is."""
    roles = {
        (each.id.kind, each.id.namespace, each.id.name): each
        for each in objects
        if _is_rbac_object(each, ROLES)
    }
    cluster: Grants = {}
    own: Grants = {}
    taken = {id(each) for each in objects if _is_operator_account(each, accounts, namespace)}
    trimmed: dict[int, Manifest] = {}
    needed: set[int] = set()
    for binding in (each for each in objects if _is_rbac_object(each, BINDINGS)):
        role = roles.get(_role_of(binding))
        mine, others = _split_subjects(binding, accounts, namespace)
        everywhere = binding.id.kind == "ClusterRoleBinding"
        elsewhere = not everywhere and binding.id.namespace != namespace
        if role is None or not mine or elsewhere or "aggregationRule" in role.body:
            needed.add(id(role))  # what an aggregated role grants is known on the cluster alone
            continue
        if others or any(key.startswith(AGGREGATED) for key in role.body["metadata"].get("labels", {})):
            needed.add(id(role))
        for account in mine:
            (cluster if everywhere else own).setdefault(account, {})[id(role)] = role
        if others:
            body = {**binding.body, "subjects": others}
            trimmed[id(binding)] = Manifest(body=body, sources=binding.sources)
        else:
            taken.add(id(binding))
    served = {role for grants in (cluster, own) for granted in grants.values() for role in granted}
    return OperatorPermissions(
        cluster=_collect_rules(cluster),
        own=_collect_rules(own),
        taken=frozenset(taken | served - needed),
        trimmed=trimmed,
    )


def _is_rbac_object(manifest: Manifest, kinds: Collection[str]) -> bool:
    return manifest.id.group == RBAC and manifest.id.kind in kinds


def _is_operator_account(manifest: Manifest, accounts: Collection[str], namespace: str) -> bool:
    name = manifest.id
    return (name.group, name.kind, name.namespace) == ("", ACCOUNT, namespace) and name.name in accounts


def _role_of(binding: Manifest) -> tuple[str, str, str]:
    said: JsonObject = binding.body["roleRef"]
    return said["kind"], binding.id.namespace if said["kind"] == "Role" else "", said["name"]


def _split_subjects(
    binding: Manifest, accounts: Collection[str], namespace: str
) -> tuple[list[str], list[JsonObject]]:
    """Return the operator's accounts among the subjects of a binding, and all others."""
    mine, others = [], []
    for each in binding.body.get("subjects", ()):
        there = each.get("namespace", namespace) == namespace
        if each.get("kind") == ACCOUNT and there and each.get("name") in accounts:
            mine.append(each["name"])
        else:
            others.append(each)
    return mine, others


def _collect_rules(grants: Grants) -> dict[str, list[CsvPart]]:
    return {
        account: [
            CsvPart(rule, select_sources(role, "rules", index))
            for role in roles.values()
            for index, rule in enumerate(role.body.get("rules") or ())
        ]
        for account, roles in grants.items()
    }


def build_permissions(said: dict[str, list[CsvPart]]) -> CsvPart:
    """Return the permissions of each account as a ClusterServiceVersion has them."""
    return join_parts(
        CsvPart({"serviceAccountName": account, "rules": listed.value}, tuple(listed.sources_at("rules")))
        for account, rules in sorted(said.items())
        for listed in (join_parts(rules),)
    )
