"""Check the ports of probes and hooks, and port numbers in arguments, variables and ConfigMaps."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kitgen.check.pods import HANDLED
from kitgen.check.references.creators import LONGEST, told
from kitgen.check.references.target_objects import Found, TargetObjects, pod_places
from kitgen.findings import Path, Problem, near, problem
from kitgen.kube.pods import CONTAINERS, ContainerView, PodView, is_port_name
from kitgen.text.values import map_at, value_at
from kitgen.text.wording import choice, cut
from kitgen.text.yaml import Json

NUMBER = re.compile(r"(?<![0-9.])[0-9]{2,5}(?![0-9.])")
HEALTH = re.compile(
    r"health[a-z-]*(?:addr|address|port)\b[\"']?\s*[:= ]\s*[\"']?[^\s\"',]*?:?([0-9]{2,5})\b", re.I
)
"""How a container is told where to answer probes, such as --health-probe-bind-address=:8081."""
CONFIG_MAPS = (
    *("volumes[]/configMap/name", "volumes[]/projected/sources[]/configMap/name"),
    *(f"{each}[]/envFrom[]/configMapRef/name" for each in CONTAINERS),
    *(f"{each}[]/env[]/valueFrom/configMapKeyRef/name" for each in CONTAINERS),
)
"""Where a pod names ConfigMaps."""


def mentioned(scene: TargetObjects, pod: PodView) -> frozenset[int]:
    """Return the numbers in a pod's settings that may be ports."""
    if id(pod.spec) not in scene.told:
        scene.told[id(pod.spec)] = frozenset(
            int(each) for text in texts(scene, pod) for each in NUMBER.findall(text)
        )
    return scene.told[id(pod.spec)]


def healthy(scene: TargetObjects, pod: PodView) -> frozenset[int]:
    """Return the ports at which a pod is configured to answer probes."""
    return frozenset(int(each) for text in texts(scene, pod) for each in HEALTH.findall(text))


def texts(scene: TargetObjects, pod: PodView) -> Iterator[str]:
    """Yield the arguments, variables and files of a pod."""
    yield from told(pod)
    for name in sorted(used_config_maps(pod)):
        there = scene.get("", "ConfigMap", pod.namespace, name)
        for text in map_at(there.body, "data").values() if there else ():
            if isinstance(text, str):
                yield text[:LONGEST]


def used_config_maps(pod: PodView) -> set[str]:
    """Return the names of the ConfigMaps that a pod takes anything from."""
    return {name for _, name in pod_places(pod, *CONFIG_MAPS) if isinstance(name, str)}


PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
PAIR = frozenset({"/healthz", "/readyz"})
"""Paths that controllers answer at one port."""
USUAL = 8081
"""Where most of them do."""


LAST = 65535
"""The last port; one beyond it is refused."""


def look(scene: TargetObjects) -> Iterator[Found]:
    """Yield probes and hooks at a port that their container does not have."""
    for pod in scene.index.pods:
        yield from ((pod.manifest, wrong) for wrong in (*_of_pod(pod), *_numbered(scene, pod)))


def _numbered(scene: TargetObjects, pod: PodView) -> Iterator[Problem]:
    """Yield ports, given by a number, where nothing listens."""
    answering: frozenset[int] | None = None
    for container in (each for each in pod.containers if each.kind == "containers"):
        ports = container.ports
        names = {each.name: each.number for each in ports}
        asked = {place: _asked(value_at(container.body, place, "httpGet"), names) for place in PROBES}
        asked = {place: each for place, each in asked.items() if each[1]}
        if not asked or len({port for _, port in asked.values()} | {each.number for each in ports}) < 2:
            continue  # nothing that it could be held against
        told = answering = healthy(scene, pod) if answering is None else answering
        known = mentioned(scene, pod) | {each.number for each in ports}
        strays = _strays(asked, known, told)
        for place, (_, port) in asked.items():
            if place in strays or (told and port not in known):
                there = choice(sorted(told)) if told else ""
                hint = f"it is told to answer at {there}" if told else "another probe asks elsewhere"
                yield problem(
                    "probe-port-undeclared",
                    f"found the port {port}, where the container does not answer probes",
                    container.at(place, "httpGet", "port"),
                    hint,
                )


def _asked(request: Json, numbers: dict[str, int]) -> tuple[str, int]:
    """Return the path and the port that a probe calls; 0 where that is unknown."""
    path, port = value_at(request, "path"), value_at(request, "port")
    number = numbers.get(port, 0) if isinstance(port, str) else port
    return str(path or "/"), number if isinstance(number, int) and 0 < number <= LAST else 0


def _strays(asked: dict[str, tuple[str, int]], known: frozenset[int], told: frozenset[int]) -> set[str]:
    """Return the probes that call another port than others do for the same or a related path."""
    found: set[str] = set()
    for paths in (PAIR, *({path} for path, _ in asked.values() if path not in PAIR)):
        same = {place: port for place, (path, port) in asked.items() if path in paths}
        ports = list(same.values())
        if told.intersection(ports):  # then a port that is declared is for something else
            found |= {place for place, port in same.items() if port not in told}
            continue
        right = next((port for port in ports if port in known), USUAL if USUAL in ports else None)
        right = ports[0] if right is None and ports else right
        found |= {place for place, port in same.items() if port != right and port not in known}
    return found


def _of_pod(pod: PodView) -> Iterator[Problem]:
    for container in pod.containers:
        for path, port in _named(container):
            names = sorted({each.name for each in container.ports if each.name})
            if port not in names:
                message = f"found the port {cut(port)}, which the container does not declare"
                there = f"it declares {choice(list(names), last='and', say=_quoted)}" if names else ""
                yield problem("probe-port", message, container.at(*path), near(port, names) or there)


def _quoted(each: Json) -> str:
    return cut(str(each))


def _named(container: ContainerView) -> Iterator[tuple[Path, str]]:
    """Yield the names of ports in the probes and hooks of a container."""
    for place in HANDLED:
        steps = place.split("/")
        for handler in ("httpGet", "tcpSocket"):
            path = (*steps, handler, "port")
            if isinstance(port := value_at(container.body, *path), str) and is_port_name(port):
                yield path, port
