"""Family of access roles: a viewer and an editor role per resource, and the roles that aggregate them."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.kit.model.component import each_set, resource_key
from kitgen.kube.identity import RBAC
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.render.context import RenderContext
from kitgen.render.expressions import THE_ROLE
from kitgen.render.family import Family
from kitgen.render.labels import metadata
from kitgen.render.layers import LayeredValue, LayerTouch, fold, source
from kitgen.text.yaml import Json, JsonObject

VERBS = {
    "editor": ("create", "delete", "get", "list", "patch", "update", "watch"),
    "viewer": ("get", "list", "watch"),
}


def access_roles(context: RenderContext) -> Iterator[Manifest]:
    """Make the roles that let people edit or view what the component manages."""
    for item in context.part["accessRoles"]:
        folded = fold(item.layers)
        for audience, content in folded.data.get("aggregates", {}).items():
            if "role" in content:
                own = {"labels": ("aggregates", audience, "labels")}
                meta, labelled = metadata(context.name(content["role"]), folded, "accessRoles", own)
                whole = source(folded.exact(("aggregates", audience)), (), "accessRoles")
                body = {"apiVersion": f"{RBAC}/v1", "kind": "ClusterRole", "metadata": meta}
                body["aggregationRule"] = aggregation(content["label"])
                yield Manifest(body=body, sources=(whole, *labelled))
        last = {
            resource_key(resource): layer
            for layer in item.layers
            for _, content in each_set(layer.data)
            for resource in content["resources"]
        }
        for layer in item.layers:
            for step, content in each_set(layer.data):
                for number, resource in enumerate(content["resources"]):
                    if last[resource_key(resource)] is layer:
                        said = LayerTouch((), layer, ("sets", step, "resources", number))
                        yield from _pair(context, _full(context, resource), content, said, folded)


def aggregation(label: str) -> JsonObject:
    """Return what takes in all roles with a label."""
    return {"clusterRoleSelectors": [{"matchLabels": {label: "true"}}]}


def _full(context: RenderContext, given: Json) -> tuple[str, str, str]:
    """Return the group, the plural and the name of a resource: said in place, declared, or the usual one."""
    group, _, plural = (given["resource"] if isinstance(given, dict) else given).partition("/")
    group = "" if group == "core" else group
    name = given["name"] if isinstance(given, dict) else context.resources.singular(group, plural)
    return group, plural, name


def _pair(
    context: RenderContext,
    resource: tuple[str, str, str],
    content: JsonObject,
    said: LayerTouch,
    folded: LayeredValue,
) -> Iterator[Manifest]:
    """Make the editor and the viewer role of a resource."""
    group, plural, single = resource
    audiences: JsonObject = folded.data.get("aggregates", {})
    for task, verbs in VERBS.items():
        rules = [{"apiGroups": [group], "resources": [plural], "verbs": list(verbs)}]
        if content.get("status", True):
            rules.append({"apiGroups": [group], "resources": [f"{plural}/status"], "verbs": ["get"]})
        own = {**folded.data.get("labels", {}), **content.get("labels", {})}
        labels: JsonObject = {key: text.replace(THE_ROLE, f"{single}-{task}") for key, text in own.items()}
        members = (audiences[each]["label"] for each in content[f"{task}s"] if each in audiences)
        labels |= dict.fromkeys(members, "true")
        meta = {"name": context.name(f"{single}-{task}-role"), **({"labels": labels} if labels else {})}
        yield Manifest(
            body={"apiVersion": f"{RBAC}/v1", "kind": "ClusterRole", "metadata": meta, "rules": rules},
            sources=(source(said, (), "accessRoles"), *_labelled(content, said, folded)),
        )


def _labelled(content: JsonObject, said: LayerTouch, folded: LayeredValue) -> Iterator[FieldSource]:
    """Return where the labels of a role come from that are not those of an audience."""
    own = content.get("labels", {})
    for key in {**folded.data.get("labels", {}), **own}:
        inside = LayerTouch((), said.layer, (*said.within[:2], "labels", key))
        touch = inside if key in own else folded.exact(("labels", key))
        yield source(touch, ("metadata", "labels", key), "accessRoles")


FAMILY = Family(objects=access_roles, alone=True)
