"""NetworkPolicies that shut out the API server from a webhook, or Prometheus from metrics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kitgen.check.index import Pod, below, entries
from kitgen.check.references.called import hook_calls
from kitgen.check.references.labels import Selector, matches, pairs, selector
from kitgen.check.references.monitors import watched
from kitgen.check.references.ports import pod_ports
from kitgen.check.references.scene import ENOUGH, Found, Scene, workloads
from kitgen.findings import Chapter, Problem, Rule, Severity
from kitgen.objects import Manifest
from kitgen.schema.wording import cut
from kitgen.yamlio import Json, JsonObject

POLICY_SHUTS_OUT = Rule(
    id="policy-shuts-out",
    chapter=Chapter.BETWEEN,
    checks=(
        "Where NetworkPolicies select the pods of a webhook, one of them opens its port to the API server; "
        "where they select pods that a ServiceMonitor or a PodMonitor scrapes, one of them opens the port of "
        "the metrics."
    ),
    fix=(
        "Add an ingress rule with the port of the pod. For a webhook, leave `from` out, or name the "
        "addresses of the API server: it is no pod, so selectors of pods do not match it."
    ),
    why=(
        "A pod that an ingress policy selects gets only what some rule lets in. If the API server cannot "
        "reach a webhook, every request that the webhook has to see fails, or goes through unchecked. If "
        "Prometheus cannot reach the metrics, there are none, and no alert fires."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)

HOSTS = ("host-network", "kube-system", "apiserver")
"""In selectors of the namespaces that the API server, or what tunnels its calls, is thought to come from."""


class _Door(NamedTuple):
    """A port of a pod that somebody has to reach."""

    number: int
    name: str
    visitor: str
    """Who calls, in words."""
    is_server: bool
    """Whether it is the API server, which selectors of pods do not match."""


def look(scene: Scene) -> Iterator[Found]:
    """Yield policies that leave a port closed which has to be open."""
    policies = [
        (each, terms)
        for each in scene.of("networking.k8s.io", "NetworkPolicy")
        if _is_ingress(each) and (terms := selector(below(each.body, "spec", "podSelector"))) is not None
    ]
    if not policies:
        return
    told: set[tuple[int, int]] = set()
    for pod, door in (*_hooks(scene), *_scraped(scene)):
        chosen = [each for each, terms in policies if _selects(each, terms, pod)]
        closed = chosen and not any(
            _opens(rule, door) for each in chosen for _, rule in entries(each.body, "spec", "ingress")
        )
        if closed and (id(chosen[0].body), door.number) not in told:
            told.add((id(chosen[0].body), door.number))
            yield chosen[0], _shut(chosen[0], pod, door)


def _is_ingress(policy: Manifest) -> bool:
    kinds = below(policy.body, "spec", "policyTypes")
    return not isinstance(kinds, list) or not kinds or "Ingress" in kinds


def _selects(policy: Manifest, terms: Selector, pod: Pod) -> bool:
    """Tell whether a policy is for a pod; none is for pods in the network of their node."""
    here = policy.id.namespace in ("", pod.namespace) and pod.spec.get("hostNetwork") is not True
    return here and matches(terms, pod.labels)


def _shut(policy: Manifest, pod: Pod, door: _Door) -> Problem:
    message = f"found no rule that lets {door.visitor} reach the port {door.number} of {workloads([pod])}"
    hint = "selectors of pods do not match the API server" if door.is_server else ""
    at = "ingress" if below(policy.body, "spec", "ingress") is not None else "podSelector"
    return POLICY_SHUTS_OUT(message, ("spec", at), hint)


def _hooks(scene: Scene) -> Iterator[tuple[Pod, _Door]]:
    for call in hook_calls(scene):
        service = scene.get("", "Service", call.namespace, call.name)
        if service is not None:
            visitor = f"the API server, which calls {cut(str(call.manifest.id))},"
            yield from _behind(scene, service, call.port, visitor, is_server=True)


def _scraped(scene: Scene) -> Iterator[tuple[Pod, _Door]]:
    for monitor, services, pods in watched(scene):
        visitor = f"what scrapes for {cut(str(monitor.id))}"
        for service in services:
            for _, endpoint in entries(monitor.body, "spec", "endpoints"):
                port = endpoint.get("port")
                if isinstance(port, str):
                    yield from _behind(scene, service, port, visitor, is_server=False)
        for pod in pods:
            for _, endpoint in entries(monitor.body, "spec", "podMetricsEndpoints"):
                for port in pod_ports(pod):
                    if port.name and port.name == endpoint.get("port"):
                        yield pod, _Door(port.number, port.name, visitor, is_server=False)


def _behind(
    scene: Scene, service: Manifest, port: Json, visitor: str, *, is_server: bool
) -> Iterator[tuple[Pod, _Door]]:
    """Yield the ports of pods that a Service leads to from one of its own."""
    terms = pairs(below(service.body, "spec", "selector"))
    pods = scene.matching(terms, service.id.namespace) if terms else []
    if not pods or len(pods) >= ENOUGH:
        return
    for _, each in entries(service.body, "spec", "ports"):
        if port not in (each.get("port"), each.get("name")):
            continue
        target = each.get("targetPort") or each.get("port")
        for pod in pods:
            for number, name in _targets(pod, target):
                yield pod, _Door(number, name, visitor, is_server)


def _targets(pod: Pod, target: Json) -> Sequence[tuple[int, str]]:
    ports = pod_ports(pod)
    if isinstance(target, int):
        return [(target, next((each.name for each in ports if each.number == target), ""))]
    return [(each.number, each.name) for each in ports if each.name == target]


def _opens(rule: JsonObject, door: _Door) -> bool:
    """Tell whether a rule lets somebody in at a port."""
    ports = entries(rule, "ports")
    return (not ports or any(_is_port(each, door) for _, each in ports)) and _lets(rule, door)


def _is_port(item: JsonObject, door: _Door) -> bool:
    port, end = item.get("port"), item.get("endPort")
    if item.get("protocol", "TCP") != "TCP":
        return False
    if isinstance(port, int) and isinstance(end, int):
        return port <= door.number <= end
    return port is None or port == door.number or (isinstance(port, str) and port == door.name)


def _lets(rule: JsonObject, door: _Door) -> bool:
    peers = entries(rule, "from")
    return not peers or not door.is_server or any(_is_host(each) for _, each in peers)


def _is_host(peer: JsonObject) -> bool:
    """Tell whether a peer may be the API server: by its address, or by the namespaces that stand for it."""
    if peer.get("ipBlock") is not None:
        return True
    spaces = peer.get("namespaceSelector")
    if spaces == {} and peer.get("podSelector") == {}:
        return True  # OpenShift counts pods in the network of hosts among these, and only if both are there
    words = [word for term in selector(spaces) or () for word in (term.key, *term.values)]
    return any(name in word for word in words for name in HOSTS)
