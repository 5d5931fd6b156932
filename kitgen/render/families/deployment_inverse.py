"""Inverse of the family of the operator's Deployment."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.render.families import containers_inverse as containers
from kitgen.render.families.containers_inverse import (
    choose_image_names,
    drop_keys,
    find_operator,
    is_string_map,
)
from kitgen.render.families.deployment import PASSED, PLACES, POD_USUAL, USUAL
from kitgen.render.families.webhooks import CERTIFICATES
from kitgen.render.inverse import Inverse, RecognisedSection, TreeObjects
from kitgen.render.section_changes import is_identical_value, keep_empty_values, make_change_converter
from kitgen.text.values import map_at, value_at
from kitgen.text.yaml import Json, JsonObject

TEXTS = ("labels", "annotations", "selector", "podLabels", "podAnnotations")
LEAST = {"replicas": 0, "minReadySeconds": 0, "progressDeadlineSeconds": 1, "revisionHistoryLimit": 0}
"""Numbers, and the least that each may be."""
KEYS = (
    *("name", "labels", "annotations", "replicas", "strategy", *PASSED, "selector", "podLabels"),
    *("podAnnotations", "pod", "volumes", "containers"),
)


def recognise_deployment(scene: TreeObjects) -> RecognisedSection | None:
    """Take the operator's Deployment without the additions of other families."""
    found = find_operator(scene)
    if not found.body or found.id not in scene.objects:
        return None
    own = {name: containers.recognise_container(each) for name, each in found.containers.items()}
    images = choose_image_names(scene, own)
    own |= {name: {**own[name], "image": image} for name, image in images.items()}
    volumes = {name: drop_keys(volume, "name") for name, volume in found.volumes.items()}
    _remove_additions(scene, own, volumes)
    pod = drop_keys(found.pod_spec, "containers", "volumes")
    if scene.account and pod.get("serviceAccountName") == scene.account:
        del pod["serviceAccountName"]
    section: JsonObject = {
        "name": scene.short_name(found.id),
        **_select_outer_fields(found.body),
        "pod": pod,
        "volumes": volumes,
        "containers": own,
    }
    real: dict[str, str] = {name: each.get("image", "") for name, each in found.containers.items()}
    new = {image: real[name] for name, image in images.items() if scene.images.get(real[name]) != image}
    return RecognisedSection(section=_drop_defaults(section), objects=frozenset({found.id}), images=new)


def _select_outer_fields(body: JsonObject) -> JsonObject:
    """Return what a Deployment says besides its pods' spec."""
    given = {key: value_at(body, *PLACES[key]) for key in (*TEXTS, *LEAST)}
    if {*map_at(body, "spec", "selector")} != {"matchLabels"}:
        given["selector"] = {}
    data = {key: given[key] for key in TEXTS if is_string_map(given[key])}
    data |= {key: given[key] for key in LEAST if type(given[key]) is int and given[key] >= LEAST[key]}
    return {**data, "strategy": map_at(body, *PLACES["strategy"])}


def _remove_additions(scene: TreeObjects, own: dict[str, JsonObject], volumes: JsonObject) -> None:
    """Take off the port, the mounts and the volumes that webhooks and the configuration bring."""
    webhooks, mount = scene.found.get("webhooks"), value_at(scene.found, "config", "mount")
    if webhooks:
        server = own.get(map_at(webhooks).get("container") or next(iter(own)), {})
        _remove_item(server, "ports", "webhook-server")
        _remove_item(server, "volumeMounts", CERTIFICATES)
        volumes.pop("cert", None)
    if mount:
        _remove_item(own.get(mount["container"], {}), "volumeMounts", mount["path"])
        volumes.pop(mount["volume"], None)


def _remove_item(container: JsonObject, key: str, name: str) -> None:
    """Take one item from those of a container; a list that holds no more goes."""
    if isinstance(items := container.get(key), dict) and name in items:
        container[key] = drop_keys(items, name)
    elif isinstance(items, list):
        container[key] = [item for item in items if map_at(item).get("name") != name]
    if key in container and not container[key]:
        del container[key]


def _drop_defaults(section: JsonObject) -> JsonObject:
    """Drop what the family sets by itself, and what says nothing."""
    left = {
        key: value for key, value in map_at(section, "pod").items() if not _is_default(POD_USUAL, key, value)
    }
    data = {**section, "pod": left, "podLabels": dict(_select_pod_labels(section))}
    return {
        key: data[key] for key in KEYS if data.get(key, {}) != {} and not _is_default(USUAL, key, data[key])
    }


def _select_pod_labels(section: JsonObject, *, more: bool = True) -> Iterator[tuple[str, Json]]:
    """Return the labels of pods that they do not carry anyway, since they are selected by them, or those."""
    chosen, labels = map_at(section, "selector"), map_at(section, "podLabels")
    return ((key, value) for key, value in labels.items() if (chosen.get(key) != value) is more)


def _is_default(defaults: JsonObject, key: str, value: Json) -> bool:
    return key in defaults and is_identical_value(defaults[key], value)


def normalize_deployment(section: Json) -> Json:
    """Write shorthands out, and name what has a name."""
    own = {name: containers.normalize_container(each) for name, each in section.get("containers", {}).items()}
    return _drop_defaults({**section, "containers": own})


def to_deployment_section(want: JsonObject, older: Json) -> JsonObject:
    """Write a Deployment with the shorthands that fit, in the older spec's way where there is one."""
    old: JsonObject = older or {}
    data = {**{key: old[key] for key in USUAL if key in old and _is_default(USUAL, key, old[key])}, **want}
    kept = {key: value for key, value in map_at(old, "pod").items() if _is_default(POD_USUAL, key, value)}
    if kept or "pod" in want:
        data["pod"] = {**kept, **want.get("pod", {})}
    usual = dict(_select_pod_labels({**want, "podLabels": old.get("podLabels")}, more=False))
    if usual or "podLabels" in want:
        data["podLabels"] = {**usual, **want.get("podLabels", {})}
    before = old.get("containers", {})
    if "containers" in want:
        own = want["containers"].items()
        data["containers"] = {
            name: containers.to_container_entry(each, before.get(name)) for name, each in own
        }
    data = keep_empty_values(old, data)
    return {key: data[key] for key in KEYS if key in data}


INVERSE = Inverse(
    recognise=recognise_deployment,
    normal=normalize_deployment,
    terms=make_change_converter("deployment", normalize_deployment, to_deployment_section),
)
