"""Policies of networks: the ports that they open, and the pods that they open them for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kitgen.check.index import Pod, below, entries
from kitgen.check.references.labels import matches, pairs, selector
from kitgen.check.references.mentions import mentioned
from kitgen.check.references.ports import (
    Port,
    is_name,
    is_protocol,
    pod_ports,
    protocol,
    same_protocol,
)
from kitgen.check.references.scene import ENOUGH, Found, Scene, workloads
from kitgen.check.references.selectors import SELECTOR_UNMATCHED, is_slip_of, unmet
from kitgen.findings import Chapter, Problem, Rule, Severity, near
from kitgen.objects import Manifest
from kitgen.schema.wording import choice, cut
from kitgen.yamlio import Json, JsonObject

POLICY_PORT = Rule(
    id="policy-port",
    chapter=Chapter.BETWEEN,
    checks=(
        "A port that a NetworkPolicy lets in is one that the pods which it selects declare. A number may "
        "stand in their arguments, variables or ConfigMaps instead, and be any one if they declare none."
    ),
    fix="Use a name that a container declares under `ports`, or the number that it listens at.",
    why=(
        "A policy is about the ports of pods, whatever the Service before them is called at. All other "
        "ports of the selected pods are closed, so that nobody reaches them any more. A name that no pod "
        "has opens nothing."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)

HIGHEST = 65535
OF_MESHES = range(15000, 15100)
"""Ports of a proxy that a service mesh puts into pods."""
SIDES = (("ingress", "from"), ("egress", "to"))


def look(scene: Scene) -> Iterator[Found]:
    """Yield ports that no selected pod has, and peers that nothing but a slip of the pen tells apart."""
    for policy in scene.of("networking.k8s.io", "NetworkPolicy"):
        for problem in _of_policy(scene, policy):
            yield policy, problem.below("spec")


def _of_policy(scene: Scene, policy: Manifest) -> Iterator[Problem]:
    terms = selector(below(policy.body, "spec", "podSelector"))
    selected = scene.matching(terms, policy.id.namespace) if terms is not None else []
    if selected and len(selected) < ENOUGH:
        for index, rule in entries(policy.body, "spec", "ingress"):
            for problem in _ports(scene, rule, selected, is_sure=bool(terms)):
                yield problem.below("ingress", index)
    for side, key in SIDES:
        for index, rule in entries(policy.body, "spec", side):
            for problem in _peers(scene, policy, rule, key):
                yield problem.below(side, index)


def _ports(scene: Scene, rule: JsonObject, selected: Sequence[Pod], *, is_sure: bool) -> Iterator[Problem]:
    """Yield ports that the selected pods do not have; a number only where it is sure whose it is."""
    there = [port for pod in selected for port in pod_ports(pod)]
    for index, item in entries(rule, "ports"):
        wanted = item.get("port")
        if not is_protocol(item) or below(item, "endPort") is not None:
            continue
        same = same_protocol(there, item)
        if isinstance(wanted, str) and is_name(wanted):
            if wanted not in {port.name for port in same}:
                yield _unnamed(wanted, item, same, there, selected).below("ports", index)
        elif isinstance(wanted, int) and is_sure and _is_nobodys(scene, wanted, item, selected):
            yield _undeclared(scene, wanted, same, selected).below("ports", index)


def _is_nobodys(scene: Scene, wanted: int, item: JsonObject, selected: Sequence[Pod]) -> bool:
    """Tell whether all pods declare ports, and none this one, nor are they told of it."""
    return (
        0 < wanted <= HIGHEST
        and wanted not in OF_MESHES
        and all(
            (ports := pod_ports(pod))
            and wanted not in {port.number for port in same_protocol(ports, item)}
            and wanted not in mentioned(scene, pod)
            for pod in selected
        )
    )


def _unnamed(
    wanted: str, item: JsonObject, same: list[Port], there: list[Port], selected: Sequence[Pod]
) -> Problem:
    message = f"found the port {cut(wanted)}, which {workloads(selected)} does not have"
    if other := next((port.protocol for port in there if port.name == wanted), ""):
        at = ("protocol",) if "protocol" in item else ("port",)
        return POLICY_PORT(f"{message} for {cut(protocol(item))}", at, f"it is declared for {cut(other)}")
    names = sorted({port.name for port in same if port.name})
    known = f"it has {choice(list(names), last='and', say=lambda each: cut(str(each)))}" if names else ""
    return POLICY_PORT(message, ("port",), near(wanted, names) or known)


def _undeclared(scene: Scene, wanted: int, same: list[Port], selected: Sequence[Pod]) -> Problem:
    """Return that a number is none that the pods declare, and whether a Service is called at it."""
    known = sorted({port.number for port in same if port.number})
    message = f"found the port {wanted}, which {workloads(selected)} does not declare"
    hint = f"{choice(list(known), last='and')} would be declared" if known else ""
    for service in scene.services_at(wanted):
        terms = pairs(below(service.body, "spec", "selector"))
        here = service.id.namespace in ("", selected[0].namespace)
        if here and terms and all(matches(terms, pod.labels) for pod in selected):
            hint = f"it is that of {service.id}, but a policy is about the ports of pods"
    return POLICY_PORT(message, ("port",), hint)


def _peers(scene: Scene, policy: Manifest, rule: JsonObject, key: str) -> Iterator[Problem]:
    """Yield selectors of others in the same namespace that match nothing but for a letter."""
    for index, peer in entries(rule, key):
        found: Json = peer.get("podSelector")
        terms = selector(found)
        if not terms or peer.get("namespaceSelector") is not None:
            continue
        here = scene.pods(policy.id.namespace)
        if not scene.matching(terms, policy.id.namespace) and is_slip_of(terms, here):
            message = "found no pod with these labels in its namespace"
            where = (key, index, "podSelector", *unmet(found, [pod.labels for pod in here]))
            yield SELECTOR_UNMATCHED(message, where, f"there are those of {workloads(here)}")
