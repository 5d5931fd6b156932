"""Check pod selectors that match nothing or another workload's pods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from kitgen.check.references.creators import PODS
from kitgen.check.references.target_objects import Found, TargetObjects, format_workloads
from kitgen.findings import Path, get_rule, is_typo, make_problem
from kitgen.kube.manifest import Manifest
from kitgen.kube.pods import PodView
from kitgen.kube.selectors import LabelSelector, matches_labels, read_pod_selector
from kitgen.text.values import map_at, value_at
from kitgen.text.wording import quote_text
from kitgen.text.yaml import Json, JsonObject

SELECTOR_UNMATCHED = get_rule("selector-unmatched")

SELECTING: tuple[tuple[str, str, Path], ...] = (
    ("policy", "PodDisruptionBudget", ("spec", "selector")),
    ("networking.k8s.io", "NetworkPolicy", ("spec", "podSelector")),
)
OWNING = (
    *(("apps", kind) for kind in ("DaemonSet", "Deployment", "ReplicaSet", "StatefulSet")),
    ("", "ReplicationController"),
)


def check_selectors(scene: TargetObjects) -> Iterator[Found]:
    """Yield selectors that match nothing, or too much."""
    for group, kind, path in SELECTING:
        for manifest in scene.objects_of(group, kind):
            if terms := read_pod_selector(value_at(manifest.body, *path)):
                yield from _check_selector(scene, manifest, terms, path)
    yield from _check_overlaps(scene)


def _check_selector(
    scene: TargetObjects, manifest: Manifest, terms: LabelSelector, path: Path
) -> Iterator[Found]:
    namespace = manifest.id.namespace
    if scene.pods_matching(terms, namespace):
        return
    here = scene.pods_in(namespace)
    if any(matches_labels(terms, {**each.labels, **get_match_labels(each)}) for each in here):
        return  # their own selector does not match them, and a server refuses that
    if elsewhere := scene.pods_matching(terms):
        hint = (
            f"those of {format_workloads(elsewhere)} are in the namespace "
            f"{quote_text(elsewhere[0].namespace)}"
        )
    elif here and is_selector_typo(terms, here):
        hint = f"there are those of {format_workloads(here)}"
    elif here and not scene.can_be_created(namespace, PODS):
        hint = scene.hint_for_controller(namespace) or f"there are those of {format_workloads(here)}"
    else:
        return
    where = (*path, *find_unmet_label(value_at(manifest.body, *path), [pod.labels for pod in here]))
    yield manifest, SELECTOR_UNMATCHED("found no pod with these labels in its namespace", where, hint)


def get_match_labels(pod: PodView) -> JsonObject:
    """Return the labels that the workload of a pod selects it by."""
    return map_at(pod.manifest.body, "spec", "selector", "matchLabels")


def find_unmet_label(selector_: Json, there: Sequence[Mapping[str, Json]]) -> Path:
    """Return where a selector requires a label that nothing there has; nowhere, if that is unknown."""
    for key, value in map_at(selector_, "matchLabels").items():
        if not any(each.get(key) == value for each in there):
            return ("matchLabels", key)
    return ()


def is_selector_typo(terms: LabelSelector, pods: Sequence[PodView]) -> bool:
    """Return whether a selector is that of some pods but for a letter."""
    wanted = {each.key: each.values[0] for each in terms if len(each.values) == 1}
    return bool(wanted) and any(
        all(
            isinstance(found := pod.labels.get(key), str) and (found == value or is_typo(value, found))
            for key, value in wanted.items()
        )
        for pod in pods
    )


def _check_overlaps(scene: TargetObjects) -> Iterator[Found]:
    """Yield workloads whose selector matches the pods of another one."""
    for group, kind in OWNING:
        for manifest in scene.objects_of(group, kind):
            value = value_at(manifest.body, "spec", "selector")
            terms = read_pod_selector({"matchLabels": value} if kind == "ReplicationController" else value)
            identity = manifest.id
            others = [
                pod
                for pod in (scene.pods_matching(terms, identity.namespace) if terms else ())
                if (pod.manifest.id.group, pod.manifest.id.kind) in OWNING and pod.manifest.id != identity
            ]
            if others:
                message = f"found a selector that matches the pods of {format_workloads(others)} too"
                hint = "each needs a label with a value of its own"
                yield manifest, make_problem("selector-overlap", message, ("spec", "selector"), hint)
