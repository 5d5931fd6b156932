"""Check NetworkPolicies: ports and pods that they select, and webhooks or metrics that they block."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from kitgen.check.references.monitors import ENDPOINTS, list_monitor_targets
from kitgen.check.references.selectors import SELECTOR_UNMATCHED, find_unmet_label, is_selector_typo
from kitgen.check.references.service_calls import list_api_server_calls
from kitgen.check.references.services import filter_by_protocol, report_unknown_port
from kitgen.check.references.target_objects import ENOUGH, Found, TargetObjects, format_workloads
from kitgen.findings import Problem, get_rule, make_problem
from kitgen.kube.manifest import Manifest
from kitgen.kube.pods import PROTOCOLS, PodView, is_port_name, protocol_of
from kitgen.kube.selectors import LabelSelector, matches_labels, read_pod_selector
from kitgen.kube.services import service_selector
from kitgen.text.values import entries_at, list_at, text_at, value_at
from kitgen.text.wording import quote_text
from kitgen.text.yaml import Json, JsonObject

HOSTS = ("host-network", "kube-system", "apiserver")
"""In selectors of the namespaces that the API server, or what tunnels its calls, is thought to come from."""


class _Door(NamedTuple):
    """A port of a pod that somebody has to reach."""

    number: int
    name: str
    caller: Manifest
    """What has somebody call."""
    is_server: bool
    """Whether it is the API server, which selectors of pods do not match."""

    @property
    def visitor(self) -> str:
        """Return who calls, in words."""
        name = quote_text(str(self.caller.id))
        return f"the API server, which calls {name}," if self.is_server else f"what scrapes for {name}"


def check_blocked_ports(scene: TargetObjects) -> Iterator[Found]:
    """Yield policies that leave a port closed which has to be open."""
    policies = [
        (each, terms)
        for each in scene.objects_of("networking.k8s.io", "NetworkPolicy")
        if "Ingress" in (list_at(each.body, "spec", "policyTypes") or ["Ingress"])
        and (terms := read_pod_selector(value_at(each.body, "spec", "podSelector"))) is not None
    ]
    if not policies:
        return
    told: set[tuple[int, int]] = set()
    for pod, door in (*_list_webhook_ports(scene), *_list_metrics_ports(scene)):
        chosen = [each for each, terms in policies if _selects_pod(each, terms, pod)]
        closed = chosen and not any(
            _allows_ingress(rule, door)
            for each in chosen
            for _, rule in entries_at(each.body, "spec", "ingress")
        )
        if not closed or (id(chosen[0].body), door.number) in told:
            continue
        told.add((id(chosen[0].body), door.number))
        message = (
            f"found no rule that lets {door.visitor} reach the port {door.number} of "
            f"{format_workloads([pod])}"
        )
        hint = "selectors of pods do not match the API server" if door.is_server else ""
        at = "ingress" if value_at(chosen[0].body, "spec", "ingress") is not None else "podSelector"
        yield chosen[0], make_problem("policy-shuts-out", message, ("spec", at), hint)


def _selects_pod(policy: Manifest, terms: LabelSelector, pod: PodView) -> bool:
    """Return whether a policy is for a pod; none is for pods in the network of their node."""
    here = policy.id.namespace in ("", pod.namespace) and pod.spec.get("hostNetwork") is not True
    return here and matches_labels(terms, pod.labels)


def _list_webhook_ports(scene: TargetObjects) -> Iterator[tuple[PodView, _Door]]:
    called: dict[tuple[int, str], list[tuple[PodView, int, str]]] = {}
    for call in list_api_server_calls(scene):
        if (service := scene.get("", "Service", call.namespace, call.name)) is not None:
            if (key := (id(service), repr(call.port))) not in called:
                called[key] = list(_list_backend_ports(scene, service, call.port))
            yield from ((pod, _Door(at, name, call.manifest, True)) for pod, at, name in called[key])


def _list_metrics_ports(scene: TargetObjects) -> Iterator[tuple[PodView, _Door]]:
    for monitor, target in list_monitor_targets(scene):
        for _, endpoint in entries_at(monitor.body, "spec", ENDPOINTS[monitor.id.kind]):
            if (wanted := text_at(endpoint, "port")) and target.pod is None:
                ports = _list_backend_ports(scene, target.manifest, wanted)
                yield from ((pod, _Door(at, name, monitor, False)) for pod, at, name in ports)
            elif wanted and target.pod is not None:
                numbers = [port.number for port in target.ports if port.name == wanted]
                yield from ((target.pod, _Door(number, wanted, monitor, False)) for number in numbers)


def _list_backend_ports(
    scene: TargetObjects, service: Manifest, port: Json
) -> Iterator[tuple[PodView, int, str]]:
    """Yield the ports of pods that a Service leads to from one of its own."""
    terms = service_selector(service.body)
    pods = scene.pods_matching(terms, service.id.namespace) if terms else []
    if not pods or len(pods) >= ENOUGH:
        return
    for _, each in entries_at(service.body, "spec", "ports"):
        if port not in (each.get("port"), each.get("name")):
            continue
        target = each.get("targetPort") or each.get("port")
        for pod in pods:
            for number, name in _resolve_target_port(pod, target):
                yield pod, number, name


def _resolve_target_port(pod: PodView, target: Json) -> Sequence[tuple[int, str]]:
    ports = pod.ports
    if isinstance(target, int):
        return [(target, next((each.name for each in ports if each.number == target), ""))]
    return [(each.number, each.name) for each in ports if each.name == target]


def _allows_ingress(rule: JsonObject, door: _Door) -> bool:
    """Return whether a rule lets somebody in at a port."""
    ports, peers = entries_at(rule, "ports"), entries_at(rule, "from")
    return (not ports or any(_matches_port(each, door) for _, each in ports)) and (
        not peers or not door.is_server or any(_matches_api_server(each) for _, each in peers)
    )


def _matches_port(item: JsonObject, door: _Door) -> bool:
    port, end = item.get("port"), item.get("endPort")
    if item.get("protocol", "TCP") != "TCP":
        return False
    if isinstance(port, int) and isinstance(end, int):
        return port <= door.number <= end
    return port is None or port == door.number or (isinstance(port, str) and port == door.name)


def _matches_api_server(peer: JsonObject) -> bool:
    """Return whether a peer may be the API server: by its address, or by the namespaces that stand for it."""
    if peer.get("ipBlock") is not None:
        return True
    if (spaces := peer.get("namespaceSelector")) == {} and peer.get("podSelector") == {}:
        return True  # OpenShift counts pods in the network of hosts among these, and only if both are there
    words = [word for term in read_pod_selector(spaces) or () for word in (term.key, *term.values)]
    return any(name in word for word in words for name in HOSTS)


POLICY_PORT = get_rule("policy-port")

SIDES = (("ingress", "from"), ("egress", "to"))


def check_policy_rules(scene: TargetObjects) -> Iterator[Found]:
    """Yield ports that no selected pod has, and peers that match nothing because of a typo."""
    for policy in scene.objects_of("networking.k8s.io", "NetworkPolicy"):
        terms = read_pod_selector(value_at(policy.body, "spec", "podSelector"))
        selected = scene.pods_matching(terms, policy.id.namespace) if terms is not None else []
        for side, key in SIDES:
            for index, each in entries_at(policy.body, "spec", side):
                found = _check_peers(scene, policy, each, key)
                if side == "ingress" and 0 < len(selected) < ENOUGH:
                    found = chain(_check_ports(scene, each, selected), found)
                yield from ((policy, wrong.prefix_path("spec", side, index)) for wrong in found)


def _check_ports(scene: TargetObjects, rule: JsonObject, selected: Sequence[PodView]) -> Iterator[Problem]:
    """Yield names of ports that the selected pods do not have, and ports of the Service before them."""
    there = [port for pod in selected for port in pod.ports]
    for index, item in entries_at(rule, "ports"):
        wanted = item.get("port")
        if protocol_of(item) not in PROTOCOLS or item.get("endPort") is not None:
            continue
        same = filter_by_protocol(there, item)
        if is_port_name(wanted):
            if wanted not in {port.name for port in same}:
                yield report_unknown_port(POLICY_PORT, item, "port", there, selected).prefix_path(
                    "ports", index
                )
        elif wanted not in {port.number for port in same} and (
            service := _find_remapping_service(scene, wanted, selected)
        ):
            message = f"found the port {wanted}, which {format_workloads(selected)} does not declare"
            hint = f"it is that of {service.id}, but a policy is about the ports of pods"
            yield POLICY_PORT(message, ("ports", index, "port"), hint)


def _find_remapping_service(scene: TargetObjects, port: Json, selected: Sequence[PodView]) -> Manifest | None:
    """Return a Service that is called at a port and leads to another one of some pods."""
    for service in scene.services_at(port) if isinstance(port, int) else ():
        terms = service_selector(service.body)
        leads_elsewhere = any(
            each.get("port") == port and each.get("targetPort") not in (None, port)
            for _, each in entries_at(service.body, "spec", "ports")
        )
        here = leads_elsewhere and service.id.namespace in ("", selected[0].namespace)
        if here and terms and all(matches_labels(terms, pod.labels) for pod in selected):
            return service
    return None


def _check_peers(scene: TargetObjects, policy: Manifest, rule: JsonObject, key: str) -> Iterator[Problem]:
    """Yield selectors of others in the same namespace that match nothing but for a letter."""
    for index, peer in entries_at(rule, key):
        found: Json = peer.get("podSelector")
        if not (terms := read_pod_selector(found)) or peer.get("namespaceSelector") is not None:
            continue
        here = scene.pods_in(policy.id.namespace)
        if not scene.pods_matching(terms, policy.id.namespace) and is_selector_typo(terms, here):
            yield SELECTOR_UNMATCHED(
                "found no pod with these labels in its namespace",
                (key, index, "podSelector", *find_unmet_label(found, [pod.labels for pod in here])),
                f"there are those of {format_workloads(here)}",
            )
