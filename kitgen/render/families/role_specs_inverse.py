"""Roles in specs: one permission each to compare them, and in the words of the spec that is built on."""

from __future__ import annotations

from collections.abc import Iterable

from kitgen.kit.merge import resources
from kitgen.render.families.permissions_inverse import lines, ones, spread, verbs_of
from kitgen.render.families.role_binding import NONE, OPERATOR
from kitgen.render.families.role_binding_inverse import as_text, as_words
from kitgen.render.inverse import SectionChange, SectionWords
from kitgen.render.section_changes import laid, way
from kitgen.text.yaml import Json, JsonObject

USUAL = ("namespaced", "bind", "binding")
"""What is said of a role only if it is not as usual."""
LABELS = ("labels", "bindingLabels")


def normal(section: Json) -> JsonObject:
    """Turn what a spec says of roles into one permission each; what is as usual is left out."""
    found = section if isinstance(section, dict) else {}
    return {name: _normal(name, role or {}) for name, role in found.items()}


def _normal(name: str, role: JsonObject) -> JsonObject:
    bind, binding = as_text(role.get("bind", OPERATOR)), role.get("binding")
    return {
        **({"namespaced": True} if role.get("namespaced") else {}),
        **({"bind": bind} if bind != OPERATOR else {}),
        **({"binding": binding} if binding and binding != f"{name}binding" else {}),
        **{key: role[key] for key in LABELS if role.get(key)},
        **({"permissions": spread(role["permissions"])} if role.get("permissions") else {}),
    }


def terms(change: SectionChange) -> SectionWords:
    """Say roles in the shorthand; of one that was there, what is different."""
    old: JsonObject = change.old if isinstance(change.old, dict) else {}
    final = laid(normal(old), change)
    if old and not final:
        return SectionWords(remove=("",))
    section: JsonObject = {}
    remove: list[str] = []
    for name in old:
        after = final.get(name)
        if not after or not after.get("permissions"):
            remove.append(way(name))
            continue
        own, gone = _changes(name, old[name] or {}, after)
        remove += (way(name, *steps) for steps in gone)
        if own:
            section[name] = own
    section |= {name: _whole(role) for name, role in final.items() if name not in old}
    return SectionWords(section=section or None, remove=tuple(remove))


def _whole(role: JsonObject) -> JsonObject:
    """Write a role that was not there."""
    found = {key: role[key] for key in (*USUAL, *LABELS) if key in role}
    if "bind" in found:
        found["bind"] = as_words(found["bind"])
    permissions = role.get("permissions")
    return {**found, **({"permissions": lines(permissions)} if permissions else {})}


def _changes(name: str, old: JsonObject, final: JsonObject) -> tuple[JsonObject, list[tuple[str, ...]]]:
    """Return what is to be said of a role, and the ways to what goes."""
    before = _normal(name, old)
    own: JsonObject = {key: final[key] for key in USUAL if key in final and final[key] != before.get(key)}
    if "bind" in own:
        own["bind"] = as_words(own["bind"])
    gone: list[tuple[str, ...]] = [(key,) for key in USUAL if key in before and key not in final]
    for each in LABELS:
        had, has = before.get(each) or {}, final.get(each) or {}
        if fresh := {key: text for key, text in has.items() if had.get(key) != text}:
            own[each] = fresh
        gone += ((each, key) for key in had if key not in has) if has or not had else ((each,),)
    for each in ("binding", "bindingLabels"):  # which must not be said of a role that is not bound
        if final.get("bind") == NONE and each in old and (each,) not in gone:
            gone.append((each,))
    said, less = _permissions(old.get("permissions") or {}, final["permissions"])
    if said:
        own["permissions"] = said
    return own, gone + [("permissions", each) for each in less]


def _permissions(old: JsonObject, final: JsonObject) -> tuple[dict[str, str], list[str]]:
    """Return permissions to say anew, and resources to remove, as chains tell them apart.

    To a chain a resource for two names is one thing; if one of them changes, the other is said again.
    """
    verbs: dict[str, set[str]] = {}
    for key, words in old.items():
        for each in resources(key):
            verbs.setdefault(each, set()).update(verbs_of(words))
    below = {each: ones(each) for each in verbs}
    kept = dict.fromkeys(verbs)
    while True:
        have = _granted(kept, verbs, below)
        wrong = {one for one, found in have.items() if final.get(one) != found}
        less = {each: None for each in kept if not wrong.isdisjoint(below[each])}
        if not less:
            break
        kept = {each: None for each in kept if each not in less}
    said = lines({one: words for one, words in final.items() if one not in have})
    again = {each for key in said for each in resources(key)}
    return said, [each for each in verbs if each not in kept and each not in again]


def _granted(kept: Iterable[str], verbs: dict[str, set[str]], below: dict[str, list[str]]) -> dict[str, str]:
    found: dict[str, set[str]] = {}
    for each in kept:
        for one in below[each]:
            found.setdefault(one, set()).update(verbs[each])
    return {one: " ".join(sorted(every)) for one, every in found.items()}
