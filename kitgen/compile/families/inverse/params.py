"""Inverse of the family of parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.compile.families.inverse.laying import laid, say
from kitgen.compile.families.inverse.running import containers_of, mapping, operator, own_name, texts
from kitgen.compile.families.params import CONTRACT, FAMILY, unfit
from kitgen.compile.inverse import Change, Inverse, Recognised, Said, Scene
from kitgen.findings import Path
from kitgen.kustomize.hasher import content_hash
from kitgen.yamlio import Json, JsonObject

HASH = re.compile(r"-[bcdfghkmt2456789]{10}$")
KEY = re.compile(r"\.?[-_a-zA-Z0-9][-._a-zA-Z0-9]{0,250}$")
IMAGE = re.compile(r"[^\s/]+/\S+[:@]\S+$")
ACCOUNT = re.compile(r"system:serviceaccount:([^:]+):[^:]+$")
PLAIN = re.compile(r"[A-Za-z0-9_-]+$")
NAMESPACE = "namespace"


def recognise(scene: Scene) -> Recognised | None:
    """Take the ConfigMap that kustomize generated: its hash fits, or it holds the image of a container."""
    images = _images(scene)
    found: list[tuple[bool, Recognised]] = []
    for identity, body in scene.objects.items():
        if (identity.group, identity.kind) != ("", "ConfigMap") or not own_name(scene, identity):
            continue
        data = body.get("data")
        if not data or not texts(data) or not {*body} <= {"apiVersion", "kind", "metadata", "data"}:
            continue
        bare = HASH.sub("", identity.name)
        certain = bare != identity.name and identity.name == f"{bare}-{content_hash(data)}"
        if not certain and not any(value in images for value in data.values()):
            continue
        keys = {key: _key(scene, key, value, images) for key, value in data.items()}
        if not scene.short(bare) or not all(keys.values()):
            continue
        hashed = {} if bare != identity.name else {"hash": False}
        section = {"configMap": scene.short(bare), **hashed, "keys": keys}
        found.append((certain, Recognised(section=section, objects=frozenset({identity}))))
    return max(found, key=lambda each: each[0])[1] if found else None


def _images(scene: Scene) -> dict[str, str]:
    """Return the images of the operator's containers, each with its name."""
    chosen = operator(scene)
    own = mapping(mapping(scene.found.get("deployment")).get("containers"))
    real = containers_of(chosen[1]) if chosen else {}
    names = {str(each.get("image")): mapping(own.get(name)).get("image") for name, each in real.items()}
    return {image: name for image, name in names.items() if isinstance(name, str)}


def _key(scene: Scene, key: str, value: str, images: dict[str, str]) -> JsonObject:
    """Return what a key of params.env holds; empty if no spec could say it."""
    if not KEY.match(key) or not value or any(unfit(key, value)):
        return {}
    if value in images:
        return {"image": images[value]}
    fills = list(_fills(scene, key, value))
    if not fills and key not in CONTRACT:
        return {}  # a parameter that nothing follows is none
    return {"value": value, **({"fills": fills} if fills else {})}


def _fills(scene: Scene, key: str, value: str) -> Iterator[JsonObject]:
    """Yield the fields that evidently follow a parameter: an image elsewhere, a namespace of accounts."""
    image, place = bool(IMAGE.match(value)), key == NAMESPACE
    for identity, body in scene.objects.items() if image or place else ():
        at = f"{identity.kind}/{identity.name}"
        for path, text in _texts(body):
            field = _field(path)
            account = ACCOUNT.match(text) if place else None
            if field and image and text == value:
                yield {"object": at, "field": field}
            elif field and account and account[1] == value:
                yield {"object": at, "field": field, "delimiter": ":", "index": 2}


def _texts(body: Json) -> Iterator[tuple[Path, str]]:
    """Yield every text of a body, and where it stands."""
    todo: list[tuple[Path, Json]] = [((), body)]
    while todo:
        path, value = todo.pop()
        if isinstance(value, str):
            yield path, value
        elif isinstance(value, dict):
            todo += [((*path, key), each) for key, each in reversed(value.items())]
        elif isinstance(value, list):
            todo += [((*path, index), each) for index, each in reversed([*enumerate(value)])]


def _field(path: Path) -> str:
    """Return a path as kustomize writes it; empty if it has steps that kustomize would not read."""
    steps = [str(step).replace(".", "\\.") for step in path]
    return ".".join(steps) if all(PLAIN.match(step.replace("\\.", "")) for step in steps) else ""


def normal(section: Json) -> Json:
    """Drop the hash that is there anyway."""
    return {key: value for key, value in section.items() if (key, value) != ("hash", True)}


def terms(change: Change) -> Said:
    """Say parameters as they are."""
    old: JsonObject = change.old or {}
    kept = {"hash": True} if old.get("hash") is True else {}
    want = laid(normal(old), change)
    return say("params", old, {**kept, **want} if want else {})


INVERSE = Inverse(key=FAMILY.key, recognise=recognise, normal=normal, terms=terms)
