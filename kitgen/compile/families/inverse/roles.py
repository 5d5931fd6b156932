"""Inverse of permissions: roles in the readable shorthand, each with its binding to an account."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.compile.bare import are_texts, bare, is_made
from kitgen.compile.bound import VERSION, Bound, account, as_text, bound
from kitgen.compile.granted import granted
from kitgen.compile.inverse import Inverse, Recognised, Scene
from kitgen.compile.rbac import NONE, OPERATOR
from kitgen.compile.refused import is_refused
from kitgen.compile.role_terms import normal, terms
from kitgen.objects import RBAC, ObjectId
from kitgen.yamlio import Json, JsonObject


def recognise(scene: Scene) -> Recognised | None:
    """Find the roles that the shorthand can say, each with the binding that goes with it."""
    bindings: dict[tuple[str, str], list[tuple[Bound, str]]] = {}
    older = scene.older.get("bindings")
    apart = older if isinstance(older, dict) else {}
    for each in bound(scene):
        if len(each.subjects) != 1 or each.name in apart:
            continue
        if (whom := account(scene, each.subjects[0])) is not None:
            bindings.setdefault(each.role, []).append((each, str(as_text(whom))))
    section: JsonObject = {}
    taken: set[ObjectId] = set()
    for at, name, role in _roles(scene):
        if name in section:
            continue  # a role and a cluster role of one name: the second stays an object
        namespaced = at.kind == "Role"
        own = [each for each in bindings.get((at.kind, at.name), ()) if each[0].namespaced == namespaced]
        best = _best(own, name, _older(scene, name)) if own else None
        whom = best[1] if best else NONE
        section[name] = {
            **({"namespaced": True} if namespaced else {}),
            **({"bind": whom} if whom != OPERATOR else {}),
            **({"binding": best[0].name} if best and best[0].name != f"{name}binding" else {}),
            **({"bindingLabels": best[0].labels} if best and best[0].labels else {}),
            **role,
        }
        taken |= {at, *([best[0].id] if best else ())}
    return Recognised(section=section, objects=frozenset(taken)) if section else None


def _older(scene: Scene, name: str) -> JsonObject:
    """Return what the older spec says of a role."""
    roles: Json = scene.older.get("roles")
    role = roles.get(name) if isinstance(roles, dict) else None
    return role if isinstance(role, dict) else {}


def _best(own: list[tuple[Bound, str]], name: str, older: JsonObject) -> tuple[Bound, str]:
    """Return the binding that is the role's: as before, the one with the usual name, or the operator's."""
    usual = f"{name}binding"
    before = older.get("binding", usual)
    return min(
        own,
        key=lambda each: (
            not older or each[0].name != before,
            each[0].name != usual,
            each[1] != OPERATOR,
        ),
    )


def _roles(scene: Scene) -> Iterator[tuple[ObjectId, str, JsonObject]]:
    """Yield the roles that the family could have made: names, labels and permissions."""
    for at, given in scene.objects.items():
        name = scene.short(at.name)
        if at.group != RBAC or at.kind not in ("Role", "ClusterRole") or not name:
            continue
        body = bare(given)
        labels = body["metadata"].get("labels", {})
        if not is_made(body, VERSION, at.kind, ("rules",), ("labels",)) or not are_texts(labels):
            continue
        permissions = granted(body.get("rules"))
        if permissions is None or (at.kind == "Role" and any(key.startswith("/") for key in permissions)):
            continue
        if is_refused(scene, permissions):  # what is, a patch grants
            permissions = {
                key: each for key, each in permissions.items() if not is_refused(scene, {key: each})
            }
        if permissions:
            yield at, name, {**({"labels": labels} if labels else {}), "permissions": permissions}


INVERSE = Inverse(key="roles", recognise=recognise, normal=normal, terms=terms)
