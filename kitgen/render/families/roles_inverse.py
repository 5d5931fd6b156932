"""Inverse of permissions: roles in the spec shorthand, their bindings, and leader election."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from kitgen.kit.merge import split_permission_key
from kitgen.kube.identity import ObjectId
from kitgen.render.families.permissions_inverse import (
    expand_permission_key,
    expand_verbs,
    has_permission_errors,
    merge_grants,
    normalize_permissions,
    parse_policy_rules,
    to_permission_shorthand,
)
from kitgen.render.families.role_binding import NONE, OPERATOR
from kitgen.render.families.role_binding_inverse import (
    VERSION,
    Bound,
    find_role_bindings,
    format_account,
    parse_account,
    to_spec_account,
)
from kitgen.render.families.roles import build_election_rules
from kitgen.render.inverse import (
    Inverse,
    RecognisedSection,
    SectionChange,
    SectionWords,
    TreeObjects,
    make_recogniser,
)
from kitgen.render.section_changes import apply_section_change, format_remove_path, make_change_converter
from kitgen.text.values import group_pairs, map_at, text_at
from kitgen.text.yaml import Json, JsonObject

USUAL = ("namespaced", "bind", "binding")
"""What is said of a role only if it is not as usual."""
LABELS = ("labels", "bindingLabels")


def find_bound_roles(scene: TreeObjects) -> Iterator[tuple[str, JsonObject, *tuple[ObjectId, ...]]]:
    """Yield the roles that the shorthand can say, each with the binding that goes with it.

    Of a role and a cluster role of one name, the second stays an object.
    """
    bindings = group_pairs(
        ((each.role, each.namespaced), (each, str(format_account(whom))))
        for each in find_role_bindings(scene)
        if len(each.subjects) == 1 and each.name not in map_at(scene.older, "bindings")
        if (whom := to_spec_account(scene, each.subjects[0])) is not None
    )
    for at, name, role in _find_roles(scene):
        own = bindings.get(((at.kind, at.name), at.kind == "Role"))
        best, whom = _choose_binding(own, name, map_at(scene.older, "roles", name)) if own else (None, NONE)
        said = {
            "namespaced": at.kind == "Role",
            "bind": whom if whom != OPERATOR else None,
            "binding": best.name if best and best.name != f"{name}binding" else None,
            "bindingLabels": best.labels if best else None,
            **role,
        }
        yield name, {key: value for key, value in said.items() if value}, at, *([best.id] if best else ())


def _choose_binding(own: list[tuple[Bound, str]], name: str, older: JsonObject) -> tuple[Bound, str]:
    """Return the binding that is the role's: as before, the one with the usual name, or the operator's."""
    usual = f"{name}binding"
    before = older.get("binding", usual) if older else None
    return min(own, key=lambda each: (each[0].name != before, each[0].name != usual, each[1] != OPERATOR))


def _find_roles(scene: TreeObjects) -> Iterator[tuple[ObjectId, str, JsonObject]]:
    """Yield the roles that the family could have made: names, labels and permissions."""
    for at, name, body in scene.find_family_objects(
        VERSION, ("Role", "ClusterRole"), ("rules",), ("labels",)
    ):
        permissions = parse_policy_rules(body.get("rules"))
        if permissions is None or (at.kind == "Role" and any(key.startswith("/") for key in permissions)):
            continue
        if has_permission_errors(scene, permissions):  # what is, a patch grants
            permissions = {
                key: each
                for key, each in permissions.items()
                if not has_permission_errors(scene, {key: each})
            }
        if permissions:
            yield at, name, {"labels": map_at(body, "metadata", "labels"), "permissions": permissions}


def normalize_roles(section: Json) -> JsonObject:
    """Turn what a spec says of roles into one permission each; what is as usual is left out."""
    return {name: _normalize_role(name, role or {}) for name, role in map_at(section).items()}


def _normalize_role(name: str, role: JsonObject) -> JsonObject:
    bind, binding = format_account(role.get("bind", OPERATOR)), role.get("binding")
    return {
        **({"namespaced": True} if role.get("namespaced") else {}),
        **({"bind": bind} if bind != OPERATOR else {}),
        **({"binding": binding} if binding and binding != f"{name}binding" else {}),
        **{key: role[key] for key in LABELS if role.get(key)},
        **({"permissions": normalize_permissions(role["permissions"])} if role.get("permissions") else {}),
    }


def convert_role_changes(change: SectionChange) -> SectionWords:
    """Write roles in the shorthand; of an existing one, what is different."""
    old = map_at(change.old)
    final = apply_section_change(normalize_roles(old), change)
    if old and not final:
        return SectionWords(remove=("",))
    section: JsonObject = {}
    remove: list[str] = []
    for name in old:
        if not (after := final.get(name)) or not after.get("permissions"):
            remove.append(format_remove_path(name))
            continue
        own, gone = _compare_role(name, old[name] or {}, after)
        remove += (format_remove_path(name, *steps) for steps in gone)
        if own:
            section[name] = own
    section |= {name: _to_role_entry(role) for name, role in final.items() if name not in old}
    return SectionWords(section=section or None, remove=tuple(remove))


def _to_role_entry(role: JsonObject) -> JsonObject:
    """Write a role that was not there."""
    found = {key: role[key] for key in (*USUAL, *LABELS) if key in role}
    if "bind" in found:
        found["bind"] = parse_account(found["bind"])
    permissions = role.get("permissions")
    return {**found, **({"permissions": to_permission_shorthand(permissions)} if permissions else {})}


def _compare_role(name: str, old: JsonObject, final: JsonObject) -> tuple[JsonObject, list[tuple[str, ...]]]:
    """Return what is to be said of a role, and the ways to what goes."""
    before = _normalize_role(name, old)
    own: JsonObject = {key: final[key] for key in USUAL if key in final and final[key] != before.get(key)}
    if "bind" in own:
        own["bind"] = parse_account(own["bind"])
    gone: list[tuple[str, ...]] = [(key,) for key in USUAL if key in before and key not in final]
    for each in LABELS:
        had, has = before.get(each) or {}, final.get(each) or {}
        if fresh := {key: text for key, text in has.items() if had.get(key) != text}:
            own[each] = fresh
        gone += ((each, key) for key in had if key not in has) if has or not had else ((each,),)
    for each in ("binding", "bindingLabels"):  # which must not be said of a role that is not bound
        if final.get("bind") == NONE and each in old and (each,) not in gone:
            gone.append((each,))
    said, less = _compare_permissions(old.get("permissions") or {}, final["permissions"])
    if said:
        own["permissions"] = said
    return own, gone + [("permissions", each) for each in less]


def _compare_permissions(old: JsonObject, final: JsonObject) -> tuple[dict[str, str], list[str]]:
    """Return permissions to write anew, and resources to remove, as chains distinguish them.

    To a chain a resource for two names is one thing; if one of them changes, the other is said again.
    """
    grants = ((each, expand_verbs(words)) for key, words in old.items() for each in split_permission_key(key))
    verbs = {each: [*chain(*lists)] for each, lists in group_pairs(grants).items()}
    below = {each: expand_permission_key(each) for each in verbs}
    kept = [*verbs]
    while True:
        have = merge_grants((one, verbs[each]) for each in kept for one in below[each])
        wrong = {one for one, found in have.items() if final.get(one) != found}
        if not wrong:
            break
        kept = [each for each in kept if wrong.isdisjoint(below[each])]
    said = to_permission_shorthand({one: words for one, words in final.items() if one not in have})
    again = {*kept, *(each for key in said for each in split_permission_key(key))}
    return said, [each for each in verbs if each not in again]


INVERSE = Inverse(
    recognise=make_recogniser(find_bound_roles), normal=normalize_roles, terms=convert_role_changes
)


def recognise_elections(scene: TreeObjects) -> RecognisedSection | None:
    """Find the Role that grants what client-go needs, bound to the operator alone."""
    bindings = {(each.role, each.name): each for each in find_role_bindings(scene) if each.namespaced}
    usual, others = parse_policy_rules(build_election_rules()), map_at(scene.older, "roles")
    found: dict[str, RecognisedSection] = {}
    for at, name, body in scene.find_family_objects(VERSION, ("Role",), ("rules",)):
        binding = bindings.get((("Role", at.name), f"{name}binding"))
        if binding is None or name in others or parse_policy_rules(body.get("rules")) != usual:
            continue
        if [to_spec_account(scene, each) for each in binding.subjects] == [OPERATOR]:
            found[name] = RecognisedSection(section=name, objects=frozenset([at, binding.id]))
    return found.get(text_at(scene.older, "leaderElection")) or next(iter(found.values()), None)


ELECTIONS = Inverse(
    recognise=recognise_elections, terms=make_change_converter("leaderElection", str, lambda want, _: want)
)
