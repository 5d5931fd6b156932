"""The namespace of objects and of what they refer to, as kustomize's own `namespace` field sets it."""

from __future__ import annotations

from collections.abc import Iterable

from kitgen.findings import By, Cause, Origin, Path
from kitgen.kustomize.ways import changed, places
from kitgen.objects import Manifest, Source, is_namespaced
from kitgen.yamlio import Json

SERVICES = {
    "MutatingWebhookConfiguration": "webhooks[]/clientConfig/service",
    "ValidatingWebhookConfiguration": "webhooks[]/clientConfig/service",
}
CONVERSION = "spec/conversion/webhook/clientConfig/service"


def set_namespace(objects: Iterable[Manifest], name: str, origin: Origin) -> list[Manifest]:
    """Put objects, and what they say of each other's accounts and services, into a namespace."""
    known = list(objects)
    accounts = {each.id.name for each in known if each.id.kind == "ServiceAccount"}
    services = {each.id.name for each in known if each.id.kind == "Service"}
    return [_placed(each, name, origin, accounts, services) for each in known]


def _placed(
    manifest: Manifest, name: str, origin: Origin, accounts: set[str], services: set[str]
) -> Manifest:
    kind, body = manifest.id.kind, manifest.body

    def found(way: str) -> list[tuple[Path, Json]]:
        return [(path, value) for path, value in places(body, way) if isinstance(value, dict)]

    paths: list[Path] = [("metadata",)] if is_namespaced(manifest.id.group, kind) else []
    if kind in ("RoleBinding", "ClusterRoleBinding"):
        paths += [path for path, subject in found("subjects[]") if _is_own(subject, accounts)]
    if kind in SERVICES:
        paths += [
            path
            for path, service in found(SERVICES[kind])
            if service.get("name") in services and not service.get("namespace")
        ]
    if kind == "APIService":
        paths += [path for path, _ in found("spec/service")]
    if kind == "CustomResourceDefinition":
        paths += [path for path, service in found(CONVERSION) if isinstance(service.get("namespace"), str)]
    for path in paths:
        body = changed(body, path, lambda value: {**value, "namespace": name})
    made = (Source(path=(*path, "namespace"), cause=Cause(By.NAMESPACE), origin=origin) for path in paths)
    return manifest.with_(body, *made) if paths else manifest


def _is_own(subject: Json, accounts: set[str]) -> bool:
    """Tell whether a subject is an account of the component; kustomize takes any `default` for one."""
    if subject.get("kind") != "ServiceAccount":
        return False
    own = subject.get("name") in accounts and not subject.get("namespace")
    return own or subject.get("name") == "default"
