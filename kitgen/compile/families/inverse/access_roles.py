"""Inverse of access roles: pairs of viewer and editor roles, and what aggregates them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from kitgen.compile.access_sets import normal, terms
from kitgen.compile.bare import are_texts, bare, is_made, is_text
from kitgen.compile.bound import VERSION
from kitgen.compile.families.access_roles import VERBS
from kitgen.compile.granted import granted
from kitgen.compile.inverse import Inverse, Recognised, Scene
from kitgen.compile.refused import is_refused
from kitgen.objects import RBAC, ObjectId
from kitgen.yamlio import Json, JsonObject

RESOURCE = re.compile(r"[a-z0-9.-]+/[a-z0-9]+")


class Role(Struct, frozen=True):
    """An editor or a viewer role."""

    id: ObjectId
    resource: str
    status: bool
    labels: frozenset[str]


def recognise(scene: Scene) -> Recognised | None:
    """Find roles that aggregate others, and pairs of roles that let people edit and view a resource."""
    aggregates, taken = _aggregates(scene)
    audiences = {content["label"]: name for name, content in reversed(aggregates.items())}
    resources: JsonObject = {}
    for name, editor, viewer in _pairs(scene, audiences):
        group, _, plural = editor.resource.partition("/")
        usual = scene.resources.singular("" if group == "core" else group, plural)
        resources[editor.resource if name == usual else f"{editor.resource}:{name}"] = {
            "editors": " ".join(sorted(audiences[label] for label in editor.labels)),
            "viewers": " ".join(sorted(audiences[label] for label in viewer.labels)),
            **({"status": False} if not editor.status else {}),
        }
        taken |= {editor.id, viewer.id}
    if not taken:
        return None
    section = {"aggregates": aggregates, "resources": resources}
    return Recognised(
        section={key: value for key, value in section.items() if value}, objects=frozenset(taken)
    )


def _aggregates(scene: Scene) -> tuple[JsonObject, set[ObjectId]]:
    """Return the roles that take in all others with a label, by audience."""
    known: Json = scene.older.get("accessRoles")
    known = known.get("aggregates") if isinstance(known, dict) else None
    known = known if isinstance(known, dict) else {}
    called = {each.get("role"): name for name, each in known.items() if isinstance(each, dict)}
    by_label = {each.get("label"): name for name, each in known.items() if isinstance(each, dict)}
    found: JsonObject = {}
    taken: set[ObjectId] = set()
    for at, role, label in _aggregating(scene):
        usual = role.removesuffix("-role")
        names = (called.get(role), by_label.get(label), usual, role)
        audience = next((name for name in names if name and name not in found), None)
        if audience:
            found[audience] = {"role": role, "label": label}
            taken.add(at)
    return found, taken


def _aggregating(scene: Scene) -> Iterator[tuple[ObjectId, str, str]]:
    for at, given in scene.objects.items():
        if (at.group, at.kind) != (RBAC, "ClusterRole") or not scene.short(at.name):
            continue
        body = bare(given)
        if not is_made(body, VERSION, "ClusterRole", ("aggregationRule", "rules")) or body.get("rules"):
            continue
        match body.get("aggregationRule"):
            case {"clusterRoleSelectors": [{"matchLabels": dict(labels), **more}], **rest}:
                fine = not more and not rest and list(labels.values()) == ["true"]
                if fine and is_text(label := next(iter(labels))):
                    yield at, str(scene.short(at.name)), label


def _pairs(scene: Scene, audiences: dict[str, str]) -> Iterator[tuple[str, Role, Role]]:
    """Yield editors and viewers of the same resource that are called after the same thing."""
    older = scene.older.get("roles")
    kept = older if isinstance(older, dict) else {}
    found: dict[str, dict[str, Role]] = {task: {} for task in VERBS}
    for at, given in scene.objects.items():
        if (at.group, at.kind) != (RBAC, "ClusterRole"):
            continue
        short = scene.short(at.name) or ""
        for task in VERBS:
            name = short.removesuffix(f"-{task}-role")
            if name and name != short and short not in kept:
                role = _role(at, bare(given), task, audiences)
                if role and not is_refused(scene, {role.resource: "get"}):
                    found[task][name] = role
    for name, editor in found["editor"].items():
        viewer = found["viewer"].get(name)
        if viewer and (viewer.resource, viewer.status) == (editor.resource, editor.status):
            yield name, editor, viewer


def _role(at: ObjectId, body: JsonObject, task: str, audiences: dict[str, str]) -> Role | None:
    """Return what a role is for, if it is one that the family could have made."""
    labels = body["metadata"].get("labels", {})
    if not is_made(body, VERSION, "ClusterRole", ("rules",), ("labels",)) or not are_texts(labels):
        return None
    permissions = granted(body.get("rules")) or {}
    verbs = " ".join(sorted(VERBS[task]))
    resource = next((key for key in permissions if RESOURCE.fullmatch(key)), "")
    status = f"{resource}/status" in permissions
    usual = {resource: verbs, **({f"{resource}/status": "get"} if status else {})}
    if not resource or permissions != usual:
        return None
    if not labels.keys() <= audiences.keys() or {*labels.values()} - {"true"}:
        return None
    return Role(at, resource, status, frozenset(labels))


INVERSE = Inverse(key="accessRoles", recognise=recognise, normal=normal, terms=terms)
