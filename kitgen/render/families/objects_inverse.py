"""Inverse of whole objects: whatever no other family makes, and what a feature changes in CRDs."""

from __future__ import annotations

from kitgen.crd.schema_edits import Action
from kitgen.kube.identity import ObjectId
from kitgen.render.inverse import Inverse, RecognisedSection, SectionChange, SectionWords, TreeObjects
from kitgen.render.section_changes import (
    apply_section_change,
    format_remove_path,
    is_identical_value,
    make_change_converter,
)
from kitgen.text.values import map_at
from kitgen.text.yaml import Json, JsonObject

FIRST = ("apiVersion", "kind", "metadata")
CONTENT = ("data", "stringData")
"""What a Secret holds, which no spec may."""


def recognise_objects(scene: TreeObjects) -> RecognisedSection | None:
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
        section[format_object_key(at)] = sort_manifest_keys(
            {key: value for key, value in body.items() if key not in hidden}
        )
    return RecognisedSection(section=section, objects=frozenset(left))


def format_object_key(identity: ObjectId) -> str:
    """Return the name of an object in the normal form."""
    kind = f"{identity.kind}.{identity.group}" if identity.group else identity.kind
    return f"{kind}/{identity.namespace}/{identity.name}"


def sort_manifest_keys(body: JsonObject) -> JsonObject:
    """Return a body that starts as manifests do."""
    return {key: body[key] for key in (*FIRST, *(key for key in body if key not in FIRST)) if key in body}


def normalize_objects(section: Json) -> Json:
    """Return objects by their identity."""
    return {format_object_key(ObjectId.of(body)): body for body in section}


def _to_section(want: JsonObject, old: Json) -> list[Json]:
    """Write whole objects, those of an older spec as it does."""
    before = normalize_objects(old or [])
    return [
        before[key] if is_identical_value(before.get(key), body) else sort_manifest_keys(body)
        for key, body in want.items()
    ]


INVERSE = Inverse(
    recognise=recognise_objects,
    normal=normalize_objects,
    terms=make_change_converter("objects", normalize_objects, _to_section),
)


def recognise_crds(scene: TreeObjects) -> RecognisedSection | None:
    """Return what the tree's CRDs change in those of the component; their objects are declared elsewhere."""
    return RecognisedSection(section=normalize_crds(scene.crds)) if scene.crds else None


def normalize_crds(section: Json) -> JsonObject:
    """Write `$remove` as a mapping too, so that each path is a place of its own."""
    return {
        name: {
            action: dict.fromkeys(each) if action == Action.REMOVE else each
            for action, each in changes.items()
        }
        for name, changes in map_at(section).items()
    }


def convert_crd_changes(change: SectionChange) -> SectionWords:
    """Write changes as specs do; `$remove` is a list, which a newer one replaces."""
    old = normalize_crds(change.old)
    final = apply_section_change(old, change)
    section: JsonObject = {}
    remove: list[str] = []
    if old and not any(any(each.values()) for each in final.values()):
        return SectionWords(remove=("",))
    for name in dict.fromkeys((*old, *final)):
        before, after = old.get(name, {}), final.get(name, {})
        if not any(after.values()):
            remove.append(format_remove_path(name))
            continue
        own: JsonObject = {}
        for action in Action:
            was, now = before.get(action, {}), after.get(action, {})
            if was and not now:
                remove.append(format_remove_path(name, action))
            elif action is Action.REMOVE:
                own[action.value] = [*now] if was != now else []
            else:
                remove += [format_remove_path(name, action, path) for path in was if path not in now]
                own[action.value] = {path: value for path, value in now.items() if was.get(path) != value}
        section[name] = {action: words for action, words in own.items() if words}
    section = {name: each for name, each in section.items() if each}
    return SectionWords(section=section or None, remove=tuple(remove))


CRDS = Inverse(recognise=recognise_crds, normal=normalize_crds, terms=convert_crd_changes)
