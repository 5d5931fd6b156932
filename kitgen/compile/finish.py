"""Finish objects as the overlay's own fields do: labels, then the namespace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kitgen.compile.context import Context
from kitgen.compile.labels import label, overlay_labels
from kitgen.findings import Chapter, Finding, Path, Rule
from kitgen.objects import Manifest, Source, is_namespaced, value_at
from kitgen.yamlio import Json, JsonObject

OBJECT_ELSEWHERE = Rule(
    id="object-elsewhere",
    chapter=Chapter.TARGET,
    title="an object in another namespace",
    checks="Objects of a component are in the namespace that it runs in. Kustomize puts all of them there.",
    fix="Leave the namespace out, or make a component of its own for the other namespace.",
)


CONVERSION: Path = ("spec", "conversion", "webhook", "clientConfig", "service")


def finish(context: Context, objects: Iterable[Manifest]) -> list[Manifest]:
    """Return the final objects: with the namespace, and with the labels that all objects carry."""
    made = list(objects)
    for rule in overlay_labels(context):
        made = [label(manifest, rule) for manifest in made]
    accounts = {m.id.name for m in made if m.id.kind == "ServiceAccount"}
    services = {m.id.name for m in made if m.id.kind == "Service"}
    return [_place(context, manifest, accounts, services) for manifest in made]


def misplaced(context: Context, objects: Iterable[Manifest]) -> Iterator[Finding]:
    """Yield a finding for what says another namespace, which the overlay's own would replace."""
    for manifest in objects:
        identity = manifest.id
        path = ("metadata", "name") if identity.kind == "Namespace" else ("metadata", "namespace")
        found = identity.name if identity.kind == "Namespace" else identity.namespace
        if found in ("", context.namespace) or not (
            identity.kind == "Namespace" or is_namespaced(identity.group, identity.kind)
        ):
            continue
        message = f"found the namespace {found!r}, expected {context.namespace!r}, where the component runs"
        hint = "leave it out, or make a component of its own for that namespace"
        yield OBJECT_ELSEWHERE(message, hint=hint).at(manifest.origin(path))


def _place(context: Context, manifest: Manifest, accounts: set[str], services: set[str]) -> Manifest:
    """Put an object, and what it says of the component's accounts and services, into the namespace."""
    name, body = context.namespace, manifest.body
    kind = manifest.id.kind
    places: list[Path] = []
    if is_namespaced(manifest.id.group, kind):
        places.append(("metadata",))
    if kind in ("RoleBinding", "ClusterRoleBinding"):
        places += [("subjects", i) for i, s in enumerate(_list(body, "subjects")) if _is_own(s, accounts)]
    if kind in ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"):
        paths = [("webhooks", i, "clientConfig", "service") for i in range(len(_list(body, "webhooks")))]
        places += [path for path in paths if _serves(body, path, services)]
    if kind == "APIService" and isinstance(_at(body, ("spec", "service")), dict):
        places.append(("spec", "service"))
    if kind == "CustomResourceDefinition" and isinstance(_at(body, (*CONVERSION, "namespace")), str):
        places.append(CONVERSION)
    for path in places:
        body = _with_namespace(body, path, name)
    made = (
        Source(path=(*path, "namespace"), rule="namespace", origin=context.namespace_origin)
        for path in places
    )
    return manifest.with_(body, *made) if places else manifest


def _is_own(subject: Json, accounts: set[str]) -> bool:
    """Tell whether a subject is an account of the component; kustomize takes any `default` for one."""
    if not isinstance(subject, dict) or subject.get("kind") != "ServiceAccount":
        return False
    own = subject.get("name") in accounts and not subject.get("namespace")
    return own or subject.get("name") == "default"


def _serves(body: JsonObject, path: Path, services: set[str]) -> bool:
    service = _at(body, path)
    return isinstance(service, dict) and service.get("name") in services and not service.get("namespace")


def _list(body: JsonObject, key: str) -> list[Json]:
    found = body.get(key)
    return found if isinstance(found, list) else []


def _at(body: JsonObject, path: Path) -> Json:
    try:
        return value_at(body, path)
    except KeyError:
        return None


def _with_namespace(value: Json, path: Path, name: str) -> Json:
    """Return a value with the namespace in the map at a path that is there; only the way is copied."""
    if not path:
        return {**value, "namespace": name}
    if isinstance(value, list):
        index = int(path[0])
        return [*value[:index], _with_namespace(value[index], path[1:], name), *value[index + 1 :]]
    return {**value, path[0]: _with_namespace(value[path[0]], path[1:], name)}
