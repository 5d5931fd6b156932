"""Inverse of bindings: roles that are granted to groups of users and to ServiceAccounts."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.kube.identity import RBAC, ObjectId
from kitgen.render.families.role_binding_inverse import Bound, account, bound
from kitgen.render.inverse import Inverse, TreeObjects, by_name, is_text
from kitgen.render.section_changes import older_words, terms_of, without_empty
from kitgen.text.values import value_at
from kitgen.text.yaml import Json, JsonObject


def bindings(scene: TreeObjects) -> Iterator[tuple[str, JsonObject, ObjectId]]:
    """Yield bindings of one role to groups, and then to accounts."""
    known = {(at.kind, at.name) for at in scene.everything if at.group == RBAC}
    for each in bound(scene):
        role, subjects = scene.short(each.role[1]), _subjects(scene, each)
        if not role or subjects is None:
            continue
        named = (
            value_at(scene.found, "roles", role, "namespaced") or scene.found.get("leaderElection") == role
        )
        kind = "Role" if each.namespaced and named else "ClusterRole"  # which the family binds
        # A spec with a prefix binds its own roles only.
        if each.role[0] == kind and (not scene.prefix or each.role in known):
            said = {"role": role, **subjects, "namespaced": each.namespaced, "labels": each.labels}
            yield each.name, {key: value for key, value in said.items() if value}, each.id


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
    return {"groups": groups, "serviceAccounts": accounts}


def _words(want: Json, old: Json) -> JsonObject:
    """Write bindings as specs do; one without a role is none."""
    return {name: each for name, each in older_words(want, old).items() if "role" in each}


INVERSE = Inverse(
    recognise=by_name(bindings), normal=without_empty, terms=terms_of("bindings", without_empty, _words)
)
