"""The operator's Deployment among the objects of a real tree."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.compile.families.webhooks import SECRET
from kitgen.compile.inverse import Scene
from kitgen.objects import ObjectId
from kitgen.yamlio import Json, JsonObject

USUAL = ("controller-manager", "-operator", "manager")
"""What operators' Deployments are called in the end."""


def mapping(value: Json) -> JsonObject:
    """Return a map as it is, and anything else as an empty one."""
    return value if isinstance(value, dict) else {}


def maps(value: Json) -> list[JsonObject]:
    """Return the maps of a list."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def is_maps(value: Json) -> bool:
    """Tell whether a value is a list of nothing but maps."""
    return isinstance(value, list) and len(maps(value)) == len(value)


def texts(value: Json) -> bool:
    """Tell whether a value is a map of texts."""
    return isinstance(value, dict) and all(isinstance(each, str) for each in value.values())


def by(key: str, value: Json) -> dict[str, JsonObject] | None:
    """Return a list of maps by what each has at a key; None if that does not tell them apart."""
    found = {each[key]: each for each in maps(value) if isinstance(each.get(key), str)}
    return found if isinstance(value, list) and len(found) == len(value) else None


def own_name(scene: Scene, identity: ObjectId) -> str:
    """Return what an object of the component is called without the prefix; empty if no family makes it."""
    return (scene.short(identity.name) or "") if not identity.namespace else ""


def pod_of(body: JsonObject) -> JsonObject:
    """Return the pod's spec of a Deployment."""
    template = mapping(mapping(body.get("spec")).get("template"))
    return mapping(template.get("spec"))


def containers_of(body: JsonObject) -> dict[str, JsonObject]:
    """Return the containers of a Deployment by name; none if they have none."""
    return by("name", pod_of(body).get("containers")) or {}


def volumes_of(body: JsonObject) -> dict[str, JsonObject]:
    """Return the volumes of a Deployment by name."""
    return by("name", pod_of(body).get("volumes")) or {}


def operator(scene: Scene) -> tuple[ObjectId, JsonObject] | None:
    """Return the operator's Deployment: it runs the account, serves the webhooks or is called like one."""
    known = {identity: body for identity, body in scene.everything.items() if _is_one(scene, identity, body)}
    ranked = sorted(known.items(), key=lambda each: [not mark for mark in _marks(scene, *each)])
    if not ranked or (len(ranked) > 1 and not any(_marks(scene, *ranked[0]))):
        return None
    return ranked[0]


def _is_one(scene: Scene, identity: ObjectId, body: JsonObject) -> bool:
    kind = (identity.group, identity.kind) == ("apps", "Deployment")
    return kind and bool(own_name(scene, identity)) and bool(containers_of(body))


def _marks(scene: Scene, identity: ObjectId, body: JsonObject) -> Iterator[bool]:
    pod = pod_of(body)
    yield bool(scene.account) and pod.get("serviceAccountName") == scene.account
    secrets = [mapping(volume.get("secret")).get("secretName") for volume in maps(pod.get("volumes"))]
    yield f"{scene.prefix}{SECRET}" in secrets
    yield identity.name.endswith(USUAL)
