"""Inverse of further service accounts, and of Secrets that hold their tokens."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.compile.bare import are_texts, bare, changed, is_made, way
from kitgen.compile.families.more_accounts import OWNER, TOKEN
from kitgen.compile.inverse import Change, Inverse, Recognised, Said, Scene
from kitgen.compile.rbac import OPERATOR, WORDS
from kitgen.objects import ObjectId
from kitgen.yamlio import Json, JsonObject

NOTES = ("labels", "annotations")


def recognise(scene: Scene) -> Recognised | None:
    """Find accounts that have labels, annotations or a token at most; the operator's if it has any."""
    tokens = dict(_tokens(scene))
    section: JsonObject = {}
    taken: set[ObjectId] = set()
    for at, own in _accounts(scene):
        secret = tokens.get(at.name)
        if secret:
            own["token"] = scene.short(secret.name)
        if own or at.name != scene.account:
            section[str(scene.short(at.name))] = own
            taken |= {at, *([secret] if secret else ())}
    return Recognised(section=section, objects=frozenset(taken)) if section else None


def _accounts(scene: Scene) -> Iterator[tuple[ObjectId, JsonObject]]:
    """Yield the accounts that the family could have made, with their labels and annotations."""
    for at, given in scene.everything.items():
        if (at.group, at.kind) != ("", "ServiceAccount"):
            continue
        body, operator = bare(given), at.name == scene.account
        own: JsonObject = {key: body["metadata"][key] for key in NOTES if key in body["metadata"]}
        if not all(map(are_texts, own.values())) or body["metadata"].get("namespace"):
            continue
        exact = at in scene.objects and is_made(body, "v1", "ServiceAccount", (), NOTES)
        words = set(WORDS) - {OPERATOR} if operator else WORDS
        if (operator or exact) and scene.short(at.name) not in (None, "", *words):
            yield at, own


def _tokens(scene: Scene) -> Iterator[tuple[str, ObjectId]]:
    """Yield the accounts that Secrets are for, each with its Secret, the first one last."""
    for at, given in reversed([*scene.objects.items()]):
        if (at.group, at.kind) != ("", "Secret"):
            continue
        body = bare(given)
        notes = body["metadata"].get("annotations")
        if not is_made(body, "v1", "Secret", ("type",), ("annotations",)) or body.get("type") != TOKEN:
            continue
        if are_texts(notes) and notes.keys() == {OWNER} and scene.short(at.name):
            yield notes[OWNER], at


def normal(section: Json) -> JsonObject:
    """Leave out what says nothing."""
    found = section if isinstance(section, dict) else {}
    return {
        name: {key: value for key, value in (each or {}).items() if value not in (None, {})}
        for name, each in found.items()
    }


def terms(change: Change) -> Said:
    """Say accounts as specs do: what comes, and what goes if the older spec has it."""
    old: JsonObject = change.old if isinstance(change.old, dict) else {}
    final = changed(normal(old), change)
    if old and not final:
        return Said(remove=("",))
    section: JsonObject = {}
    remove: list[str] = []
    for name in old:
        if name not in final:
            remove.append(way(name))
            continue
        before, after = old[name] or {}, final[name]
        remove += [way(name, key) for key in before if before[key] and not after.get(key)]
        own: JsonObject = {}
        for each in NOTES:
            had, has = before.get(each) or {}, after.get(each) or {}
            remove += [way(name, each, key) for key in had if has and key not in has]
            if fresh := {key: text for key, text in has.items() if had.get(key) != text}:
                own[each] = fresh
        if "token" in after and before.get("token") != after["token"]:
            own["token"] = after["token"]
        if own:
            section[name] = own
    section |= {name: each for name, each in final.items() if name not in old}
    return Said(section=section or None, remove=tuple(remove))


INVERSE = Inverse(key="serviceAccounts", recognise=recognise, normal=normal, terms=terms)
