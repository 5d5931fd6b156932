"""Check ServiceMonitors and PodMonitors: the pods or Services that they select, and their ports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kitgen.check.references.creators import PODS, SERVICES
from kitgen.check.references.selectors import SELECTOR_UNMATCHED, is_slip_of, unmet
from kitgen.check.references.target_objects import ENOUGH, Found, TargetObjects
from kitgen.findings import Problem, near, problem
from kitgen.kube.manifest import Manifest
from kitgen.kube.pods import PodView, Port, is_port_name
from kitgen.kube.selectors import LabelSelector, matches, read_pod_selector
from kitgen.kube.services import service_ports
from kitgen.text.values import entries_at, texts_at, value_at
from kitgen.text.wording import choice, cut, shown

GROUP = "monitoring.coreos.com"
ENDPOINTS = {"PodMonitor": "podMetricsEndpoints", "ServiceMonitor": "endpoints"}
"""Kind → where it lists what is scraped."""


class MonitorTarget(NamedTuple):
    """A pod or a Service that a monitor selects."""

    manifest: Manifest
    ports: Sequence[Port]
    pod: PodView | None = None


def look(scene: TargetObjects) -> Iterator[Found]:
    """Yield monitors that select nothing, or name a port that nothing selected has."""
    for monitor, terms in _monitors(scene):
        spaces = _namespaces(monitor)
        seen = [each for space in spaces or () for each in _selected(scene, monitor, terms, space)]
        if spaces is None or len(seen) >= ENOUGH:
            continue
        if seen:
            yield from ((monitor, wrong) for wrong in _ports(monitor, seen))
        elif terms and (nothing := _nothing(scene, monitor, terms, spaces)):
            yield monitor, nothing


def watched(scene: TargetObjects) -> Iterator[tuple[Manifest, MonitorTarget]]:
    """Yield monitors with the Services, or the pods, that they select."""
    for monitor, terms in _monitors(scene):
        for space in _namespaces(monitor) or [""]:
            yield from ((monitor, each) for each in _selected(scene, monitor, terms, space))


def _monitors(scene: TargetObjects) -> Iterator[tuple[Manifest, LabelSelector]]:
    for monitor in scene.of(GROUP, *ENDPOINTS):
        if (terms := read_pod_selector(value_at(monitor.body, "spec", "selector"))) is not None:
            yield monitor, terms


def _namespaces(monitor: Manifest) -> list[str] | None:
    """Return the namespaces that are watched; None for all, whose content is unknown."""
    chosen = value_at(monitor.body, "spec", "namespaceSelector")
    if value_at(chosen, "any") is True or (not monitor.id.namespace and not chosen):
        return None
    return texts_at(chosen, "matchNames") or [monitor.id.namespace]


def _selected(
    scene: TargetObjects, monitor: Manifest, terms: LabelSelector, space: str
) -> list[MonitorTarget]:
    """Return what a selector of a monitor matches, in a namespace or in all."""
    if monitor.id.kind == "PodMonitor":
        return [MonitorTarget(pod.manifest, pod.ports, pod) for pod in scene.matching(terms, space)]
    return [
        MonitorTarget(each, service_ports(each.body))
        for each in scene.of("", "Service")
        if (not space or each.id.namespace in ("", space)) and matches(terms, each.labels)
    ]


def _ports(monitor: Manifest, seen: Sequence[MonitorTarget]) -> Iterator[Problem]:
    there = sorted({port.name for each in seen for port in each.ports if port.name})
    key = ENDPOINTS[monitor.id.kind]
    for index, endpoint in entries_at(monitor.body, "spec", key):
        if isinstance(port := endpoint.get("port"), str) and is_port_name(port) and port not in there:
            names = choice(sorted({str(each.manifest.id) for each in seen}), last="and", most=3)
            known = f"there is {choice(there, last='and', say=shown)}"
            message = f"found the port {cut(port)}, which {names} does not have"
            hint = near(port, there) or (known if there else "")
            yield problem("monitor-port", message, ("spec", key, index, "port"), hint)


def _nothing(
    scene: TargetObjects, monitor: Manifest, terms: LabelSelector, spaces: Sequence[str]
) -> Problem | None:
    """Return that nothing is selected, if there is something that could be."""
    is_pod = monitor.id.kind == "PodMonitor"
    slip = is_pod and any(is_slip_of(terms, scene.pods(space)) for space in spaces)
    if any(scene.is_open(space, PODS if is_pod else SERVICES) for space in spaces) and not slip:
        return None
    what = "pod" if is_pod else "Service"
    if not any(scene.pods(space) if is_pod else scene.names("", "Service", space) for space in spaces):
        return None
    pods = [pod.labels for space in spaces for pod in scene.pods(space)]
    labels = pods if is_pod else [each.labels for each in scene.of("", "Service")]
    where = ("spec", "selector", *unmet(value_at(monitor.body, "spec", "selector"), labels))
    doubt = next((hint for space in spaces if (hint := scene.doubt(space))), "")
    return SELECTOR_UNMATCHED(f"found no {what} with these labels in its namespace", where, doubt)
