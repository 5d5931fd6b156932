"""PodDisruptionBudgets that never let a pod be evicted, so that no node with one can be drained."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from kitgen.check.index import Pod, below
from kitgen.check.references.labels import selector
from kitgen.check.references.scene import ENOUGH, Found, Scene, workloads
from kitgen.findings import Chapter, Problem, Rule, Severity
from kitgen.schema.wording import counted
from kitgen.yamlio import Json

BUDGET_BLOCKS = Rule(
    id="budget-blocks-drain",
    chapter=Chapter.BETWEEN,
    checks=(
        "A PodDisruptionBudget lets at least one pod be evicted: maxUnavailable is not 0, and minAvailable "
        "is less than the replicas of the workloads that it selects. Where a HorizontalPodAutoscaler or "
        "KEDA's ScaledObject scales one of them, its least replicas count."
    ),
    fix="Allow one pod to be unavailable (`maxUnavailable: 1`), or run more replicas.",
    why=(
        "`kubectl drain` evicts pods, and the API server refuses every eviction that the budget does not "
        "allow. A budget that allows none blocks the drain of every node with such a pod, and with it "
        "upgrades of the cluster, until somebody deletes the pod or the budget by hand."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)

PERCENT = re.compile(r"([0-9]{1,9})%")
COUNTED = ("Deployment", "StatefulSet", "ReplicaSet", "ReplicationController")
SCALERS = {
    ("autoscaling", "HorizontalPodAutoscaler"): ("minReplicas", 1),
    ("keda.sh", "ScaledObject"): ("minReplicaCount", 0),
}
"""Kinds that scale workloads → the field with the least replicas, and what counts without it."""


def look(scene: Scene) -> Iterator[Found]:
    """Yield budgets that allow no eviction at all."""
    for budget in scene.of("policy", "PodDisruptionBudget"):
        spec = below(budget.body, "spec")
        most, least = below(spec, "maxUnavailable"), below(spec, "minAvailable")
        if most is not None:
            if _parsed(most) in ((0, False), (0, True)):
                message = f"found maxUnavailable {most}, which never lets a pod be evicted"
                yield budget, BUDGET_BLOCKS(message, ("spec", "maxUnavailable"))
            continue
        terms = selector(below(spec, "selector"))
        pods = scene.matching(terms, budget.id.namespace) if terms is not None else []
        if problem := _too_much(least, _replicas(scene, pods), pods):
            is_scaled = any(_scaled(scene, pod) is not None for pod in pods)
            hint = "its autoscaler runs no more than that when there is little to do" if is_scaled else ""
            yield budget, replace(problem.below("spec", "minAvailable"), hint=hint)


def _parsed(value: Json) -> tuple[int, bool] | None:
    """Return a number of pods and whether it is a percentage; None for what is neither."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value, False
    match = PERCENT.fullmatch(value) if isinstance(value, str) else None
    return (int(match[1]), True) if match else None


def _too_much(least: Json, replicas: int, pods: Sequence[Pod]) -> Problem | None:
    """Return that all pods have to be available; how many there are is 0 where nobody knows."""
    parsed = _parsed(least)
    if parsed is None or parsed == (0, False):
        return None
    number, is_share = parsed
    if is_share and number >= 100:
        return BUDGET_BLOCKS(f"found minAvailable {least}, which never lets a pod be evicted")
    wanted = -(-replicas * number // 100) if is_share else number
    if not replicas or wanted < replicas:
        return None
    there = f"{workloads(pods)} {'has' if len(pods) == 1 else 'have'} {counted(replicas, 'replica')}"
    return BUDGET_BLOCKS(f"found minAvailable {least}, but {there}: no pod can ever be evicted")


def _replicas(scene: Scene, pods: Sequence[Pod]) -> int:
    """Return how many pods workloads run at least, together; 0 if that cannot be known."""
    if not pods or len(pods) >= ENOUGH:
        return 0
    total = 0
    for pod in pods:
        if pod.manifest.id.kind not in COUNTED:
            return 0
        scaled = _scaled(scene, pod)
        own = below(pod.manifest.body, "spec", "replicas")
        count: Json = (1 if own is None else own) if scaled is None else scaled
        if not isinstance(count, int) or isinstance(count, bool):
            return 0
        total += count
    return total


def _scaled(scene: Scene, pod: Pod) -> Json:
    """Return the least replicas that an autoscaler gives the workload of a pod; None if none scales it."""
    workload = pod.manifest.id
    for (group, kind), (field, default) in SCALERS.items():
        for scaler in scene.of(group, kind):
            ref = below(scaler.body, "spec", "scaleTargetRef")
            target = (below(ref, "kind") or "Deployment", below(ref, "name"))
            if scaler.id.namespace == workload.namespace and target == (workload.kind, workload.name):
                least = below(scaler.body, "spec", field)
                return default if least is None else least
    return None
