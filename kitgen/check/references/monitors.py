"""Check ServiceMonitors and PodMonitors: the pods or Services that they select, and their ports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kitgen.check.references.creators import PODS, SERVICES
from kitgen.check.references.selectors import SELECTOR_UNMATCHED, find_unmet_label, is_selector_typo
from kitgen.check.references.target_objects import ENOUGH, Found, TargetObjects
from kitgen.findings import Problem, make_problem, suggest_word
from kitgen.kube.manifest import Manifest
from kitgen.kube.pods import PodView, Port, is_port_name
from kitgen.kube.selectors import LabelSelector, matches_labels, read_pod_selector
from kitgen.kube.services import service_ports
from kitgen.text.values import entries_at, texts_at, value_at
from kitgen.text.wording import describe_value, join_words, quote_text

GROUP = "monitoring.coreos.com"
ENDPOINTS = {"PodMonitor": "podMetricsEndpoints", "ServiceMonitor": "endpoints"}
"""Kind → where it lists what is scraped."""


class MonitorTarget(NamedTuple):
    """A pod or a Service that a monitor selects."""

    manifest: Manifest
    ports: Sequence[Port]
    pod: PodView | None = None


def check_monitors(scene: TargetObjects) -> Iterator[Found]:
    """Yield monitors that select nothing, or name a port that nothing selected has."""
    for monitor, terms in _list_monitors(scene):
        spaces = _list_namespaces(monitor)
        seen = [each for space in spaces or () for each in _find_targets(scene, monitor, terms, space)]
        if spaces is None or len(seen) >= ENOUGH:
            continue
        if seen:
            yield from ((monitor, wrong) for wrong in _check_ports(monitor, seen))
        elif terms and (nothing := _check_empty_selection(scene, monitor, terms, spaces)):
            yield monitor, nothing


def list_monitor_targets(scene: TargetObjects) -> Iterator[tuple[Manifest, MonitorTarget]]:
    """Yield monitors with the Services, or the pods, that they select."""
    for monitor, terms in _list_monitors(scene):
        for space in _list_namespaces(monitor) or [""]:
            yield from ((monitor, each) for each in _find_targets(scene, monitor, terms, space))


def _list_monitors(scene: TargetObjects) -> Iterator[tuple[Manifest, LabelSelector]]:
    for monitor in scene.objects_of(GROUP, *ENDPOINTS):
        if (terms := read_pod_selector(value_at(monitor.body, "spec", "selector"))) is not None:
            yield monitor, terms


def _list_namespaces(monitor: Manifest) -> list[str] | None:
    """Return the namespaces that are watched; None for all, whose content is unknown."""
    chosen = value_at(monitor.body, "spec", "namespaceSelector")
    if value_at(chosen, "any") is True or (not monitor.id.namespace and not chosen):
        return None
    return texts_at(chosen, "matchNames") or [monitor.id.namespace]


def _find_targets(
    scene: TargetObjects, monitor: Manifest, terms: LabelSelector, space: str
) -> list[MonitorTarget]:
    """Return what a selector of a monitor matches, in a namespace or in all."""
    if monitor.id.kind == "PodMonitor":
        return [MonitorTarget(pod.manifest, pod.ports, pod) for pod in scene.pods_matching(terms, space)]
    return [
        MonitorTarget(each, service_ports(each.body))
        for each in scene.objects_of("", "Service")
        if (not space or each.id.namespace in ("", space)) and matches_labels(terms, each.labels)
    ]


def _check_ports(monitor: Manifest, seen: Sequence[MonitorTarget]) -> Iterator[Problem]:
    there = sorted({port.name for each in seen for port in each.ports if port.name})
    key = ENDPOINTS[monitor.id.kind]
    for index, endpoint in entries_at(monitor.body, "spec", key):
        if isinstance(port := endpoint.get("port"), str) and is_port_name(port) and port not in there:
            names = join_words(sorted({str(each.manifest.id) for each in seen}), last="and", most=3)
            known = f"there is {join_words(there, last='and', say=describe_value)}"
            message = f"found the port {quote_text(port)}, which {names} does not have"
            hint = suggest_word(port, there) or (known if there else "")
            yield make_problem("monitor-port", message, ("spec", key, index, "port"), hint)


def _check_empty_selection(
    scene: TargetObjects, monitor: Manifest, terms: LabelSelector, spaces: Sequence[str]
) -> Problem | None:
    """Return that nothing is selected, if there is something that could be."""
    is_pod = monitor.id.kind == "PodMonitor"
    slip = is_pod and any(is_selector_typo(terms, scene.pods_in(space)) for space in spaces)
    if any(scene.can_be_created(space, PODS if is_pod else SERVICES) for space in spaces) and not slip:
        return None
    what = "pod" if is_pod else "Service"
    if not any(
        scene.pods_in(space) if is_pod else scene.list_names("", "Service", space) for space in spaces
    ):
        return None
    pods = [pod.labels for space in spaces for pod in scene.pods_in(space)]
    labels = pods if is_pod else [each.labels for each in scene.objects_of("", "Service")]
    where = ("spec", "selector", *find_unmet_label(value_at(monitor.body, "spec", "selector"), labels))
    doubt = next((hint for space in spaces if (hint := scene.hint_for_controller(space))), "")
    return SELECTOR_UNMATCHED(f"found no {what} with these labels in its namespace", where, doubt)
