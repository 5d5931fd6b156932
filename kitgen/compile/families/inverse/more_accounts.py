"""Inverse of further service accounts, and of Secrets that hold their tokens."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.compile.bare import are_texts, bare, changed, is_made, way
from kitgen.compile.families.more_accounts import OWNER, TOKEN
from kitgen.compile.inverse import Change, Inverse, Recognised, Said, Scene
from kitgen.compile.rbac import OPERATOR, WORDS
from kitgen.objects import ObjectId
from kitgen.yamlio import Json, JsonObject


def recognise(scene: Scene) -> Recognised | None:
    """Find accounts that have annotations or a token at most; the operator's if it has one of them."""
    tokens = dict(_tokens(scene))
    section: JsonObject = {}
    taken: set[ObjectId] = set()
    for at, notes in _accounts(scene):
        own: JsonObject = {"annotations": notes} if notes else {}
        secret = tokens.get(at.name)
        if secret:
            own["token"] = scene.short(secret.name)
        if own or at.name != scene.account:
            section[str(scene.short(at.name))] = own
            taken |= {at, *([secret] if secret else ())}
    return Recognised(section=section, objects=frozenset(taken)) if section else None


def _accounts(scene: Scene) -> Iterator[tuple[ObjectId, JsonObject]]:
    """Yield the accounts that the family could have made, with their annotations."""
    for at, given in scene.everything.items():
        if (at.group, at.kind) != ("", "ServiceAccount"):
            continue
        body, operator = bare(given), at.name == scene.account
        annotations = body["metadata"].get("annotations", {})
        if not are_texts(annotations) or body["metadata"].get("namespace"):
            continue
        exact = at in scene.objects and is_made(body, "v1", "ServiceAccount", (), ("annotations",))
        words = set(WORDS) - {OPERATOR} if operator else WORDS
        if (operator or exact) and scene.short(at.name) not in (None, "", *words):
            yield at, annotations


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
        remove += [way(name, key) for key in before if before[key] and key not in after]
        notes = before.get("annotations") or {}
        left = after.get("annotations") or {}
        remove += [way(name, "annotations", key) for key in notes if left and key not in left]
        fresh: JsonObject = {key: text for key, text in left.items() if notes.get(key) != text}
        own: JsonObject = {"annotations": fresh} if fresh else {}
        if "token" in after and before.get("token") != after["token"]:
            own["token"] = after["token"]
        if own:
            section[name] = own
    section |= {name: each for name, each in final.items() if name not in old}
    return Said(section=section or None, remove=tuple(remove))


INVERSE = Inverse(key="serviceAccounts", recognise=recognise, normal=normal, terms=terms)
