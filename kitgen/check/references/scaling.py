"""Check scaling targets, and PodDisruptionBudgets that never allow an eviction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from kitgen.check.references.target_objects import ENOUGH, Found, ObjectName, TargetObjects, format_workloads
from kitgen.findings import Problem, make_problem, suggest_word
from kitgen.kube.definitions import list_kinds
from kitgen.kube.identity import split_api_version
from kitgen.kube.pods import PodView
from kitgen.kube.selectors import read_pod_selector
from kitgen.text.patterns import compile_late
from kitgen.text.values import map_at, number_at, text_at, value_at
from kitgen.text.wording import format_count, join_words, quote_text
from kitgen.text.yaml import Json, JsonObject

SCALED: dict[str, str] = {
    "Deployment": "apps",
    "ReplicaSet": "apps",
    "ReplicationController": "",
    "StatefulSet": "apps",
}
"""Kind of Kubernetes' own that can be scaled → its group."""


def check_scale_targets(scene: TargetObjects) -> Iterator[Found]:
    """Yield what is to be scaled and is not there."""
    if not (scalers := scene.objects_of("autoscaling", "HorizontalPodAutoscaler")):
        return
    scales = {(each.group, each.kind): each.has_subresource("scale") for each in scene.crds}
    for scaler in scalers:
        ref = map_at(scaler.body, "spec", "scaleTargetRef")
        group, _ = split_api_version(text_at(ref, "apiVersion"))
        named = ObjectName(group, text_at(ref, "kind"), scaler.id.namespace, text_at(ref, "name"))
        if named.kind and named.name and (wrong := _check_target(scene, ref, named, scales)):
            yield scaler, wrong.prefix_path("spec", "scaleTargetRef")


def _check_target(
    scene: TargetObjects, ref: JsonObject, named: ObjectName, scales: dict[tuple[str, str], bool]
) -> Problem | None:
    """Return why something cannot be scaled: by its group, its kind, or because it is not there."""
    group, kind, space, name = named
    own = SCALED.get(kind)
    is_declared = (group, kind) in scales
    if own is not None and group != own and not is_declared:
        message = f"found no {quote_text(kind)} in the group {quote_text(group)}, expected {quote_text(own)}"
        hint = f"as in apiVersion: {own}/v1" if own else "as in apiVersion: v1"
        return make_problem(
            "scale-target-missing", message, ("apiVersion" if ref.get("apiVersion") else "kind",), hint
        )
    there = [each for each in SCALED if each != kind and scene.get(SCALED[each], each, space, name)]
    such = f"there is a {join_words(list(there))} {quote_text(name)}" if there else ""
    fixed = {(each.group, each.kind) for each in list_kinds(scene.context.minors[-1])}
    if scales.get((group, kind)) is False or (own is None and (group, kind) in fixed):
        hint = such or ("its CRD has no subresource scale" if is_declared else "")
        return make_problem(
            "scale-target-missing",
            f"found the kind {quote_text(kind)}, which cannot be scaled",
            ("kind",),
            hint,
        )
    if own is None and not is_declared and group in ("", "apps"):
        message = f"found the kind {quote_text(kind)}, which the group {quote_text(group)} does not have"
        return make_problem("scale-target-missing", message, ("kind",), suggest_word(kind, list(SCALED)))
    if scene.get(*named):
        return None
    message = f"found no {quote_text(kind)} {quote_text(name)} in its namespace"
    if own is not None and such:
        return make_problem("scale-target-missing", message, ("kind",), such)
    missing = scene.hint_for_missing(named)
    return None if missing is None else make_problem("scale-target-missing", message, ("name",), missing)


PERCENT = compile_late(r"([0-9]{1,9})%")
SCALERS = {
    ("autoscaling", "HorizontalPodAutoscaler"): ("minReplicas", 1),
    ("keda.sh", "ScaledObject"): ("minReplicaCount", 0),
}
"""Kinds that scale workloads → the field with the least replicas, and what counts without it."""


def check_disruption_budgets(scene: TargetObjects) -> Iterator[Found]:
    """Yield budgets that allow no eviction at all."""
    for budget in scene.objects_of("policy", "PodDisruptionBudget"):
        spec = value_at(budget.body, "spec")
        most, least = value_at(spec, "maxUnavailable"), value_at(spec, "minAvailable")
        if most is not None:
            if _parse_pod_count(most) in ((0, False), (0, True)):
                message = f"found maxUnavailable {most}, which never lets a pod be evicted"
                yield budget, make_problem("budget-blocks-drain", message, ("spec", "maxUnavailable"))
            continue
        terms = read_pod_selector(value_at(spec, "selector"))
        pods = scene.pods_matching(terms, budget.id.namespace) if terms is not None else []
        if wrong := _check_min_available(least, _count_replicas(scene, pods), pods):
            is_scaled = any(_find_autoscaler_minimum(scene, pod) is not None for pod in pods)
            hint = "its autoscaler runs no more than that when there is little to do" if is_scaled else ""
            yield budget, replace(wrong.prefix_path("spec", "minAvailable"), hint=hint)


def _parse_pod_count(value: Json) -> tuple[int, bool] | None:
    """Return a number of pods and whether it is a percentage; None for what is neither."""
    if (number := number_at(value)) is not None:
        return number, False
    match = PERCENT.fullmatch(text_at(value))
    return (int(match[1]), True) if match else None


def _check_min_available(least: Json, replicas: int, pods: Sequence[PodView]) -> Problem | None:
    """Report that all pods have to be available; their number is 0 if unknown."""
    if (parsed := _parse_pod_count(least)) is None or parsed == (0, False):
        return None
    number, is_share = parsed
    if is_share and number >= 100:
        return make_problem(
            "budget-blocks-drain", f"found minAvailable {least}, which never lets a pod be evicted"
        )
    wanted = -(-replicas * number // 100) if is_share else number
    if not replicas or wanted < replicas:
        return None
    there = (
        f"{format_workloads(pods)} {'has' if len(pods) == 1 else 'have'} {format_count(replicas, 'replica')}"
    )
    return make_problem(
        "budget-blocks-drain", f"found minAvailable {least}, but {there}: no pod can ever be evicted"
    )


def _count_replicas(scene: TargetObjects, pods: Sequence[PodView]) -> int:
    """Return how many pods workloads run at least, together; 0 if that cannot be known."""
    counts = [_get_min_replicas(scene, pod) for pod in pods]
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) < ENOUGH else 0


def _get_min_replicas(scene: TargetObjects, pod: PodView) -> int | None:
    """Return how many pods a workload runs at least; None if that cannot be known."""
    if pod.manifest.id.kind not in SCALED:
        return None
    if (scaled := _find_autoscaler_minimum(scene, pod)) is not None:
        return number_at(scaled)
    own = value_at(pod.manifest.body, "spec", "replicas")
    return 1 if own is None else number_at(own)


def _find_autoscaler_minimum(scene: TargetObjects, pod: PodView) -> Json:
    """Return the least replicas that an autoscaler gives the workload of a pod; None if none scales it."""
    workload = pod.manifest.id
    for (group, kind), (field, default) in SCALERS.items():
        for scaler in scene.objects_of(group, kind):
            ref = value_at(scaler.body, "spec", "scaleTargetRef")
            target = (value_at(ref, "kind") or "Deployment", value_at(ref, "name"))
            if scaler.id.namespace == workload.namespace and target == (workload.kind, workload.name):
                least = value_at(scaler.body, "spec", field)
                return default if least is None else least
    return None
