"""Classes that pods, claims and ingresses name, and that the same objects bring along."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.references.target_objects import Found, ObjectName, TargetObjects
from kitgen.findings import Path, is_slip, rule
from kitgen.kube.manifest import Manifest
from kitgen.text.values import entries_at, value_at
from kitgen.text.wording import cut
from kitgen.text.yaml import Json

CLASS_MISSING = rule("class-missing")
DEFAULT_TWICE = rule("default-twice")
POLICY_MISSING = rule("policy-missing")

DEFAULTS: tuple[tuple[str, str, Path], ...] = (
    ("scheduling.k8s.io", "PriorityClass", ("globalDefault",)),
    *(
        (group, kind, ("metadata", "annotations", f"{key}.kubernetes.io/is-default-class"))
        for group, kind, key in (
            ("storage.k8s.io", "StorageClass", "storageclass"),
            ("networking.k8s.io", "IngressClass", "ingressclass"),
        )
    ),
)
"""Group and kind of classes → where one says that it is the default."""
ADMISSION = "admissionregistration.k8s.io"
OF_PODS = (
    ("scheduling.k8s.io", "PriorityClass", "priorityClassName"),
    ("node.k8s.io", "RuntimeClass", "runtimeClassName"),
)
GIVEN = ("system-cluster-critical", "system-node-critical")


def look(scene: TargetObjects) -> Iterator[Found]:
    """Yield names of classes that are nearly those of classes in the target."""
    for group, kind, key in OF_PODS:
        if scene.of(group, kind) or kind == "PriorityClass":
            for pod in scene.index.pods:
                yield from _class(scene, pod.manifest, (group, kind), pod.at(key), pod.spec.get(key))
    if scene.of("storage.k8s.io", "StorageClass"):
        for manifest, path in _claims(scene):
            name = value_at(manifest.body, *path)
            yield from _class(scene, manifest, ("storage.k8s.io", "StorageClass"), path, name)
    if scene.of("networking.k8s.io", "IngressClass"):
        for ingress in scene.of("networking.k8s.io", "Ingress"):
            at = ("spec", "ingressClassName")
            name = value_at(ingress.body, *at)
            yield from _class(scene, ingress, ("networking.k8s.io", "IngressClass"), at, name)
    yield from _defaults(scene)
    for kind in ("MutatingAdmissionPolicy", "ValidatingAdmissionPolicy"):
        for binding in scene.of(ADMISSION, f"{kind}Binding"):
            name = value_at(binding.body, "spec", "policyName")
            hint = scene.missing(ObjectName(ADMISSION, kind, "", name)) if isinstance(name, str) else None
            if hint is not None:
                yield binding, POLICY_MISSING(f"found no {kind} {cut(name)}", ("spec", "policyName"), hint)


def _defaults(scene: TargetObjects) -> Iterator[Found]:
    """Yield classes that are the default although another one is."""
    for group, kind, path in DEFAULTS:
        chosen = [each for each in scene.of(group, kind) if value_at(each.body, *path) in (True, "true")]
        for other in chosen[1:]:
            message = f"found a second default, expected one: {chosen[0].id} is it too"
            yield other, DEFAULT_TWICE(message, path)


def _claims(scene: TargetObjects) -> Iterator[tuple[Manifest, Path]]:
    key = "storageClassName"
    for claim in scene.of("", "PersistentVolumeClaim"):
        yield claim, ("spec", key)
    for stateful in scene.of("apps", "StatefulSet"):
        for index, _ in entries_at(stateful.body, "spec", "volumeClaimTemplates"):
            yield stateful, ("spec", "volumeClaimTemplates", index, "spec", key)


def _class(
    scene: TargetObjects, manifest: Manifest, kind: tuple[str, str], path: Path, name: Json
) -> Iterator[Found]:
    if not isinstance(name, str) or name in GIVEN:
        return
    hint = scene.missing(ObjectName(*kind, "", name), others=False)
    if hint is None and kind[1] == "PriorityClass" and not scene.get(*kind, "", name):
        hint = next((f"did you mean {each!r}?" for each in GIVEN if is_slip(name, each)), None)
    if hint is not None:
        yield manifest, CLASS_MISSING(f"found no {kind[1]} {cut(name)}", path, hint)
