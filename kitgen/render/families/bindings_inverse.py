"""Inverse of bindings: roles that are granted to groups of users and to ServiceAccounts."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.kube.identity import RBAC, ObjectId
from kitgen.render.families.role_binding_inverse import Bound, find_role_bindings, to_spec_account
from kitgen.render.inverse import Inverse, TreeObjects, is_literal_text, make_recogniser
from kitgen.render.section_changes import drop_empty_values, keep_empty_values_by_name, make_change_converter
from kitgen.text.values import value_at
from kitgen.text.yaml import Json, JsonObject


def find_bindings(scene: TreeObjects) -> Iterator[tuple[str, JsonObject, ObjectId]]:
    """Yield bindings of one role to groups, and then to accounts."""
    known = {(at.kind, at.name) for at in scene.everything if at.group == RBAC}
    for each in find_role_bindings(scene):
        role, subjects = scene.strip_prefix(each.role[1]), _parse_subjects(scene, each)
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


def _parse_subjects(scene: TreeObjects, binding: Bound) -> JsonObject | None:
    """Return groups and accounts in words; None if there is something else, or another order."""
    groups: list[Json] = []
    accounts: list[Json] = []
    for subject in binding.subjects:
        if subject.get("kind") == "Group":
            fine = subject.keys() == {"apiGroup", "kind", "name"} and subject["apiGroup"] == RBAC
            if not fine or not is_literal_text(subject["name"]) or accounts:
                return None
            groups.append(subject["name"])
        elif (one := to_spec_account(scene, subject)) is not None:
            accounts.append(one)
        else:
            return None
    return {"groups": groups, "serviceAccounts": accounts}


def _to_section(want: Json, old: Json) -> JsonObject:
    """Write bindings as specs do; one without a role is none."""
    return {name: each for name, each in keep_empty_values_by_name(want, old).items() if "role" in each}


INVERSE = Inverse(
    recognise=make_recogniser(find_bindings),
    normal=drop_empty_values,
    terms=make_change_converter("bindings", drop_empty_values, _to_section),
)
