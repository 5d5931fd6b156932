"""What Prometheus is told to watch: pods or Services by their labels, and ports by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kitgen.check.references.creators import PODS, SERVICES
from kitgen.check.references.selectors import SELECTOR_UNMATCHED, is_slip_of, unmet
from kitgen.check.references.target_objects import ENOUGH, Found, TargetObjects, text
from kitgen.findings import Problem, near, rule
from kitgen.kube.manifest import Manifest
from kitgen.kube.pods import PodView, is_port_name
from kitgen.kube.selectors import LabelSelector, matches, read_pod_selector
from kitgen.kube.services import service_ports
from kitgen.text.values import entries_at, texts_at, value_at
from kitgen.text.wording import choice, cut
from kitgen.text.yaml import Json

MONITOR_PORT = rule("monitor-port")

GROUP = "monitoring.coreos.com"


class _Seen(NamedTuple):
    """Something that may be watched."""

    name: str
    ports: frozenset[str]


def look(scene: TargetObjects) -> Iterator[Found]:
    """Yield monitors that select nothing, or name a port that nothing selected has."""
    for kind, key in (("PodMonitor", "podMetricsEndpoints"), ("ServiceMonitor", "endpoints")):
        for monitor in scene.of(GROUP, kind):
            terms = read_pod_selector(value_at(monitor.body, "spec", "selector"))
            spaces = _namespaces(monitor)
            if terms is None or spaces is None:
                continue
            is_pod = kind == "PodMonitor"
            seen = [
                each for space in spaces for each in (_pods if is_pod else _services)(scene, terms, space)
            ]
            if len(seen) >= ENOUGH:
                continue
            if seen:
                for problem in _ports(monitor.body, key, seen):
                    yield monitor, problem
            elif terms and (nothing := _nothing(scene, monitor.body, terms, spaces, is_pod=is_pod)):
                yield monitor, nothing


def watched(scene: TargetObjects) -> Iterator[tuple[Manifest, list[Manifest], list[PodView]]]:
    """Yield monitors with the Services, or the pods, that they select."""
    for monitor in scene.of(GROUP, "PodMonitor", "ServiceMonitor"):
        terms = read_pod_selector(value_at(monitor.body, "spec", "selector"))
        for space in (_namespaces(monitor) or [""]) if terms is not None else ():
            if monitor.id.kind == "PodMonitor":
                yield monitor, [], scene.matching(terms or (), space)
            else:
                yield monitor, _selected(scene, terms or (), space), []


def _namespaces(monitor: Manifest) -> list[str] | None:
    """Return the namespaces that are watched; None for all, of which nobody knows what is there."""
    chosen = value_at(monitor.body, "spec", "namespaceSelector")
    if value_at(chosen, "any") is True or (not monitor.id.namespace and not chosen):
        return None
    return texts_at(chosen, "matchNames") or [monitor.id.namespace]


def _pods(scene: TargetObjects, terms: LabelSelector, space: str) -> list[_Seen]:
    return [
        _Seen(str(pod.manifest.id), frozenset(port.name for port in pod.ports))
        for pod in scene.matching(terms, space)
    ]


def _services(scene: TargetObjects, terms: LabelSelector, space: str) -> list[_Seen]:
    return [
        _Seen(str(service.id), frozenset(port.name for port in service_ports(service.body)))
        for service in _selected(scene, terms, space)
    ]


def _selected(scene: TargetObjects, terms: LabelSelector, space: str) -> list[Manifest]:
    """Return the Services that a selector matches, in a namespace or in all."""
    return [
        each
        for each in scene.of("", "Service")
        if (not space or each.id.namespace in ("", space)) and matches(terms, each.labels)
    ]


def _ports(body: Json, key: str, seen: Sequence[_Seen]) -> Iterator[Problem]:
    there = {port for each in seen for port in each.ports if port}
    for index, endpoint in entries_at(body, "spec", key):
        port = endpoint.get("port")
        if isinstance(port, str) and is_port_name(port) and port not in there:
            names = choice(sorted({each.name for each in seen}), last="and", most=3)
            message = f"found the port {cut(port)}, which {names} does not have"
            hint = f"there is {choice(sorted(there), last='and', say=lambda each: cut(text(each)))}"
            yield MONITOR_PORT(
                message, ("spec", key, index, "port"), near(port, sorted(there)) or (hint if there else "")
            )


def _nothing(
    scene: TargetObjects, body: Json, terms: LabelSelector, spaces: Sequence[str], *, is_pod: bool
) -> Problem | None:
    """Return that nothing is selected, if there is something that could be."""
    slip = is_pod and any(is_slip_of(terms, scene.pods(space)) for space in spaces)
    if any(scene.is_open(space, PODS if is_pod else SERVICES) for space in spaces) and not slip:
        return None
    what = "pod" if is_pod else "Service"
    there = (scene.pods(space) if is_pod else scene.names("", "Service", space) for space in spaces)
    if not any(there):
        return None
    pods = [pod.labels for space in spaces for pod in scene.pods(space)]
    labels = pods if is_pod else [each.labels for each in scene.of("", "Service")]
    where = ("spec", "selector", *unmet(value_at(body, "spec", "selector"), labels))
    doubt = next((hint for space in spaces if (hint := scene.doubt(space))), "")
    return SELECTOR_UNMATCHED(f"found no {what} with these labels in its namespace", where, doubt)
