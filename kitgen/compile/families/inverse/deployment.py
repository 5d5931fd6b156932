"""Inverse of the family of the operator's Deployment."""

from __future__ import annotations

from kitgen.compile.families.deployment import FAMILY
from kitgen.compile.families.inverse import containers
from kitgen.compile.families.inverse.laying import laid, same, say, with_empty
from kitgen.compile.families.inverse.naming import image_names
from kitgen.compile.families.inverse.running import (
    containers_of,
    mapping,
    operator,
    own_name,
    pod_of,
    texts,
    volumes_of,
)
from kitgen.compile.families.webhooks import CERTIFICATES
from kitgen.compile.inverse import Change, Inverse, Recognised, Said, Scene
from kitgen.yamlio import Json, JsonObject

DEFAULTS: JsonObject = {"name": "manager", "replicas": 1}
POD_DEFAULTS: JsonObject = {"securityContext": {"runAsNonRoot": True}, "terminationGracePeriodSeconds": 10}
"""What the family sets by itself, which a normal form does not say."""
KEYS = ("name", "replicas", "strategy", "podAnnotations", "pod", "volumes", "containers")


def recognise(scene: Scene) -> Recognised | None:
    """Take the operator's Deployment without what other families ask of it."""
    found = operator(scene)
    if found is None or found[0] not in scene.objects:
        return None
    identity, body = found
    own = {name: containers.recognised(each) for name, each in containers_of(body).items()}
    images = image_names(scene, own)
    for name, image in images.items():
        own[name]["image"] = image
    volumes = {name: _without(volume, "name") for name, volume in volumes_of(body).items()}
    _take_off(scene, own, volumes)
    spec = mapping(body.get("spec"))
    meta = mapping(mapping(spec.get("template")).get("metadata"))
    replicas, strategy, notes = spec.get("replicas"), spec.get("strategy"), meta.get("annotations")
    section: JsonObject = {
        "name": own_name(scene, identity),
        "replicas": replicas if type(replicas) is int and replicas >= 0 else 1,
        "strategy": mapping(strategy),
        "podAnnotations": notes if texts(notes) else {},
        "pod": _pod(scene, body),
        "volumes": volumes,
        "containers": own,
    }
    real: dict[str, str] = {name: each.get("image", "") for name, each in containers_of(body).items()}
    new = {image: real[name] for name, image in images.items() if scene.images.get(real[name]) != image}
    return Recognised(section=_plain(section), objects=frozenset({identity}), images=new)


def _pod(scene: Scene, body: JsonObject) -> JsonObject:
    pod = {key: value for key, value in pod_of(body).items() if key not in ("containers", "volumes")}
    if scene.account and pod.get("serviceAccountName") == scene.account:
        del pod["serviceAccountName"]
    return pod


def _without(data: JsonObject, *keys: str) -> JsonObject:
    return {key: value for key, value in data.items() if key not in keys}


def _take_off(scene: Scene, own: dict[str, JsonObject], volumes: JsonObject) -> None:
    """Take off the port, the mounts and the volumes that webhooks and the configuration bring."""
    webhooks, mount = scene.found.get("webhooks"), mapping(scene.found.get("config")).get("mount")
    if webhooks:
        server = own.get(mapping(webhooks).get("container") or next(iter(own)), {})
        _take(server, "ports", "webhook-server")
        _take(server, "volumeMounts", CERTIFICATES)
        volumes.pop("cert", None)
    if mount:
        _take(own.get(mount["container"], {}), "volumeMounts", mount["path"])
        volumes.pop(mount["volume"], None)


def _take(container: JsonObject, key: str, name: str) -> None:
    """Take one item from those of a container; a list that holds no more goes."""
    items = container.get(key)
    if isinstance(items, dict) and name in items:
        container[key] = _without(items, name)
    elif isinstance(items, list):
        container[key] = [item for item in items if mapping(item).get("name") != name]
    if key in container and not container[key]:
        del container[key]


def _plain(section: JsonObject) -> JsonObject:
    """Drop what the family sets by itself, and what says nothing."""
    pod = mapping(section.get("pod"))
    left = {key: value for key, value in pod.items() if not _is(POD_DEFAULTS, key, value)}
    data = {**section, "pod": left}
    return {key: data[key] for key in KEYS if data.get(key, {}) != {} and not _is(DEFAULTS, key, data[key])}


def _is(defaults: JsonObject, key: str, value: Json) -> bool:
    return key in defaults and same(defaults[key], value)


def normal(section: Json) -> Json:
    """Write shorthands out, and name what has a name."""
    own = {name: containers.normal(each) for name, each in section.get("containers", {}).items()}
    return _plain({**section, "containers": own})


def terms(change: Change) -> Said:
    """Say a Deployment with the shorthands that fit, in the older spec's way where there is one."""
    old: JsonObject = change.old or {}
    want: JsonObject = laid(normal(old), change)
    data = {**{key: old[key] for key in DEFAULTS if key in old and _is(DEFAULTS, key, old[key])}, **want}
    pod = mapping(old.get("pod"))
    kept = {key: value for key, value in pod.items() if _is(POD_DEFAULTS, key, value)}
    if kept or "pod" in want:
        data["pod"] = {**kept, **want.get("pod", {})}
    before = old.get("containers", {})
    if "containers" in want:
        own = want["containers"].items()
        data["containers"] = {name: containers.words(each, before.get(name)) for name, each in own}
    data = with_empty(old, data)
    return say("deployment", old, {key: data[key] for key in KEYS if key in data})


INVERSE = Inverse(key=FAMILY.key, recognise=recognise, normal=normal, terms=terms)
