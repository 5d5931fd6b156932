"""Inverse of the family of the operator's Deployment."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.render.families import containers_inverse as containers
from kitgen.render.families.containers_inverse import (
    image_names,
    operator,
    texts,
    without,
)
from kitgen.render.families.deployment import PASSED, PLACES, POD_USUAL, USUAL
from kitgen.render.families.webhooks import CERTIFICATES
from kitgen.render.inverse import Inverse, RecognisedSection, TreeObjects
from kitgen.render.section_changes import same, terms_of, with_empty
from kitgen.text.values import map_at, value_at
from kitgen.text.yaml import Json, JsonObject

TEXTS = ("labels", "annotations", "selector", "podLabels", "podAnnotations")
LEAST = {"replicas": 0, "minReadySeconds": 0, "progressDeadlineSeconds": 1, "revisionHistoryLimit": 0}
"""Numbers, and the least that each may be."""
KEYS = (
    *("name", "labels", "annotations", "replicas", "strategy", *PASSED, "selector", "podLabels"),
    *("podAnnotations", "pod", "volumes", "containers"),
)


def recognise(scene: TreeObjects) -> RecognisedSection | None:
    """Take the operator's Deployment without the additions of other families."""
    found = operator(scene)
    if not found.body or found.id not in scene.objects:
        return None
    own = {name: containers.recognised(each) for name, each in found.containers.items()}
    images = image_names(scene, own)
    own |= {name: {**own[name], "image": image} for name, image in images.items()}
    volumes = {name: without(volume, "name") for name, volume in found.volumes.items()}
    _take_off(scene, own, volumes)
    pod = without(found.pod, "containers", "volumes")
    if scene.account and pod.get("serviceAccountName") == scene.account:
        del pod["serviceAccountName"]
    section: JsonObject = {
        "name": scene.own_name(found.id),
        **_around(found.body),
        "pod": pod,
        "volumes": volumes,
        "containers": own,
    }
    real: dict[str, str] = {name: each.get("image", "") for name, each in found.containers.items()}
    new = {image: real[name] for name, image in images.items() if scene.images.get(real[name]) != image}
    return RecognisedSection(section=_plain(section), objects=frozenset({found.id}), images=new)


def _around(body: JsonObject) -> JsonObject:
    """Return what a Deployment says besides its pods' spec."""
    given = {key: value_at(body, *PLACES[key]) for key in (*TEXTS, *LEAST)}
    if {*map_at(body, "spec", "selector")} != {"matchLabels"}:
        given["selector"] = {}
    data = {key: given[key] for key in TEXTS if texts(given[key])}
    data |= {key: given[key] for key in LEAST if type(given[key]) is int and given[key] >= LEAST[key]}
    return {**data, "strategy": map_at(body, *PLACES["strategy"])}


def _take_off(scene: TreeObjects, own: dict[str, JsonObject], volumes: JsonObject) -> None:
    """Take off the port, the mounts and the volumes that webhooks and the configuration bring."""
    webhooks, mount = scene.found.get("webhooks"), value_at(scene.found, "config", "mount")
    if webhooks:
        server = own.get(map_at(webhooks).get("container") or next(iter(own)), {})
        _take(server, "ports", "webhook-server")
        _take(server, "volumeMounts", CERTIFICATES)
        volumes.pop("cert", None)
    if mount:
        _take(own.get(mount["container"], {}), "volumeMounts", mount["path"])
        volumes.pop(mount["volume"], None)


def _take(container: JsonObject, key: str, name: str) -> None:
    """Take one item from those of a container; a list that holds no more goes."""
    if isinstance(items := container.get(key), dict) and name in items:
        container[key] = without(items, name)
    elif isinstance(items, list):
        container[key] = [item for item in items if map_at(item).get("name") != name]
    if key in container and not container[key]:
        del container[key]


def _plain(section: JsonObject) -> JsonObject:
    """Drop what the family sets by itself, and what says nothing."""
    left = {key: value for key, value in map_at(section, "pod").items() if not _is(POD_USUAL, key, value)}
    data = {**section, "pod": left, "podLabels": dict(_more_labels(section))}
    return {key: data[key] for key in KEYS if data.get(key, {}) != {} and not _is(USUAL, key, data[key])}


def _more_labels(section: JsonObject, *, more: bool = True) -> Iterator[tuple[str, Json]]:
    """Return the labels of pods that they do not carry anyway, since they are selected by them, or those."""
    chosen, labels = map_at(section, "selector"), map_at(section, "podLabels")
    return ((key, value) for key, value in labels.items() if (chosen.get(key) != value) is more)


def _is(defaults: JsonObject, key: str, value: Json) -> bool:
    return key in defaults and same(defaults[key], value)


def normal(section: Json) -> Json:
    """Write shorthands out, and name what has a name."""
    own = {name: containers.normal(each) for name, each in section.get("containers", {}).items()}
    return _plain({**section, "containers": own})


def words(want: JsonObject, older: Json) -> JsonObject:
    """Write a Deployment with the shorthands that fit, in the older spec's way where there is one."""
    old: JsonObject = older or {}
    data = {**{key: old[key] for key in USUAL if key in old and _is(USUAL, key, old[key])}, **want}
    kept = {key: value for key, value in map_at(old, "pod").items() if _is(POD_USUAL, key, value)}
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
