"""Family of access roles: a viewer and an editor role for each resource, and what aggregates them."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.compile.context import Context
from kitgen.compile.family import Family
from kitgen.compile.layers import Folded, fold, source
from kitgen.findings import Path
from kitgen.objects import RBAC, Manifest
from kitgen.yamlio import Json, JsonObject

VERBS = {
    "editor": ("create", "delete", "get", "list", "patch", "update", "watch"),
    "viewer": ("get", "list", "watch"),
}


def access_roles(context: Context) -> Iterator[Manifest]:
    """Make the roles that let people edit or view what the component manages."""
    for item in context.part["accessRoles"]:
        folded = fold(item.layers)
        audiences: JsonObject = folded.data.get("aggregates", {})
        for audience, content in audiences.items():
            selector = {"matchLabels": {content["label"]: "true"}}
            body = {
                "apiVersion": f"{RBAC}/v1",
                "kind": "ClusterRole",
                "metadata": {"name": context.name(content["role"])},
                "aggregationRule": {"clusterRoleSelectors": [selector]},
            }
            yield _manifest(body, folded, ("aggregates", audience))
        for index, content in enumerate(folded.data.get("sets", [])):
            for number, resource in enumerate(content["resources"]):
                for task in VERBS:
                    body = _role(context, task, _full(context, resource), content, audiences)
                    yield _manifest(body, folded, ("sets", index, "resources", number))


def _full(context: Context, given: Json) -> tuple[str, str, str]:
    """Return the group, the plural and the name of a resource: said in place, declared, or the usual one."""
    group, _, plural = (given["resource"] if isinstance(given, dict) else given).partition("/")
    group = "" if group == "core" else group
    name = given["name"] if isinstance(given, dict) else context.resources.singular(group, plural)
    return group, plural, name


def _role(
    context: Context, task: str, resource: tuple[str, str, str], content: Json, audiences: JsonObject
) -> JsonObject:
    group, plural, single = resource
    groups = [group]
    rules = [{"apiGroups": groups, "resources": [plural], "verbs": list(VERBS[task])}]
    if content.get("status", True):
        rules.append({"apiGroups": groups, "resources": [f"{plural}/status"], "verbs": ["get"]})
    labels = {
        audiences[audience]["label"]: "true" for audience in content[f"{task}s"] if audience in audiences
    }
    meta: JsonObject = {"name": context.name(f"{single}-{task}-role")}
    if labels:
        meta["labels"] = labels
    return {"apiVersion": f"{RBAC}/v1", "kind": "ClusterRole", "metadata": meta, "rules": rules}


def _manifest(body: JsonObject, folded: Folded, path: Path) -> Manifest:
    return Manifest(body=body, sources=(source(folded.exact(path), (), "accessRoles"),))


FAMILY = Family(key="accessRoles", objects=access_roles)
