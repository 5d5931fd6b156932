"""Family of access roles: a viewer and an editor role per resource, and the roles that aggregate them."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.kit.model.component import list_access_sets, resource_key
from kitgen.kube.identity import RBAC
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.render.context import RenderContext
from kitgen.render.expressions import THE_ROLE
from kitgen.render.family import Family
from kitgen.render.labels import build_metadata
from kitgen.render.layers import LayeredValue, LayerTouch, build_source, merge_layers
from kitgen.text.yaml import Json, JsonObject

VERBS = {
    "editor": ("create", "delete", "get", "list", "patch", "update", "watch"),
    "viewer": ("get", "list", "watch"),
}


def build_access_roles(context: RenderContext) -> Iterator[Manifest]:
    """Make the roles that let people edit or view what the component manages."""
    for item in context.part["accessRoles"]:
        folded = merge_layers(item.layers)
        for audience, content in folded.data.get("aggregates", {}).items():
            if "role" in content:
                own = {"labels": ("aggregates", audience, "labels")}
                meta, labelled = build_metadata(
                    context.full_name(content["role"]), folded, "accessRoles", own
                )
                whole = build_source(folded.touch_at(("aggregates", audience)), (), "accessRoles")
                body = {"apiVersion": f"{RBAC}/v1", "kind": "ClusterRole", "metadata": meta}
                body["aggregationRule"] = build_aggregation_rule(content["label"])
                yield Manifest(body=body, sources=(whole, *labelled))
        last = {
            resource_key(resource): layer
            for layer in item.layers
            for _, content in list_access_sets(layer.data)
            for resource in content["resources"]
        }
        for layer in item.layers:
            for step, content in list_access_sets(layer.data):
                for number, resource in enumerate(content["resources"]):
                    if last[resource_key(resource)] is layer:
                        said = LayerTouch((), layer, ("sets", step, "resources", number))
                        yield from _build_role_pair(
                            context, _resolve_resource(context, resource), content, said, folded
                        )


def build_aggregation_rule(label: str) -> JsonObject:
    """Return what takes in all roles with a label."""
    return {"clusterRoleSelectors": [{"matchLabels": {label: "true"}}]}


def _resolve_resource(context: RenderContext, given: Json) -> tuple[str, str, str]:
    """Return the group, the plural and the name of a resource: said in place, declared, or the usual one."""
    group, _, plural = (given["resource"] if isinstance(given, dict) else given).partition("/")
    group = "" if group == "core" else group
    name = given["name"] if isinstance(given, dict) else context.resources.singular(group, plural)
    return group, plural, name


def _build_role_pair(
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
        meta = {"name": context.full_name(f"{single}-{task}-role"), **({"labels": labels} if labels else {})}
        yield Manifest(
            body={"apiVersion": f"{RBAC}/v1", "kind": "ClusterRole", "metadata": meta, "rules": rules},
            sources=(build_source(said, (), "accessRoles"), *_build_label_sources(content, said, folded)),
        )


def _build_label_sources(
    content: JsonObject, said: LayerTouch, folded: LayeredValue
) -> Iterator[FieldSource]:
    """Return where the labels of a role come from that are not those of an audience."""
    own = content.get("labels", {})
    for key in {**folded.data.get("labels", {}), **own}:
        inside = LayerTouch((), said.layer, (*said.within[:2], "labels", key))
        touch = inside if key in own else folded.touch_at(("labels", key))
        yield build_source(touch, ("metadata", "labels", key), "accessRoles")


FAMILY = Family(objects=build_access_roles, follows=("accessRoles",))
