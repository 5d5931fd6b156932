"""Inverse of what a feature changes in CRDs: the normal form has a place for every changed path."""

from __future__ import annotations

from kitgen.compile.bare import changed, way
from kitgen.compile.inverse import Change, Inverse, Recognised, Said, Scene
from kitgen.crds.declare.edits import Action
from kitgen.yamlio import Json, JsonObject


def recognise(scene: Scene) -> Recognised | None:
    """Return what the tree's CRDs change in those of the component; their objects are declared elsewhere."""
    return Recognised(section=normal(scene.crds)) if scene.crds else None


def normal(section: Json) -> JsonObject:
    """Write `$remove` as a mapping too, so that each path is a place of its own."""
    found = section if isinstance(section, dict) else {}
    return {
        name: {
            action: dict.fromkeys(each) if action == Action.REMOVE else each
            for action, each in changes.items()
        }
        for name, changes in found.items()
    }


def terms(change: Change) -> Said:
    """Write changes as specs do; `$remove` is a list, which a newer one replaces."""
    old = normal(change.old)
    final = changed(old, change)
    section: JsonObject = {}
    remove: list[str] = []
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
            elif action is Action.REMOVE and was != now:
                own[action.value] = [*now]
            elif action is not Action.REMOVE:
                remove += [way(name, action, path) for path in was if path not in now]
                if fresh := {path: value for path, value in now.items() if was.get(path) != value}:
                    own[action.value] = fresh
        if own:
            section[name] = own
    if old and not any(any(each.values()) for each in final.values()):
        return Said(remove=("",))
    return Said(section=section or None, remove=tuple(remove))


INVERSE = Inverse(key="crds", recognise=recognise, normal=normal, terms=terms)
