"""Inverse of whole objects: whatever no other family makes, and what a feature changes in CRDs."""

from __future__ import annotations

from kitgen.crd.schema_edits import Action
from kitgen.kube.identity import ObjectId
from kitgen.render.inverse import Inverse, RecognisedSection, SectionChange, SectionWords, TreeObjects
from kitgen.render.section_changes import laid, same, terms_of, way
from kitgen.text.values import map_at
from kitgen.text.yaml import Json, JsonObject

FIRST = ("apiVersion", "kind", "metadata")
CONTENT = ("data", "stringData")
"""What a Secret holds, which no spec may."""


def recognise(scene: TreeObjects) -> RecognisedSection | None:
    """Take everything that is left, CRDs aside; Secrets without what they hold."""
    left = {
        identity: body
        for identity, body in scene.objects.items()
        if identity.kind != "CustomResourceDefinition"
    }
    if not left:
        return None
    section = {}
    for at, body in left.items():
        hidden = ("status", *(CONTENT if (at.group, at.kind) == ("", "Secret") else ()))
        section[name_of(at)] = ordered({key: value for key, value in body.items() if key not in hidden})
    return RecognisedSection(section=section, objects=frozenset(left))


def name_of(identity: ObjectId) -> str:
    """Return the name of an object in the normal form."""
    kind = f"{identity.kind}.{identity.group}" if identity.group else identity.kind
    return f"{kind}/{identity.namespace}/{identity.name}"


def ordered(body: JsonObject) -> JsonObject:
    """Return a body that starts as manifests do."""
    return {key: body[key] for key in (*FIRST, *(key for key in body if key not in FIRST)) if key in body}


def normal(section: Json) -> Json:
    """Return objects by their identity."""
    return {name_of(ObjectId.of(body)): body for body in section}


def _words(want: JsonObject, old: Json) -> list[Json]:
    """Write whole objects, those of an older spec as it does."""
    before = normal(old or [])
    return [before[key] if same(before.get(key), body) else ordered(body) for key, body in want.items()]


INVERSE = Inverse(recognise=recognise, normal=normal, terms=terms_of("objects", normal, _words))


def recognise_crds(scene: TreeObjects) -> RecognisedSection | None:
    """Return what the tree's CRDs change in those of the component; their objects are declared elsewhere."""
    return RecognisedSection(section=normal_crds(scene.crds)) if scene.crds else None


def normal_crds(section: Json) -> JsonObject:
    """Write `$remove` as a mapping too, so that each path is a place of its own."""
    return {
        name: {
            action: dict.fromkeys(each) if action == Action.REMOVE else each
            for action, each in changes.items()
        }
        for name, changes in map_at(section).items()
    }


def terms_crds(change: SectionChange) -> SectionWords:
    """Write changes as specs do; `$remove` is a list, which a newer one replaces."""
    old = normal_crds(change.old)
    final = laid(old, change)
    section: JsonObject = {}
    remove: list[str] = []
    if old and not any(any(each.values()) for each in final.values()):
        return SectionWords(remove=("",))
    for name in dict.fromkeys((*old, *final)):
        before, after = old.get(name, {}), final.get(name, {})
        if not any(after.values()):
            remove.append(way(name))
            continue
        own: JsonObject = {}
        for action in Action:
            was, now = before.get(action, {}), after.get(action, {})
            if was and not now:
                remove.append(way(name, action))
            elif action is Action.REMOVE:
                own[action.value] = [*now] if was != now else []
            else:
                remove += [way(name, action, path) for path in was if path not in now]
                own[action.value] = {path: value for path, value in now.items() if was.get(path) != value}
        section[name] = {action: words for action, words in own.items() if words}
    section = {name: each for name, each in section.items() if each}
    return SectionWords(section=section or None, remove=tuple(remove))


CRDS = Inverse(recognise=recognise_crds, normal=normal_crds, terms=terms_crds)
