"""What scales a workload, and the Service that a StatefulSet names."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.index import TEMPLATES, below
from kitgen.check.references.called import SERVICE_MISSING
from kitgen.check.references.scene import Found, Named, Scene
from kitgen.findings import Chapter, Rule, Severity
from kitgen.objects import split_api_version
from kitgen.schema.wording import choice, cut

SCALE_TARGET_MISSING = Rule(
    id="scale-target-missing",
    chapter=Chapter.BETWEEN,
    checks="What a HorizontalPodAutoscaler scales is among the workloads of its namespace, if there are any.",
    fix="Correct apiVersion, kind or name of `scaleTargetRef`.",
    why="It is taken and scales nothing: the number of replicas stays as it is, however much there is to do.",
    severity=Severity.WARNING,
    exceptable=True,
)


def look(scene: Scene) -> Iterator[Found]:
    """Yield what is to be scaled and is not there, and Services of StatefulSets that are not."""
    for scaler in scene.of("autoscaling", "HorizontalPodAutoscaler"):
        ref = below(scaler.body, "spec", "scaleTargetRef")
        api_version, kind, name = (below(ref, key) for key in ("apiVersion", "kind", "name"))
        if not isinstance(kind, str) or not isinstance(name, str):
            continue
        group, _ = split_api_version(api_version if isinstance(api_version, str) else "")
        own = [each for each, known in TEMPLATES if known == kind]
        if own and group not in (*own, "extensions"):
            message = f"found no {cut(kind)} in the group {cut(group)}, expected {choice(own, say=_group)}"
            at = "apiVersion" if api_version else "kind"
            hint = f"as in apiVersion: {own[0]}/v1" if own[0] else "as in apiVersion: v1"
            yield scaler, SCALE_TARGET_MISSING(message, ("spec", "scaleTargetRef", at), hint)
            continue
        named = Named(own[0] if own else group, kind, scaler.id.namespace, name)
        if (missing := scene.missing(named)) is not None:
            message = f"found no {kind} {cut(name)} in its namespace"
            yield scaler, SCALE_TARGET_MISSING(message, ("spec", "scaleTargetRef", "name"), missing)
    for stateful in scene.of("apps", "StatefulSet"):
        name = below(stateful.body, "spec", "serviceName")
        if not isinstance(name, str):
            continue
        if (missing := scene.missing(Named("", "Service", stateful.id.namespace, name))) is not None:
            message = (
                f"found no Service {cut(name)} in its namespace, which gives the pods their names in DNS"
            )
            yield stateful, SERVICE_MISSING(message, ("spec", "serviceName"), missing)


def _group(group: object) -> str:
    return cut(str(group))
