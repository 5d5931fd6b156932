"""Inverse of bindings: roles for groups of users and for service accounts."""

from __future__ import annotations

from kitgen.kube.identity import RBAC, ObjectId
from kitgen.render.families.role_binding_inverse import Bound, account, bound
from kitgen.render.inverse import Inverse, Recognised, TreeObjects
from kitgen.render.real_objects import is_text
from kitgen.render.section_changes import older_words, terms_of, without_empty
from kitgen.text.yaml import Json, JsonObject


def recognise(scene: TreeObjects) -> Recognised | None:
    """Find bindings of one role to groups, and then to accounts."""
    known = {(at.kind, at.name) for at in scene.everything if at.group == RBAC}
    section: JsonObject = {}
    taken: set[ObjectId] = set()
    for each in bound(scene):
        kind, full = each.role
        role, subjects = scene.short(full), _subjects(scene, each)
        if not role or subjects is None or each.name in section or kind != _kind(scene, role, each):
            continue
        if scene.prefix and (kind, full) not in known:
            continue  # a spec with a prefix binds its own roles only
        section[each.name] = {
            "role": role,
            **subjects,
            **({"namespaced": True} if each.namespaced else {}),
            **({"labels": each.labels} if each.labels else {}),
        }
        taken.add(each.id)
    return Recognised(section=section, objects=frozenset(taken)) if section else None


def _kind(scene: TreeObjects, role: str, binding: Bound) -> str:
    """Return the kind of role that the family binds under a name."""
    roles = scene.found.get("roles")
    own = roles.get(role) if isinstance(roles, dict) else None
    inside = isinstance(own, dict) and own.get("namespaced")
    elected = scene.found.get("leaderElection") == role
    return "Role" if binding.namespaced and (inside or elected) else "ClusterRole"


def _subjects(scene: TreeObjects, binding: Bound) -> JsonObject | None:
    """Return groups and accounts in words; None if there is something else, or another order."""
    groups: list[Json] = []
    accounts: list[Json] = []
    for subject in binding.subjects:
        if subject.get("kind") == "Group":
            fine = subject.keys() == {"apiGroup", "kind", "name"} and subject["apiGroup"] == RBAC
            if not fine or not is_text(subject["name"]) or accounts:
                return None
            groups.append(subject["name"])
        elif (one := account(scene, subject)) is not None:
            accounts.append(one)
        else:
            return None
    found = {"groups": groups, "serviceAccounts": accounts}
    return {key: value for key, value in found.items() if value}


def _words(want: Json, old: Json) -> JsonObject:
    """Say bindings as specs do; one without a role is none."""
    return {name: each for name, each in older_words(want, old).items() if "role" in each}


INVERSE = Inverse(
    recognise=recognise, normal=without_empty, terms=terms_of("bindings", without_empty, _words)
)
