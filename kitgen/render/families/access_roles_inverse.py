"""Inverse of access roles: pairs of viewer and editor roles, and what aggregates them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from msgspec import Struct

from kitgen.kube.identity import RBAC, ObjectId
from kitgen.render.families.access_role_labels_inverse import (
    audience_labels,
    common_labels,
    other_labels,
    plain_labels,
    with_others,
)
from kitgen.render.families.access_role_sets_inverse import Rights, normal, terms
from kitgen.render.families.access_roles import VERBS
from kitgen.render.families.permissions_inverse import granted, is_refused
from kitgen.render.families.role_binding_inverse import VERSION
from kitgen.render.inverse import Inverse, Recognised, TreeObjects
from kitgen.render.real_objects import are_texts, bare, is_made, is_text
from kitgen.text.yaml import Json, JsonObject

RESOURCE = re.compile(r"[a-z0-9.-]+/[a-z0-9]+")


class AccessRole(Struct, frozen=True):
    """An editor or a viewer role."""

    id: ObjectId
    resource: str
    status: bool
    labels: JsonObject


class AccessRolePair(Struct, frozen=True):
    """The editor and the viewer role of a resource."""

    key: str
    """The resource, with the name that roles are called after if that is not the usual one."""
    editor: AccessRole
    viewer: AccessRole
    editors: set[str]
    """The labels of those that may edit."""
    viewers: set[str]
    labels: JsonObject
    """All others, which both roles have."""


def recognise(scene: TreeObjects) -> Recognised | None:
    """Find roles that aggregate others, and pairs of roles that let people edit and view a resource."""
    older: Json = scene.older.get("accessRoles")
    before: JsonObject = older if isinstance(older, dict) else {}
    aggregates, taken = _aggregates(scene, before)
    pairs = [*_pairs(scene, plain_labels(before, aggregates))]
    labels = common_labels(before, [each.labels for each in pairs])
    pairs = [each for each in pairs if labels.keys() <= each.labels.keys()]
    used = {label for each in pairs for label in each.editors | each.viewers}
    aggregates = with_others(before, aggregates, used)
    names = {content["label"]: name for name, content in reversed(aggregates.items())}
    resources: JsonObject = {}
    for each in pairs:
        rest = {key: text for key, text in each.labels.items() if labels.get(key) != text}
        rights = {"status": each.editor.status, "labels": rest}
        members = {"editors": each.editors, "viewers": each.viewers}
        people = {key: [names[label] for label in some] for key, some in members.items()}
        resources[each.key] = Rights.of({**rights, **people}).normal()
        taken |= {each.editor.id, each.viewer.id}
    section = {"aggregates": aggregates, "labels": labels, "resources": resources}
    section = {key: value for key, value in section.items() if value}
    return Recognised(section=section, objects=frozenset(taken)) if section else None


def _aggregates(scene: TreeObjects, before: JsonObject) -> tuple[JsonObject, set[ObjectId]]:
    """Return the roles that take in all others with a label, by audience."""
    known: JsonObject = before.get("aggregates") or {}
    called = {each.get("role"): name for name, each in known.items() if isinstance(each, dict)}
    by_label = {each.get("label"): name for name, each in known.items() if isinstance(each, dict)}
    found: JsonObject = {}
    taken: set[ObjectId] = set()
    for at, role, label, labels in _aggregating(scene):
        names = (called.get(role), by_label.get(label), role.removesuffix("-role"), role)
        audience = next((name for name in names if name and name not in found), None)
        if audience:
            found[audience] = {"role": role, "label": label, **({"labels": labels} if labels else {})}
            taken.add(at)
    return found, taken


def _aggregating(scene: TreeObjects) -> Iterator[tuple[ObjectId, str, str, JsonObject]]:
    """Yield the roles that take in others: their names, the label of those, and labels of their own."""
    for at, given in scene.objects.items():
        if (at.group, at.kind) != (RBAC, "ClusterRole") or not scene.short(at.name):
            continue
        body = bare(given)
        own = body["metadata"].get("labels", {})
        keys = ("aggregationRule", "rules")
        if not is_made(body, VERSION, "ClusterRole", keys, ("labels",)) or body.get("rules"):
            continue
        match body.get("aggregationRule"):
            case {"clusterRoleSelectors": [{"matchLabels": dict(labels), **more}], **rest}:
                fine = not more and not rest and list(labels.values()) == ["true"]
                if fine and is_text(label := next(iter(labels))) and are_texts(own):
                    yield at, str(scene.short(at.name)), label, own


def _pairs(scene: TreeObjects, plain: Collection[str]) -> Iterator[AccessRolePair]:
    """Yield editors and viewers of the same resource that are called after the same thing.

    Of their labels, `plain` are of no audience.
    """
    found = _roles(scene)
    for name, editor in found["editor"].items():
        viewer = found["viewer"].get(name)
        if not viewer or (viewer.resource, viewer.status) != (editor.resource, editor.status):
            continue
        editors, viewers = (audience_labels(each.labels, plain) for each in (editor, viewer))
        labels = other_labels(editor.labels, editors, f"{name}-editor")
        if labels == other_labels(viewer.labels, viewers, f"{name}-viewer"):
            group, _, plural = editor.resource.partition("/")
            usual = scene.resources.singular("" if group == "core" else group, plural)
            key = editor.resource if name == usual else f"{editor.resource}:{name}"
            yield AccessRolePair(key, editor, viewer, editors, viewers, labels)


def _roles(scene: TreeObjects) -> dict[str, dict[str, AccessRole]]:
    """Return roles that look as if they were for editors, and for viewers, by what they are called after."""
    older = scene.older.get("roles")
    kept = older if isinstance(older, dict) else {}
    found: dict[str, dict[str, AccessRole]] = {task: {} for task in VERBS}
    for at, given in scene.objects.items():
        if (at.group, at.kind) != (RBAC, "ClusterRole"):
            continue
        short = scene.short(at.name) or ""
        for task in VERBS:
            name = short.removesuffix(f"-{task}-role")
            if name and name != short and short not in kept:
                role = _role(at, bare(given), task)
                if role and not is_refused(scene, {role.resource: "get"}):
                    found[task][name] = role
    return found


def _role(at: ObjectId, body: JsonObject, task: str) -> AccessRole | None:
    """Return what a role is for, if it is one that the family could have made."""
    labels = body["metadata"].get("labels", {})
    if not is_made(body, VERSION, "ClusterRole", ("rules",), ("labels",)) or not are_texts(labels):
        return None
    permissions = granted(body.get("rules")) or {}
    verbs = " ".join(sorted(VERBS[task]))
    resource = next((key for key in permissions if RESOURCE.fullmatch(key)), "")
    status = f"{resource}/status" in permissions
    usual = {resource: verbs, **({f"{resource}/status": "get"} if status else {})}
    return AccessRole(at, resource, status, labels) if resource and permissions == usual else None


INVERSE = Inverse(recognise=recognise, normal=normal, terms=terms)
