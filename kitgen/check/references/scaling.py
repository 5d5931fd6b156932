"""What scales a workload, and the Service that a StatefulSet names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kitgen.check.index import below, entries
from kitgen.check.references.called import SERVICE_MISSING
from kitgen.check.references.scene import Found, Named, Scene
from kitgen.findings import Chapter, Problem, Rule, Severity, near
from kitgen.kubernetes import kinds
from kitgen.objects import Manifest, split_api_version
from kitgen.schema.wording import choice, cut
from kitgen.yamlio import Json

SCALE_TARGET_MISSING = Rule(
    id="scale-target-missing",
    chapter=Chapter.BETWEEN,
    checks=(
        "What a HorizontalPodAutoscaler scales is of a kind that can be scaled, in the group that it names, "
        "and is among those of its namespace, if there are any."
    ),
    fix="Correct apiVersion, kind or name of `scaleTargetRef`.",
    why=(
        "It is taken and scales nothing: the number of replicas stays as it is, however much there is to do. "
        "It finds the kind by its group and name, and sets the number through the subresource `scale`, which "
        "a CRD has to declare and some kinds do not have."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)

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


def look(scene: Scene) -> Iterator[Found]:
    """Yield what is to be scaled and is not there, and Services of StatefulSets that are not."""
    scales = _scales(scene)
    for scaler in scene.of("autoscaling", "HorizontalPodAutoscaler"):
        if (aim := _aim(scaler)) and (problem := _wrong(scene, aim, scales)):
            yield scaler, problem.below("spec", "scaleTargetRef")
    for stateful in scene.of("apps", "StatefulSet"):
        name = below(stateful.body, "spec", "serviceName")
        if not isinstance(name, str):
            continue
        named = Named("", "Service", stateful.id.namespace, name)
        if (missing := scene.missing(named, by=stateful)) is not None:
            message = (
                f"found no Service {cut(name)} in its namespace, which gives the pods their names in DNS"
            )
            yield stateful, SERVICE_MISSING(message, ("spec", "serviceName"), missing)


def _aim(scaler: Manifest) -> _Aim | None:
    ref = below(scaler.body, "spec", "scaleTargetRef")
    version, kind, name = (below(ref, key) for key in ("apiVersion", "kind", "name"))
    if not isinstance(kind, str) or not isinstance(name, str) or not kind or not name:
        return None  # schemas tell of it
    group, _ = split_api_version(version if isinstance(version, str) else "")
    return _Aim(group, kind, scaler.id.namespace, name, bool(version))


def _wrong(scene: Scene, aim: _Aim, scales: dict[tuple[str, str], bool]) -> Problem | None:
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


def _missing(scene: Scene, aim: _Aim) -> Problem | None:
    named = Named(aim.group, aim.kind, aim.namespace, aim.name)
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


def _is_fixed(scene: Scene, group: str, kind: str) -> bool:
    """Tell whether a kind is one of Kubernetes' own."""
    return any((each.group, each.kind) == (group, kind) for each in kinds(scene.context.minors[-1]))


def _scales(scene: Scene) -> dict[tuple[str, str], bool]:
    """Return whether kinds of known CRDs can be scaled, in any version."""
    crds: list[Json] = [
        *scene.context.crds,
        *(each.body for each in scene.of("apiextensions.k8s.io", "CustomResourceDefinition")),
    ]
    found: dict[tuple[str, str], bool] = {}
    for crd in crds:
        group, kind = below(crd, "spec", "group"), below(crd, "spec", "names", "kind")
        if isinstance(group, str) and isinstance(kind, str):
            found[group, kind] = any(
                below(version, "subresources", "scale") is not None
                for _, version in entries(crd, "spec", "versions")
            )
    return found
