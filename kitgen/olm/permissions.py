"""Who may do what: OLM makes accounts, roles and bindings from what the ClusterServiceVersion lists."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

from kitgen.kube.identity import RBAC
from kitgen.kube.manifest import Manifest
from kitgen.olm.csv_parts import CsvPart, inside, many
from kitgen.text.yaml import Json, JsonObject

ROLES = ("ClusterRole", "Role")
BINDINGS = ("ClusterRoleBinding", "RoleBinding")
ACCOUNT = "ServiceAccount"
AGGREGATED = f"{RBAC}/aggregate-to-"


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


def access(objects: Sequence[Manifest], accounts: Collection[str], namespace: str) -> OperatorPermissions:
    """Find what roles grant the accounts of the operator; what others have too stays as it is."""
    roles = {(each.id.kind, each.id.namespace, each.id.name): each for each in objects if _is(each, ROLES)}
    bindings = [each for each in objects if _is(each, BINDINGS)]
    cluster: dict[str, list[CsvPart]] = {}
    own: dict[str, list[CsvPart]] = {}
    taken = {id(each) for each in objects if _is_account(each, accounts, namespace)}
    trimmed: dict[int, Manifest] = {}
    given: set[tuple[bool, str, int]] = set()
    needed: set[int] = set()
    served: dict[int, None] = {}
    for binding in bindings:
        role = roles.get(_role_of(binding))
        mine, others = _subjects(binding, accounts, namespace)
        everywhere = binding.id.kind == "ClusterRoleBinding"
        elsewhere = not everywhere and binding.id.namespace != namespace
        if role is None or not mine or elsewhere or "aggregationRule" in role.body:
            needed.add(id(role))  # what an aggregated role grants is known on the cluster alone
            continue
        if any(key.startswith(AGGREGATED) for key in role.body["metadata"].get("labels", {})):
            needed.add(id(role))
        for account in mine:
            rules = (cluster if everywhere else own).setdefault(account, [])
            rules += [] if (everywhere, account, id(role)) in given else _rules(role)
            given.add((everywhere, account, id(role)))
        served[id(role)] = None
        if others:
            needed.add(id(role))
            trimmed[id(binding)] = Manifest(
                body={**binding.body, "subjects": others}, sources=binding.sources
            )
        else:
            taken.add(id(binding))
    taken |= {each for each in served if each not in needed}
    return OperatorPermissions(cluster=cluster, own=own, taken=frozenset(taken), trimmed=trimmed)


def _is(manifest: Manifest, kinds: Collection[str]) -> bool:
    return manifest.id.group == RBAC and manifest.id.kind in kinds


def _is_account(manifest: Manifest, accounts: Collection[str], namespace: str) -> bool:
    name = manifest.id
    return (name.group, name.kind, name.namespace) == ("", ACCOUNT, namespace) and name.name in accounts


def _role_of(binding: Manifest) -> tuple[str, str, str]:
    said: JsonObject = binding.body["roleRef"]
    return said["kind"], binding.id.namespace if said["kind"] == "Role" else "", said["name"]


def _subjects(
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


def _rules(role: Manifest) -> Iterator[CsvPart]:
    rules: Json = role.body.get("rules") or []
    yield from (CsvPart(rule, inside(role, "rules", index)) for index, rule in enumerate(rules))


def permissions(said: dict[str, list[CsvPart]]) -> CsvPart:
    """Return the permissions of each account as a ClusterServiceVersion has them."""
    return many(
        CsvPart({"serviceAccountName": account, "rules": listed.value}, tuple(listed.at("rules")))
        for account, rules in sorted(said.items())
        for listed in (many(rules),)
    )
