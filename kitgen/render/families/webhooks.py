"""Family of admission webhooks: the configurations, the Service and the certificate they need."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Cause, CauseKind, Finding, Path
from kitgen.kit.model import Layer
from kitgen.kit.model.component import find_existing_prefix
from kitgen.kube.identity import split_kind
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.render.context import RenderContext
from kitgen.render.environment import check_container_name, container_names
from kitgen.render.families.webhook_kinds import (
    KIND,
    check_duplicate_webhooks,
    lowercase_kind,
    merge_webhook_layers,
    name_suffix_of,
    value_for_task,
)
from kitgen.render.family import Family, Objects
from kitgen.render.labels import build_metadata
from kitgen.render.layers import LayeredValue, build_default_source, build_source
from kitgen.text.values import map_at
from kitgen.text.yaml import Json, JsonObject

COMMON: dict[Path, Path] = {
    ("admissionReviewVersions",): ("reviewVersions",),
    ("clientConfig", "caBundle"): ("caBundle",),
    ("clientConfig", "service", "name"): ("service", "name"),
}
"""Parts of a webhook that are said of all → where they are."""
NAMESPACE_NAME = "kubernetes.io/metadata.name"
SERVICE = "webhook-service"
SECRET = "webhook-server-cert"
API = "admissionregistration.k8s.io/v1"
CERTIFICATES = "/tmp/k8s-webhook-server/serving-certs"  # where controller-runtime looks for them
DEFAULTS: dict[Path, str] = {
    ("admissionReviewVersions",): "controller-runtime reads this version",
    ("clientConfig", "service", "path"): "controller-runtime serves the kind here",
    ("failurePolicy",): "an object that was not looked at must not pass",
    ("name",): "kubebuilder's form: m or v, the kind, the domain",
    ("rules", 0, "operations"): "a mutation sets defaults at creation; a validation looks at updates too",
    ("rules", 0, "resources"): "the plural of the kind",
    ("sideEffects",): "the webhook only answers",
}
"""Why the family sets what a spec does not."""
PORT = 9443
USUAL = {"failurePolicy": "Fail", "sideEffects": "None"}
"""What the family sets by itself: where controller-runtime listens, and parts of every webhook."""
AS_THEY_ARE = ("failurePolicy", "matchPolicy", "objectSelector", "sideEffects", "timeoutSeconds")
"""What a spec says as Kubernetes does."""
OWN: dict[str, Path] = {
    "name": ("name",),
    "operations": ("rules", 0, "operations"),
    "path": ("clientConfig", "service", "path"),
}
"""What a spec says of both sorts of a kind's webhooks or of each → where it stands in one."""
PORT_DEFAULTS = {
    "port": "the API server calls a webhook's Service on 443",
    "protocol": "webhooks are served over HTTPS",
    "targetPort": "controller-runtime listens here",
}
TASKS = {
    "mutate": ("Mutating", "mutating-webhook-configuration", ("CREATE",)),
    "validate": ("Validating", "validating-webhook-configuration", ("CREATE", "UPDATE")),
}


def build_webhooks(context: RenderContext) -> Iterator[Manifest]:
    """Make a mutating and a validating webhook for each kind that has one."""
    for item in context.part["webhooks"]:
        folded = merge_webhook_layers(item.layers)
        whole = build_source(folded.touches[0], (), "webhooks")
        name, made = _resolve_secret(context, folded)
        if made:
            secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}}
            yield Manifest(body=secret, sources=(whole,))
        others = {context.full_name(each.name) for each in context.part["services"]}
        if service_name(context, folded) not in others:
            yield _build_service(context, folded, whole)
        for task, (kind, _, _) in TASKS.items():
            for name, entries in _group_by_configuration(context, task, folded).items():
                meta, said = build_metadata(name, folded, "webhooks", {"annotations": ("annotations",)})
                body = {
                    "apiVersion": API,
                    "kind": f"{kind}WebhookConfiguration",
                    "metadata": meta,
                    "webhooks": [_build_webhook(context, task, entry, folded) for entry in entries.values()],
                }
                yield Manifest(
                    body=body, sources=(whole, *said, *_build_sources(folded, task, list(entries)))
                )


def service_name(context: RenderContext, folded: LayeredValue) -> str:
    """Return the name in full of the Service that the API server calls."""
    return context.full_name(map_at(folded.data, "service").get("name", SERVICE))


def _resolve_secret(context: RenderContext, folded: LayeredValue) -> tuple[str, bool]:
    """Return the name in full of the Secret with the certificate, and whether it is made here."""
    given: Json = folded.data.get("secret")
    if isinstance(given, dict):
        return given["name"], given.get("create", False)
    return (given, False) if given else (context.full_name(SECRET), True)


def _build_service(context: RenderContext, folded: LayeredValue, whole: FieldSource) -> Manifest:
    labels = {"labels": ("service", "labels")}
    meta, labelled = build_metadata(service_name(context, folded), folded, "webhooks", labels)
    port = {"port": 443, "protocol": "TCP", "targetPort": folded.data.get("port", PORT)}
    spec: JsonObject = {"ports": [port]}
    sources = [whole, *labelled]
    for key, why in PORT_DEFAULTS.items():
        path: Path = ("spec", "ports", 0, key)
        if key == "targetPort" and "port" in folded.data:
            sources.append(build_source(folded.touch_at(("port",)), path, "webhooks"))
        else:
            sources.append(build_default_source(folded.touches[0], path, "webhooks", why))
    if selector := map_at(folded.data, "service", "selector"):
        spec["selector"] = selector
        sources.append(
            build_source(folded.touch_at(("service", "selector")), ("spec", "selector"), "webhooks")
        )
    body = {"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": spec}
    return Manifest(body=body, sources=tuple(sources))


def _group_by_configuration(
    context: RenderContext, task: str, folded: LayeredValue
) -> dict[str, dict[str, JsonObject]]:
    """Return the names of the configurations of a sort, each with the kinds that it is for."""
    pattern = (folded.data.get("configurations") or {}).get(f"{task}s") or context.full_name(TASKS[task][1])
    found: dict[str, dict[str, JsonObject]] = {}
    for key, entry in folded.data["kinds"].items():
        if _list_resources(context, task, entry):
            found.setdefault(pattern.replace(KIND, lowercase_kind(entry)), {})[key] = entry
    return found


def build_server_layer(context: RenderContext) -> Layer | None:
    """Return what the webhooks need of the Deployment: a port and the certificate."""
    if not context.part["webhooks"] or not context.part["deployment"]:
        return None  # without a Deployment, somebody else's pods serve them
    folded = merge_webhook_layers(context.part["webhooks"][0].layers)
    container = {
        "ports": {"webhook-server": folded.data.get("port", PORT)},
        "volumeMounts": [{"mountPath": CERTIFICATES, "name": "cert", "readOnly": True}],
    }
    secret = {"secret": {"defaultMode": 420, "secretName": _resolve_secret(context, folded)[0]}}
    given = context.part["webhooks"][0].layers[0]
    return Layer(
        data={
            "containers": {_find_server_container(context, folded): container},
            "volumes": {"cert": secret},
        },
        origin=given.origin,
        cause=Cause(CauseKind.FAMILY, "webhooks"),
        feature=given.feature,
        why="the webhooks are served here, with this certificate",
        given={},
    )


def _find_server_container(context: RenderContext, folded: LayeredValue) -> str:
    """Return the container that serves the webhooks."""
    return str(folded.data.get("container") or next(iter(container_names(context.part)), "manager"))


def check_webhook_settings(context: RenderContext, _: Objects) -> Iterator[Finding]:
    """Yield a finding for names that two kinds share, and for a container that is not there."""
    for item in context.part["webhooks"]:
        folded = merge_webhook_layers(item.layers)
        yield from check_duplicate_webhooks(item.layers)
        if context.part["deployment"] or "container" in folded.data:
            name, at = _find_server_container(context, folded), folded.touch_at(("container",)).origin
            yield from check_container_name(context, name, at)


def _list_resources(context: RenderContext, task: str, entry: JsonObject) -> list[str]:
    """Return what a task of a webhook is for; an empty list says that there is no such webhook."""
    group, _, kind = split_kind(entry["kind"])
    return list(entry.get(f"{task}s", [entry.get("resource") or context.resources.plural(group, kind)]))


def build_namespace_selector(entry: JsonObject) -> JsonObject | None:
    """Return whose namespaces count: those of the selector, without those to skip."""
    if not (values := entry.get("skipNamespaces")):
        return entry.get("namespaceSelector")
    selector = map_at(entry, "namespaceSelector")
    skipped = {"key": NAMESPACE_NAME, "operator": "NotIn", "values": values}
    return {**selector, "matchExpressions": [*selector.get("matchExpressions", []), skipped]}


def usual_path(task: str, group: str, version: str, kind: str) -> str:
    """Return where controller-runtime serves a webhook of a kind."""
    return f"/{task}-{group.replace('.', '-')}-{version}-{kind.lower()}"


def _build_webhook(context: RenderContext, task: str, entry: JsonObject, folded: LayeredValue) -> JsonObject:
    group, version, kind = split_kind(entry["kind"])
    pattern = map_at(folded.data, "names").get(f"{task}s")
    usual = pattern.replace(KIND, lowercase_kind(entry)) if pattern else f"{task[0]}{name_suffix_of(entry)}"
    path = value_for_task(entry, "path", task) or usual_path(task, group, version, kind)
    bundle, namespaces = folded.data.get("caBundle"), build_namespace_selector(entry)
    hook: JsonObject = {
        "admissionReviewVersions": folded.data.get("reviewVersions", ["v1"]),
        "clientConfig": {
            "service": {"name": service_name(context, folded), "path": path},
            **({"caBundle": bundle} if bundle else {}),
        },
        "name": value_for_task(entry, "name", task) or usual,
        "rules": [
            {
                "apiGroups": [group],
                "apiVersions": [version],
                "operations": list(value_for_task(entry, "operations", task) or TASKS[task][2]),
                "resources": _list_resources(context, task, entry),
            }
        ],
        **USUAL,
        **{key: entry[key] for key in AS_THEY_ARE if key in entry},
        **({"namespaceSelector": namespaces} if namespaces is not None else {}),
    }
    return dict(sorted(hook.items()))


def _build_sources(folded: LayeredValue, task: str, keys: list[str]) -> Iterator[FieldSource]:
    for index, place in enumerate(keys):
        touch = folded.touch_at(("kinds", place))
        entry, here = folded.data["kinds"][place], ("webhooks", index)
        yield build_source(touch, here, "webhooks")
        said = _find_entry_paths(task, entry)
        of_all: dict[Path, Path] = {("name",): ("names", f"{task}s"), **COMMON}
        common = {
            path: within
            for path, within in of_all.items()
            if path not in said and find_existing_prefix(folded.data, within) == within
        }
        for path, within in common.items():
            yield build_source(folded.touch_at(within), (*here, *path), "webhooks")
        for path, why in DEFAULTS.items():
            if path not in said and path not in common:
                yield build_default_source(touch, (*here, *path), "webhooks", why)
        for path, within in said.items():
            yield build_source(folded.touch_at(("kinds", place, *within)), (*here, *path), "webhooks")


def _find_entry_paths(task: str, entry: JsonObject) -> dict[Path, Path]:
    """Return the parts of a webhook that an entry says itself, each with where it does."""
    found: dict[Path, Path] = {(key,): (key,) for key in (*AS_THEY_ARE, "namespaceSelector") if key in entry}
    if entry.get("skipNamespaces"):
        terms = len(entry.get("namespaceSelector", {}).get("matchExpressions", ()))
        whole: Path = ("namespaceSelector",)
        found[(*whole, "matchExpressions", terms) if whole in found else whole] = ("skipNamespaces",)
    for key in ("resource", f"{task}s"):
        if key in entry:
            found["rules", 0, "resources"] = (key,)
    for key, path in OWN.items():
        if value_for_task(entry, key, task):
            found[path] = (key, f"{task}s") if isinstance(entry[key], dict) else (key,)
    return found


FAMILY = Family(
    objects=build_webhooks,
    follows=("webhooks", "services"),
    problems=check_webhook_settings,
    layer=build_server_layer,
)
