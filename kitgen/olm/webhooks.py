"""Webhooks as OLM has them: it makes the configurations, and certificates for the Service."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kitgen.findings import Path, Problem, make_problem
from kitgen.kube.manifest import Manifest
from kitgen.kube.services import WebhookServers
from kitgen.olm.csv_parts import CsvPart, select_sources
from kitgen.text.values import entries_at
from kitgen.text.yaml import Json, JsonObject

CONFIGURATIONS = {
    "MutatingWebhookConfiguration": "MutatingAdmissionWebhook",
    "ValidatingWebhookConfiguration": "ValidatingAdmissionWebhook",
}
"""Kind of a configuration → what OLM calls its webhooks."""
CONVERSION = "ConversionWebhook"
CRD = "CustomResourceDefinition"
TAKEN = (
    *("admissionReviewVersions", "failurePolicy", "matchPolicy", "objectSelector", "reinvocationPolicy"),
    *("rules", "sideEffects", "timeoutSeconds"),
)
"""What a definition says just as the webhook does."""
LOST = {
    "namespaceSelector": "OLM sets by the namespaces that the operator watches",
    "matchConditions": "OLM leaves out",
}
"""What a definition cannot say, and what becomes of it."""
PORT = 443
HINT = "name a Service of the component, or say webhooks: operator"


def build_webhook_definitions(objects: Sequence[Manifest]) -> Iterator[tuple[Manifest, CsvPart | Problem]]:
    """Yield the webhook definitions of all configurations and conversions, or why one cannot be made."""
    servers = WebhookServers(objects)
    for manifest in objects:
        if kind := CONFIGURATIONS.get(manifest.id.kind):
            for index, hook in enumerate(manifest.body.get("webhooks", ())):
                yield manifest, _build_admission(manifest, index, hook, kind, servers)
    yield from _build_conversions(objects, servers)


def check_dropped_fields(objects: Sequence[Manifest]) -> Iterator[tuple[Manifest, Problem]]:
    """Yield what webhooks say of when they are called that OLM does not take over."""
    for manifest in (each for each in objects if each.id.kind in CONFIGURATIONS):
        for index, hook in enumerate(manifest.body.get("webhooks", ())):
            for key in (each for each in LOST if hook.get(each)):
                message = f"found {key} of the webhook {hook.get('name')}, which {LOST[key]}"
                yield manifest, make_problem("bundle-webhook-scope", message, ("webhooks", index, key))


def _build_admission(
    manifest: Manifest, index: int, hook: JsonObject, kind: str, servers: WebhookServers
) -> CsvPart | Problem:
    path: Path = ("webhooks", index)
    if isinstance(
        reached := _resolve_server(servers, hook.get("clientConfig"), (*path, "clientConfig")), Problem
    ):
        return reached
    said = {key: hook[key] for key in TAKEN if key in hook}
    return CsvPart(
        {**said, **reached, "generateName": hook["name"], "type": kind}, select_sources(manifest, *path)
    )


def _build_conversions(
    objects: Sequence[Manifest], servers: WebhookServers
) -> Iterator[tuple[Manifest, CsvPart | Problem]]:
    """Yield one definition for all CRDs that one webhook converts."""
    found: dict[str, tuple[Manifest, JsonObject, list[str]]] = {}
    path: Path = ("spec", "conversion", "webhook", "clientConfig")
    for manifest in (each for each in objects if each.id.kind == CRD):
        conversion: JsonObject = manifest.body["spec"].get("conversion") or {}
        if conversion.get("strategy") != "Webhook":
            continue
        hook: JsonObject = conversion.get("webhook") or {}
        if isinstance(reached := _resolve_server(servers, hook.get("clientConfig"), path), Problem):
            yield manifest, reached
            continue
        said = {
            **reached,
            "admissionReviewVersions": hook.get("conversionReviewVersions", ["v1"]),
            "generateName": f"c{reached['deploymentName']}.kb.io",
            "sideEffects": "None",
            "type": CONVERSION,
        }
        key = f"{reached['deploymentName']} {reached.get('webhookPath')}"
        found.setdefault(key, (manifest, said, []))[2].append(manifest.id.name)
    for manifest, said, names in found.values():
        whole = {**said, "conversionCRDs": sorted(names)}
        yield manifest, CsvPart(whole, select_sources(manifest, "spec", "conversion"))


def _resolve_server(servers: WebhookServers, config: Json, path: Path) -> JsonObject | Problem:
    """Return what a definition says of the server that a clientConfig leads to, or that there is none."""
    if (service := servers.find_service(config)) is None:
        return make_problem(
            "bundle-webhook",
            "found a webhook that leads to no Service of the bundle, which OLM cannot serve",
            path,
            HINT,
        )
    said: JsonObject = config["service"]
    if (deployment := servers.find_deployment(service)) is None:
        return make_problem(
            "bundle-webhook",
            f"found the Service {said['name']}, which selects no Deployment of the bundle",
            path,
            HINT,
        )
    port = said.get("port", PORT)
    ports = entries_at(service, "spec", "ports")
    target = next((each.get("targetPort") for _, each in ports if each.get("port") == port), None)
    reached: JsonObject = {"deploymentName": deployment["metadata"]["name"], "containerPort": port}
    reached |= {"targetPort": target} if target is not None else {}
    return reached | ({"webhookPath": said["path"]} if "path" in said else {})
