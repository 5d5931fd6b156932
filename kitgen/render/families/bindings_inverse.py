"""Inverse of bindings: roles for groups of users and for service accounts."""

from __future__ import annotations

from kitgen.kube.identity import RBAC, ObjectId
from kitgen.render.families.role_binding_inverse import Bound, account, bound
from kitgen.render.inverse import Inverse, Recognised, SectionChange, SectionWords, TreeObjects
from kitgen.render.real_objects import changed, is_text, way
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


def normal(section: Json) -> JsonObject:
    """Leave out what says nothing."""
    found = section if isinstance(section, dict) else {}
    return {name: {key: value for key, value in each.items() if value} for name, each in found.items()}


def terms(change: SectionChange) -> SectionWords:
    """Say bindings as specs do; lists of accounts that all have names are merged by these."""
    old: JsonObject = change.old if isinstance(change.old, dict) else {}
    final = changed(normal(old), change)
    if old and not final:
        return SectionWords(remove=("",))
    section: JsonObject = {}
    remove: list[str] = []
    for name, before in old.items():
        after = final.get(name)
        if not after or "role" not in after:
            remove.append(way(name))
            continue
        own: JsonObject = {key: value for key, value in after.items() if before.get(key) != value}
        remove += [way(name, key) for key in before if before[key] and not after.get(key)]
        if had := before.get("labels"):
            has: JsonObject = after.get("labels") or {}
            own["labels"] = {key: text for key, text in has.items() if had.get(key) != text}
            remove += [way(name, "labels", key) for key in had if has and key not in has]
        have, want = _by_name(before.get("serviceAccounts")), _by_name(own.get("serviceAccounts"))
        if have and want:
            remove += [way(name, "serviceAccounts", each) for each in have if each not in want]
            own["serviceAccounts"] = [each for key, each in want.items() if have.get(key) != each]
        own = {key: value for key, value in own.items() if value}
        if own:
            section[name] = own
    section |= {name: each for name, each in final.items() if name not in old}
    return SectionWords(section=section or None, remove=tuple(remove))


def _by_name(accounts: Json) -> dict[str, JsonObject] | None:
    """Return accounts by name as chains merge them; None if they do not."""
    if not isinstance(accounts, list) or not all(isinstance(each, dict) for each in accounts):
        return None
    found = {each["name"]: each for each in accounts}
    return found if len(found) == len(accounts) else None


INVERSE = Inverse(recognise=recognise, normal=normal, terms=terms)
