"""Set the namespace and the names of objects and of references to them, as kustomize does.

Objects with a namespace of their own keep it: an overlay moves them back after kustomize has moved all. An
empty namespace is none, as in cluster-scoped custom resources, whose scope kustomize cannot know. References
to generated ConfigMaps follow the suffix of their names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from kitgen.findings import Cause, CauseKind, Origin, Path
from kitgen.kube.identity import is_namespaced
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.render.kustomize.field_paths import find_values, replace_values
from kitgen.text.values import value_at
from kitgen.text.yaml import JsonObject

SERVICES = {
    "MutatingWebhookConfiguration": "webhooks[]/clientConfig/service",
    "ValidatingWebhookConfiguration": "webhooks[]/clientConfig/service",
}
CONVERSION = "spec/conversion/webhook/clientConfig/service"
BINDINGS = ("RoleBinding", "ClusterRoleBinding")


class NamespaceUse(NamedTuple):
    """A namespace, and where it is said."""

    name: str
    origin: Origin
    said: bool = False
    """By the object itself. One that says none counts as one of `default` until it is moved."""

    def is_missing_in(self, reference: JsonObject) -> bool:
        """Return whether what refers to an object here does not say where that is, to kustomize's mind."""
        said = reference.get("namespace")
        return not said or (said == "default" and not self.said)


def set_namespace(objects: Iterable[Manifest], name: str, origin: Origin) -> list[Manifest]:
    """Put objects, and what they say of each other's accounts and services, into a namespace.

    Without one kustomize changes nothing, and all stay where they say that they are.
    """
    known, home = list(objects), NamespaceUse(name, origin)
    if not name:
        return [_drop_namespace(each) if has_empty_namespace(each) else each for each in known]
    accounts, services = (
        {each.id.name: _namespace_of(each, home) for each in known if each.id.kind == kind}
        for kind in ("ServiceAccount", "Service")
    )
    return [_apply_namespaces(each, home, accounts, services) for each in known]


def has_other_namespace(manifest: Manifest, namespace: str) -> bool:
    """Return whether an object says that it is in another namespace than that of all, or in none."""
    identity = manifest.id
    away = identity.namespace not in ("", namespace) and is_namespaced(identity.group, identity.kind)
    return away or has_empty_namespace(manifest)


def has_empty_namespace(manifest: Manifest) -> bool:
    """Return whether an object says that it is in no namespace, of a kind that kustomize gives one."""
    none = value_at(manifest.body, "metadata", "namespace") == ""
    return none and is_namespaced(manifest.id.group, manifest.id.kind)


def _drop_namespace(manifest: Manifest) -> Manifest:
    meta = {key: value for key, value in manifest.body["metadata"].items() if key != "namespace"}
    return manifest.replace_body({**manifest.body, "metadata": meta})


def _namespace_of(manifest: Manifest, home: NamespaceUse) -> NamespaceUse:
    said = manifest.id.namespace
    if has_other_namespace(manifest, home.name):
        return NamespaceUse(said, manifest.find_origin(("metadata", "namespace")), said=True)
    return home._replace(said=bool(said))


def _apply_namespaces(
    manifest: Manifest,
    home: NamespaceUse,
    accounts: Mapping[str, NamespaceUse],
    services: Mapping[str, NamespaceUse],
) -> Manifest:
    body, kind = manifest.body, manifest.id.kind
    found: list[tuple[Path, NamespaceUse]] = []
    if is_namespaced(manifest.id.group, kind) and not has_other_namespace(manifest, home.name):
        found.append((("metadata",), home))
    if kind in BINDINGS:
        found += _find_subjects(manifest, home, accounts)
    if kind in SERVICES:
        found += [
            (path, place)
            for path, service in _find_mappings(body, SERVICES[kind])
            if (place := services.get(str(service.get("name")))) and place.is_missing_in(service)
        ]
    if kind == "APIService":
        found += [(path, home) for path, _ in _find_mappings(body, "spec/service")]
    if kind == "CustomResourceDefinition":
        said = _find_mappings(body, CONVERSION)
        found += [(path, home) for path, service in said if isinstance(service.get("namespace"), str)]
    said_at = {(*path, "namespace"): place for path, place in found if place.name}
    sources = (
        FieldSource(path=path, cause=Cause(CauseKind.NAMESPACE), origin=place.origin)
        for path, place in said_at.items()
    )
    body = replace_values(body, {path: place.name for path, place in said_at.items()})
    made = manifest.replace_body(body, *sources) if said_at else manifest
    return _drop_namespace(made) if has_empty_namespace(manifest) else made


def _find_mappings(body: JsonObject, way: str) -> list[tuple[Path, JsonObject]]:
    return [(path, value) for path, value in find_values(body, way) if isinstance(value, dict)]


def _find_subjects(
    manifest: Manifest, home: NamespaceUse, accounts: Mapping[str, NamespaceUse]
) -> Iterator[tuple[Path, NamespaceUse]]:
    """Yield the accounts that kustomize gives a namespace; it takes any `default` for one of the component.

    A RoleBinding only finds accounts of its own namespace, and of those that its subjects name.
    """
    subjects = [
        (path, each, str(each.get("name")))
        for path, each in _find_mappings(manifest.body, "subjects[]")
        if each.get("kind") == "ServiceAccount"
    ]
    near, anywhere = {_namespace_of(manifest, home).name}, manifest.id.kind == "ClusterRoleBinding"
    near |= {
        home.name if name == "default" else str(each.get("namespace") or "") for _, each, name in subjects
    }
    for path, subject, name in subjects:
        place = accounts.get(name)
        if name == "default":
            yield path, home
        elif place and place.is_missing_in(subject) and (anywhere or place.name in near):
            yield path, place


PODS = {
    **dict.fromkeys(("DaemonSet", "Deployment", "Job", "ReplicaSet", "StatefulSet"), "spec/template/spec"),
    "CronJob": "spec/jobTemplate/spec/template/spec",
    "Pod": "spec",
    "PodTemplate": "template/spec",
}
IN_CONTAINERS = ("env/valueFrom/configMapKeyRef/name", "envFrom/configMapRef/name")
IN_PODS = (
    "volumes/configMap/name",
    "volumes/projected/sources/configMap/name",
    *(f"{containers}/{field}" for containers in ("containers", "initContainers") for field in IN_CONTAINERS),
)
PLACES = {
    **{kind: tuple(f"{pod}/{field}" for field in IN_PODS) for kind, pod in PODS.items()},
    **dict.fromkeys(("ClusterRole", "Role"), ("rules/resourceNames",)),
}
"""Kind → where its objects name a ConfigMap; lists on the way are gone through."""


def rename_references(
    objects: list[Manifest], old: str, new: str, why: FieldSource, namespace: str
) -> list[Manifest]:
    """Return the objects with the new name of a ConfigMap wherever they refer to it, and why they do.

    Those of another namespace mean another one; none is the one that is called default.
    """
    return [
        _rename_in_object(each, old, new, why)
        if (each.id.namespace or "default") == (namespace or "default")
        or not is_namespaced(each.id.group, each.id.kind)
        else each
        for each in objects
    ]


def _rename_in_object(manifest: Manifest, old: str, new: str, why: FieldSource) -> Manifest:
    ways = PLACES.get(manifest.id.kind, ())
    found = [path for way in ways for path, value in find_values(manifest.body, way) if value == old]
    body = replace_values(manifest.body, dict.fromkeys(found, new))
    return manifest.replace_body(body, *(replace(why, path=path) for path in found)) if found else manifest
