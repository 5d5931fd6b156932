"""Inverse of permissions: roles in the readable shorthand, each with its binding to an account.

Inverse of the usual leader election role.
"""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.kube.identity import RBAC, ObjectId
from kitgen.render.families.permissions_inverse import granted, is_refused
from kitgen.render.families.role_binding import NONE, OPERATOR
from kitgen.render.families.role_binding_inverse import VERSION, Bound, account, as_text, bound
from kitgen.render.families.role_specs_inverse import normal, terms
from kitgen.render.families.roles import rules
from kitgen.render.inverse import Inverse, Recognised, TreeObjects
from kitgen.render.real_objects import are_texts, bare, is_made
from kitgen.render.section_changes import terms_of
from kitgen.text.yaml import Json, JsonObject


def recognise(scene: TreeObjects) -> Recognised | None:
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


def _older(scene: TreeObjects, name: str) -> JsonObject:
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


def _roles(scene: TreeObjects) -> Iterator[tuple[ObjectId, str, JsonObject]]:
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


INVERSE = Inverse(recognise=recognise, normal=normal, terms=terms)


def recognise_elections(scene: TreeObjects) -> Recognised | None:
    """Find the Role that grants what client-go needs, bound to the operator alone."""
    bindings = {(each.role, each.name): each for each in bound(scene) if each.namespaced}
    usual, roles = granted(rules()), scene.older.get("roles")
    others = roles if isinstance(roles, dict) else {}
    found: dict[str, Recognised] = {}
    for at, given in scene.objects.items():
        name = scene.short(at.name)
        if (at.group, at.kind) != (RBAC, "Role") or not name or name in others:
            continue
        body = bare(given)
        binding = bindings.get((("Role", at.name), f"{name}binding"))
        if binding is None or not _for_operator(scene, binding):
            continue
        if is_made(body, VERSION, "Role", ("rules",)) and granted(body.get("rules")) == usual:
            found[name] = Recognised(section=name, objects=frozenset([at, binding.id]))
    older = scene.older.get("leaderElection")
    return found.get(older if isinstance(older, str) else "") or next(iter(found.values()), None)


def _for_operator(scene: TreeObjects, binding: Bound) -> bool:
    return [account(scene, each) for each in binding.subjects] == [OPERATOR]


ELECTIONS = Inverse(
    recognise=recognise_elections, terms=terms_of("leaderElection", str, lambda want, _: want)
)
