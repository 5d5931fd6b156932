"""Check the ports of probes and hooks."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.pods import HANDLED
from kitgen.check.references.target_objects import Found, TargetObjects, find_pod_fields
from kitgen.findings import Path, make_problem, suggest_word
from kitgen.kube.pods import CONTAINERS, ContainerView, PodView, is_port_name
from kitgen.text.values import value_at
from kitgen.text.wording import describe_value, join_words, quote_text

CONFIG_MAPS = (
    *("volumes[]/configMap/name", "volumes[]/projected/sources[]/configMap/name"),
    *(f"{each}[]/envFrom[]/configMapRef/name" for each in CONTAINERS),
    *(f"{each}[]/env[]/valueFrom/configMapKeyRef/name" for each in CONTAINERS),
)
"""Where a pod names ConfigMaps."""


def list_used_config_maps(pod: PodView) -> set[str]:
    """Return the names of the ConfigMaps that a pod takes anything from."""
    return {name for _, name in find_pod_fields(pod, *CONFIG_MAPS) if isinstance(name, str)}


def check_probe_ports(scene: TargetObjects) -> Iterator[Found]:
    """Yield probes and hooks at a port that their container does not have."""
    for pod in scene.index.pods:
        for container in pod.containers:
            names = sorted({each.name for each in container.ports if each.name})
            for path, port in _list_named_ports(container):
                if port not in names:
                    message = f"found the port {quote_text(port)}, which the container does not declare"
                    there = (
                        f"it declares {join_words(names, last='and', say=describe_value)}" if names else ""
                    )
                    hint = suggest_word(port, names) or there
                    yield pod.manifest, make_problem("probe-port", message, container.path_to(*path), hint)


def _list_named_ports(container: ContainerView) -> Iterator[tuple[Path, str]]:
    """Yield the names of ports in the probes and hooks of a container."""
    for place in HANDLED:
        steps = place.split("/")
        for handler in ("httpGet", "tcpSocket"):
            path = (*steps, handler, "port")
            if isinstance(port := value_at(container.body, *path), str) and is_port_name(port):
                yield path, port
