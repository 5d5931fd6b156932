"""Classes that pods, claims and ingresses name, and that the same objects bring along."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.index import below, entries
from kitgen.check.references.scene import Found, Named, Scene
from kitgen.findings import Chapter, Path, Rule, Severity
from kitgen.objects import Manifest
from kitgen.schema.wording import cut
from kitgen.yamlio import Json

CLASS_MISSING = Rule(
    id="class-missing",
    chapter=Chapter.BETWEEN,
    checks="A class of priority, runtime, storage or ingress is not called nearly as one that is there.",
    fix="Correct the name.",
    why=(
        "Pods with a class that is not there are refused, claims wait for ever, and nobody serves "
        "the ingress."
    ),
    severity=Severity.WARNING,
    exceptable=True,
)

OF_PODS = (
    ("scheduling.k8s.io", "PriorityClass", "priorityClassName"),
    ("node.k8s.io", "RuntimeClass", "runtimeClassName"),
)
GIVEN = ("system-cluster-critical", "system-node-critical")


def look(scene: Scene) -> Iterator[Found]:
    """Yield names of classes that are nearly those of classes in the target."""
    for group, kind, key in OF_PODS:
        if scene.of(group, kind):
            for pod in scene.index.pods:
                yield from _class(scene, pod.manifest, (group, kind), pod.at(key), pod.spec.get(key))
    if scene.of("storage.k8s.io", "StorageClass"):
        for manifest, path in _claims(scene):
            name = below(manifest.body, *path)
            yield from _class(scene, manifest, ("storage.k8s.io", "StorageClass"), path, name)
    if scene.of("networking.k8s.io", "IngressClass"):
        for ingress in scene.of("networking.k8s.io", "Ingress"):
            at = ("spec", "ingressClassName")
            name = below(ingress.body, *at)
            yield from _class(scene, ingress, ("networking.k8s.io", "IngressClass"), at, name)


def _claims(scene: Scene) -> Iterator[tuple[Manifest, Path]]:
    key = "storageClassName"
    for claim in scene.of("", "PersistentVolumeClaim"):
        yield claim, ("spec", key)
    for stateful in scene.of("apps", "StatefulSet"):
        for index, _ in entries(stateful.body, "spec", "volumeClaimTemplates"):
            yield stateful, ("spec", "volumeClaimTemplates", index, "spec", key)


def _class(
    scene: Scene, manifest: Manifest, kind: tuple[str, str], path: Path, name: Json
) -> Iterator[Found]:
    if not isinstance(name, str) or name in GIVEN:
        return
    hint = scene.missing(Named(*kind, "", name), others=False)
    if hint is not None:
        yield manifest, CLASS_MISSING(f"found no {kind[1]} {cut(name)}", path, hint)
