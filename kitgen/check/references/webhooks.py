"""Check webhooks that block the start of their own pods, or whose certificate no API server can trust."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Iterator
from functools import cache

from kitgen.check.references.service_calls import HOOKS
from kitgen.check.references.target_objects import ENOUGH, Found, TargetObjects, format_workloads
from kitgen.findings import Path, Problem, make_problem
from kitgen.kube.identity import ObjectId
from kitgen.kube.manifest import Manifest
from kitgen.kube.pods import PodView
from kitgen.kube.rbac.rules import ALL, WRITES, SinglePermission
from kitgen.kube.selectors import matches_labels, read_pod_selector
from kitgen.kube.services import service_selector
from kitgen.text.values import entries_at, text_at, value_at
from kitgen.text.wording import quote_text
from kitgen.text.yaml import Json, JsonObject

ADMISSION, EXTENSIONS = "admissionregistration.k8s.io", "apiextensions.k8s.io"
NAME_LABEL = "kubernetes.io/metadata.name"
CLIENT: Path = ("spec", "conversion", "webhook", "clientConfig")


def _can_be_updated(scene: TargetObjects, found: ObjectId) -> bool:
    """Return whether some role here permits to update an object."""
    asked = [SinglePermission(verb, found.group, f"{found.kind.lower()}s", found.name) for verb in WRITES]
    return any(permit.allows(one) for permit in scene.index.access.permits_for(found.group) for one in asked)


def check_webhooks(scene: TargetObjects) -> Iterator[Found]:
    """Yield webhooks that cover their own pods, and webhooks that have no CA."""
    plans = [plan for plan in scene.context.plans if plan.target.name == scene.target]
    # OLM puts the CA into an object that it makes from a bundle.
    packed = {each.id for plan in plans for extra in plan.extras.values() for each in extra.carried}
    gets_one = cache(lambda found: found in packed or _can_be_updated(scene, found))
    for manifest in scene.objects_of(ADMISSION, *HOOKS):
        for index, hook in entries_at(manifest.body, "webhooks"):
            path: Path = ("webhooks", index)
            if pods := _find_blocked_pods(scene, hook):
                space = quote_text(text_at(hook, "clientConfig", "service", "namespace"))
                own = f"those of {format_workloads(pods)} in the namespace {space}"
                message = f"found a fail-closed webhook that covers its own pods, {own}"
                at = "namespaceSelector" if hook.get("namespaceSelector") is not None else "failurePolicy"
                yield (
                    manifest,
                    make_problem("webhook-own-pods", message, (*path, *([at] if at in hook else []))),
                )
            if wrong := _check_ca_bundle(scene, manifest, hook.get("clientConfig"), gets_one):
                yield manifest, wrong.prefix_path(*path, "clientConfig")
    for manifest in scene.objects_of(EXTENSIONS, "CustomResourceDefinition"):
        is_asked = len(entries_at(manifest.body, "spec", "versions")) > 1  # nothing to convert otherwise
        client = value_at(manifest.body, *CLIENT) if is_asked else None
        if wrong := _check_ca_bundle(scene, manifest, client, gets_one):
            yield manifest, wrong.prefix_path(*CLIENT)


def _check_ca_bundle(
    scene: TargetObjects, manifest: Manifest, client: Json, gets_one: Callable[[ObjectId], bool]
) -> Problem | None:
    """Report that no CA is set for a Service that is here."""
    space, name = text_at(client, "service", "namespace"), text_at(client, "service", "name")
    if (
        not name
        or not scene.get("", "Service", space, name)
        or _has_certificates(value_at(client, "caBundle"))
    ):
        return None
    injected = any("inject" in key for key in (*manifest.annotations, *manifest.labels))
    if injected or gets_one(manifest.id):
        return None
    found = "an empty caBundle" if value_at(client, "caBundle") else "no caBundle"
    return make_problem(
        "webhook-ca",
        f"found {found}, and nothing that puts one in, for the Service {quote_text(name)}",
        ("caBundle",) if value_at(client, "caBundle") is not None else (),
    )


def _has_certificates(value: Json) -> bool:
    """Return whether a caBundle holds anything; a line break in base64 is what generators leave there."""
    try:
        return isinstance(value, str) and bool(base64.b64decode(value).strip())
    except (ValueError, binascii.Error):
        return True  # schemas tell of it


def _find_blocked_pods(scene: TargetObjects, hook: JsonObject) -> list[PodView]:
    """Return the pods of a webhook that could not start while it is away; a condition may leave them out."""
    if hook.get("failurePolicy", "Fail") != "Fail" or hook.get("matchConditions"):
        return []
    if not any(_covers_pods(rule) for _, rule in entries_at(hook, "rules")):
        return []
    space, name = (text_at(hook, "clientConfig", "service", key) for key in ("namespace", "name"))
    service = scene.get("", "Service", space, name) if space and name else None
    terms = service_selector(service.body) if service else None
    pods = scene.pods_matching(terms, space) if terms else []
    if not pods or len(pods) >= ENOUGH or not _covers_namespace(scene, hook, space):
        return []
    asked = read_pod_selector(hook.get("objectSelector") or {})
    return [pod for pod in pods if asked is not None and matches_labels(asked, pod.labels)]


def _covers_pods(rule: JsonObject) -> bool:
    def has(key: str, *wanted: str) -> bool:
        found = rule.get(key)
        return isinstance(found, list) and any(each in found for each in wanted)

    return (
        has("operations", ALL, "CREATE")
        and has("apiGroups", ALL, "")
        and has("apiVersions", ALL, "v1")
        and has("resources", ALL, "pods", "pods/*", "*/*")
        and rule.get("scope", ALL) != "Cluster"
    )


def _covers_namespace(scene: TargetObjects, hook: JsonObject, space: str) -> bool:
    """Return whether a webhook surely sees a namespace; labels of one that is not here are unknown."""
    if (terms := read_pod_selector(hook.get("namespaceSelector") or {})) is None:
        return False
    there = scene.get("", "Namespace", "", space)
    known = {**(there.labels if there else {}), NAME_LABEL: space}
    if there is None and any(term.key != NAME_LABEL for term in terms):
        return False
    return matches_labels(terms, known)
