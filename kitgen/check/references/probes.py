"""Probes and hooks: the ports that they name."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.index import Pod, below, entries
from kitgen.check.pods import CONTAINERS, HANDLED
from kitgen.check.references.ports import declared, is_name
from kitgen.check.references.scene import Found, Scene
from kitgen.findings import Chapter, Path, Problem, Rule, near
from kitgen.schema.wording import choice, cut
from kitgen.yamlio import Json, JsonObject

PROBE_PORT = Rule(
    id="probe-port",
    chapter=Chapter.BETWEEN,
    checks="A probe or hook that names a port names one that its own container declares.",
    fix="Use a name that the container declares under `ports`, or the number.",
    why=(
        "The name is looked up among the ports of the same container. If it is not there, a "
        "readiness probe never succeeds, so that the pod gets no requests; a startup probe or hook "
        "has the container restarted."
    ),
    exceptable=True,
)


def look(scene: Scene) -> Iterator[Found]:
    """Yield probes and hooks at a port that their container does not have."""
    for pod in scene.index.pods:
        for problem in _of_pod(pod):
            yield pod.manifest, problem


def _of_pod(pod: Pod) -> Iterator[Problem]:
    for kind in CONTAINERS:
        for index, container in entries(pod.spec, kind):
            for path, port in _named(container):
                names = sorted({each.name for each in declared(container) if each.name})
                if port not in names:
                    message = f"found the port {cut(port)}, which the container does not declare"
                    there = f"it declares {choice(list(names), last='and', say=_quoted)}" if names else ""
                    yield PROBE_PORT(message, pod.at(kind, index, *path), near(port, names) or there)


def _quoted(each: Json) -> str:
    return cut(str(each))


def _named(container: JsonObject) -> Iterator[tuple[Path, str]]:
    """Yield the names of ports in the probes and hooks of a container."""
    for place in HANDLED:
        steps = place.split("/")
        if below(container, steps[0]) is None:
            continue
        for handler in ("httpGet", "tcpSocket"):
            path = (*steps, handler, "port")
            port = below(container, *path)
            if isinstance(port, str) and is_name(port):
                yield path, port
