"""What scales a workload.

PodDisruptionBudgets that never let a pod be evicted, so that no node with one can be drained.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from kitgen.check.references.target_objects import ENOUGH, Found, ObjectName, TargetObjects, workloads
from kitgen.findings import Problem, near, rule
from kitgen.kube.definitions import kinds
from kitgen.kube.identity import split_api_version
from kitgen.kube.manifest import Manifest
from kitgen.kube.pods import PodView
from kitgen.kube.selectors import read_pod_selector
from kitgen.text.values import value_at
from kitgen.text.wording import choice, counted, cut
from kitgen.text.yaml import Json

SCALE_TARGET_MISSING = rule("scale-target-missing")

SCALED: dict[str, str] = {
    "Deployment": "apps",
    "ReplicaSet": "apps",
    "ReplicationController": "",
    "StatefulSet": "apps",
}
"""Kind of Kubernetes' own that can be scaled → its group."""


class _Aim(NamedTuple):
    """What is to be scaled."""

    group: str
    kind: str
    namespace: str
    name: str
    is_versioned: bool
    """Whether an apiVersion is given at all."""


def look(scene: TargetObjects) -> Iterator[Found]:
    """Yield what is to be scaled and is not there."""
    scales = {(each.group, each.kind): each.has("scale") for each in scene.crds}
    for scaler in scene.of("autoscaling", "HorizontalPodAutoscaler"):
        if (aim := _aim(scaler)) and (problem := _wrong(scene, aim, scales)):
            yield scaler, problem.below("spec", "scaleTargetRef")


def _aim(scaler: Manifest) -> _Aim | None:
    ref = value_at(scaler.body, "spec", "scaleTargetRef")
    version, kind, name = (value_at(ref, key) for key in ("apiVersion", "kind", "name"))
    if not isinstance(kind, str) or not isinstance(name, str) or not kind or not name:
        return None  # schemas tell of it
    group, _ = split_api_version(version if isinstance(version, str) else "")
    return _Aim(group, kind, scaler.id.namespace, name, bool(version))


def _wrong(scene: TargetObjects, aim: _Aim, scales: dict[tuple[str, str], bool]) -> Problem | None:
    """Return why something cannot be scaled: by its group, its kind, or because it is not there."""
    own = SCALED.get(aim.kind)
    kind = (aim.group, aim.kind)
    if own is not None and aim.group != own and kind not in scales:
        message = f"found no {cut(aim.kind)} in the group {cut(aim.group)}, expected {cut(own)}"
        hint = f"as in apiVersion: {own}/v1" if own else "as in apiVersion: v1"
        return SCALE_TARGET_MISSING(message, ("apiVersion" if aim.is_versioned else "kind",), hint)
    if scales.get(kind) is False or (own is None and _is_fixed(scene, *kind)):
        message = f"found the kind {cut(aim.kind)}, which cannot be scaled"
        there = [each for each in SCALED if scene.get(SCALED[each], each, aim.namespace, aim.name)]
        hint = _such(there, aim.name) or ("its CRD has no subresource scale" if kind in scales else "")
        return SCALE_TARGET_MISSING(message, ("kind",), hint)
    if own is None and kind not in scales and aim.group in ("", "apps"):
        message = f"found the kind {cut(aim.kind)}, which the group {cut(aim.group)} does not have"
        return SCALE_TARGET_MISSING(message, ("kind",), near(aim.kind, list(SCALED)))
    return _missing(scene, aim)


def _missing(scene: TargetObjects, aim: _Aim) -> Problem | None:
    named = ObjectName(aim.group, aim.kind, aim.namespace, aim.name)
    if scene.get(*named):
        return None
    others = [
        each for each in SCALED if each != aim.kind and scene.get(SCALED[each], each, aim.namespace, aim.name)
    ]
    message = f"found no {cut(aim.kind)} {cut(aim.name)} in its namespace"
    if aim.kind in SCALED and others:
        return SCALE_TARGET_MISSING(message, ("kind",), _such(others, aim.name))
    if (hint := scene.missing(named)) is not None:
        return SCALE_TARGET_MISSING(message, ("name",), hint)
    return None


def _such(there: list[str], name: str) -> str:
    return f"there is a {choice(list(there))} {cut(name)}" if there else ""


def _is_fixed(scene: TargetObjects, group: str, kind: str) -> bool:
    """Tell whether a kind is one of Kubernetes' own."""
    return any((each.group, each.kind) == (group, kind) for each in kinds(scene.context.minors[-1]))


BUDGET_BLOCKS = rule("budget-blocks-drain")

PERCENT = re.compile(r"([0-9]{1,9})%")
COUNTED = ("Deployment", "StatefulSet", "ReplicaSet", "ReplicationController")
SCALERS = {
    ("autoscaling", "HorizontalPodAutoscaler"): ("minReplicas", 1),
    ("keda.sh", "ScaledObject"): ("minReplicaCount", 0),
}
"""Kinds that scale workloads → the field with the least replicas, and what counts without it."""


def look_budgets(scene: TargetObjects) -> Iterator[Found]:
    """Yield budgets that allow no eviction at all."""
    for budget in scene.of("policy", "PodDisruptionBudget"):
        spec = value_at(budget.body, "spec")
        most, least = value_at(spec, "maxUnavailable"), value_at(spec, "minAvailable")
        if most is not None:
            if _parsed(most) in ((0, False), (0, True)):
                message = f"found maxUnavailable {most}, which never lets a pod be evicted"
                yield budget, BUDGET_BLOCKS(message, ("spec", "maxUnavailable"))
            continue
        terms = read_pod_selector(value_at(spec, "selector"))
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


def _too_much(least: Json, replicas: int, pods: Sequence[PodView]) -> Problem | None:
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


def _replicas(scene: TargetObjects, pods: Sequence[PodView]) -> int:
    """Return how many pods workloads run at least, together; 0 if that cannot be known."""
    if not pods or len(pods) >= ENOUGH:
        return 0
    total = 0
    for pod in pods:
        if pod.manifest.id.kind not in COUNTED:
            return 0
        scaled = _scaled(scene, pod)
        own = value_at(pod.manifest.body, "spec", "replicas")
        count: Json = (1 if own is None else own) if scaled is None else scaled
        if not isinstance(count, int) or isinstance(count, bool):
            return 0
        total += count
    return total


def _scaled(scene: TargetObjects, pod: PodView) -> Json:
    """Return the least replicas that an autoscaler gives the workload of a pod; None if none scales it."""
    workload = pod.manifest.id
    for (group, kind), (field, default) in SCALERS.items():
        for scaler in scene.of(group, kind):
            ref = value_at(scaler.body, "spec", "scaleTargetRef")
            target = (value_at(ref, "kind") or "Deployment", value_at(ref, "name"))
            if scaler.id.namespace == workload.namespace and target == (workload.kind, workload.name):
                least = value_at(scaler.body, "spec", field)
                return default if least is None else least
    return None
