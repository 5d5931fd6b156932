"""Inverse of the family of the operator's Deployment."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.render.families import containers_inverse as containers
from kitgen.render.families.containers_inverse import (
    containers_of,
    image_names,
    mapping,
    operator,
    own_name,
    pod_of,
    texts,
    volumes_of,
)
from kitgen.render.families.deployment import PASSED
from kitgen.render.families.webhooks import CERTIFICATES
from kitgen.render.inverse import Inverse, Recognised, TreeObjects
from kitgen.render.section_changes import same, terms_of, with_empty
from kitgen.text.yaml import Json, JsonObject

DEFAULTS: JsonObject = {"name": "manager", "replicas": 1}
POD_DEFAULTS: JsonObject = {"securityContext": {"runAsNonRoot": True}, "terminationGracePeriodSeconds": 10}
"""What the family sets by itself, which a normal form does not say."""
KEYS = (
    *("name", "labels", "annotations", "replicas", "strategy", *PASSED, "selector", "podLabels"),
    *("podAnnotations", "pod", "volumes", "containers"),
)


def recognise(scene: TreeObjects) -> Recognised | None:
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
    section: JsonObject = {
        "name": own_name(scene, identity),
        **_around(body),
        "pod": _pod(scene, body),
        "volumes": volumes,
        "containers": own,
    }
    real: dict[str, str] = {name: each.get("image", "") for name, each in containers_of(body).items()}
    new = {image: real[name] for name, image in images.items() if scene.images.get(real[name]) != image}
    return Recognised(section=_plain(section), objects=frozenset({identity}), images=new)


def _around(body: JsonObject) -> JsonObject:
    """Return what a Deployment says besides its pods' spec."""
    spec, meta = mapping(body.get("spec")), mapping(body.get("metadata"))
    pods = mapping(mapping(spec.get("template")).get("metadata"))
    selector = mapping(spec.get("selector"))
    found: JsonObject = {
        "labels": meta.get("labels"),
        "annotations": meta.get("annotations"),
        "selector": selector.get("matchLabels") if {*selector} == {"matchLabels"} else {},
        "podLabels": pods.get("labels"),
        "podAnnotations": pods.get("annotations"),
    }
    numbers = {"replicas": 0, "minReadySeconds": 0, "progressDeadlineSeconds": 1, "revisionHistoryLimit": 0}
    data = {key: value for key, value in found.items() if texts(value)}
    given = {key: spec.get(key) for key in numbers}
    data |= {key: value for key, value in given.items() if type(value) is int and value >= numbers[key]}
    return {**data, "strategy": mapping(spec.get("strategy"))}


def _pod(scene: TreeObjects, body: JsonObject) -> JsonObject:
    pod = {key: value for key, value in pod_of(body).items() if key not in ("containers", "volumes")}
    if scene.account and pod.get("serviceAccountName") == scene.account:
        del pod["serviceAccountName"]
    return pod


def _without(data: JsonObject, *keys: str) -> JsonObject:
    return {key: value for key, value in data.items() if key not in keys}


def _take_off(scene: TreeObjects, own: dict[str, JsonObject], volumes: JsonObject) -> None:
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
    data = {**section, "pod": left, "podLabels": dict(_more_labels(section))}
    return {key: data[key] for key in KEYS if data.get(key, {}) != {} and not _is(DEFAULTS, key, data[key])}


def _more_labels(section: JsonObject, *, more: bool = True) -> Iterator[tuple[str, Json]]:
    """Yield the labels of pods that they do not carry anyway, since they are selected by them, or those."""
    chosen = mapping(section.get("selector"))
    for key, value in mapping(section.get("podLabels")).items():
        if (chosen.get(key) != value) is more:
            yield key, value


def _is(defaults: JsonObject, key: str, value: Json) -> bool:
    return key in defaults and same(defaults[key], value)


def normal(section: Json) -> Json:
    """Write shorthands out, and name what has a name."""
    own = {name: containers.normal(each) for name, each in section.get("containers", {}).items()}
    return _plain({**section, "containers": own})


def words(want: JsonObject, older: Json) -> JsonObject:
    """Say a Deployment with the shorthands that fit, in the older spec's way where there is one."""
    old: JsonObject = older or {}
    data = {**{key: old[key] for key in DEFAULTS if key in old and _is(DEFAULTS, key, old[key])}, **want}
    kept = {key: value for key, value in mapping(old.get("pod")).items() if _is(POD_DEFAULTS, key, value)}
    if kept or "pod" in want:
        data["pod"] = {**kept, **want.get("pod", {})}
    usual = dict(_more_labels({**want, "podLabels": old.get("podLabels")}, more=False))
    if usual or "podLabels" in want:
        data["podLabels"] = {**usual, **want.get("podLabels", {})}
    before = old.get("containers", {})
    if "containers" in want:
        own = want["containers"].items()
        data["containers"] = {name: containers.words(each, before.get(name)) for name, each in own}
    data = with_empty(old, data)
    return {key: data[key] for key in KEYS if key in data}


INVERSE = Inverse(recognise=recognise, normal=normal, terms=terms_of("deployment", normal, words))
