"""Inverse of the escape hatch: whatever no family makes, as it is."""

from __future__ import annotations

from kitgen.compile.families.inverse.laying import laid, same, say
from kitgen.compile.families.objects import FAMILY
from kitgen.compile.inverse import Change, Inverse, Recognised, Said, Scene
from kitgen.objects import ObjectId
from kitgen.yamlio import Json, JsonObject

FIRST = ("apiVersion", "kind", "metadata")
CONTENT = ("data", "stringData")
"""What a Secret holds, which no spec may."""


def recognise(scene: Scene) -> Recognised | None:
    """Take everything that is left, CRDs aside; Secrets without what they hold."""
    left = {
        identity: body
        for identity, body in scene.objects.items()
        if identity.kind != "CustomResourceDefinition"
    }
    if not left:
        return None
    section = {name_of(identity): _body(identity, body) for identity, body in left.items()}
    return Recognised(section=section, objects=frozenset(left))


def name_of(identity: ObjectId) -> str:
    """Return the name of an object in the normal form."""
    kind = f"{identity.kind}.{identity.group}" if identity.group else identity.kind
    return f"{kind}/{identity.namespace}/{identity.name}"


def _body(identity: ObjectId, body: JsonObject) -> JsonObject:
    hidden = CONTENT if (identity.group, identity.kind) == ("", "Secret") else ()
    return ordered({key: value for key, value in body.items() if key not in (*hidden, "status")})


def ordered(body: JsonObject) -> JsonObject:
    """Return a body that starts as manifests do."""
    return {key: body[key] for key in (*FIRST, *(key for key in body if key not in FIRST)) if key in body}


def normal(section: Json) -> Json:
    """Return objects by what tells them apart."""
    return {name_of(ObjectId.of(body)): body for body in section}


def terms(change: Change) -> Said:
    """Say whole objects, or what is different in those that are there."""
    old: list[Json] = change.old or []
    before = normal(old)
    want = laid(before, change)
    words = [before[key] if same(before.get(key), body) else ordered(body) for key, body in want.items()]
    return say("objects", old, words)


INVERSE = Inverse(key=FAMILY.key, recognise=recognise, normal=normal, terms=terms)
