"""Numbers that the containers of a pod are told: in arguments, variables and files of ConfigMaps."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.check.index import Pod, below, entries
from kitgen.check.pods import CONTAINERS
from kitgen.check.references.creators import LONGEST, told
from kitgen.check.references.scene import Scene
from kitgen.yamlio import Json

NUMBER = re.compile(r"(?<![0-9.])[0-9]{2,5}(?![0-9.])")
HEALTH = re.compile(
    r"health[a-z-]*(?:addr|address|port)\b[\"']?\s*[:= ]\s*[\"']?[^\s\"',]*?:?([0-9]{2,5})\b", re.I
)
"""How a container is told where to answer probes, such as --health-probe-bind-address=:8081."""


def mentioned(scene: Scene, pod: Pod) -> frozenset[int]:
    """Return the numbers that a pod is told and that may be ports."""
    if id(pod.spec) not in scene.told:
        scene.told[id(pod.spec)] = frozenset(
            int(each) for text in texts(scene, pod) for each in NUMBER.findall(text)
        )
    return scene.told[id(pod.spec)]


def healthy(scene: Scene, pod: Pod) -> frozenset[int]:
    """Return the ports at which a pod is told to answer probes."""
    return frozenset(int(each) for text in texts(scene, pod) for each in HEALTH.findall(text))


def texts(scene: Scene, pod: Pod) -> Iterator[str]:
    """Yield what a pod is told."""
    yield from told(pod)
    for name in sorted(used_config_maps(pod)):
        there = scene.get("", "ConfigMap", pod.namespace, name)
        data = below(there.body, "data") if there else None
        for text in data.values() if isinstance(data, dict) else ():
            if isinstance(text, str):
                yield text[:LONGEST]


def used_config_maps(pod: Pod) -> set[str]:
    """Return the names of the ConfigMaps that a pod takes anything from."""
    names: list[Json] = []
    for _, volume in entries(pod.spec, "volumes"):
        names.append(below(volume, "configMap", "name"))
        names += [below(each, "configMap", "name") for _, each in entries(volume, "projected", "sources")]
    for kind in CONTAINERS:
        for _, container in entries(pod.spec, kind):
            names += [below(each, "configMapRef", "name") for _, each in entries(container, "envFrom")]
            names += [
                below(each, "valueFrom", "configMapKeyRef", "name") for _, each in entries(container, "env")
            ]
    return {name for name in names if isinstance(name, str)}
