"""Labels and namespace: what the overlay's own fields do to every object."""

from __future__ import annotations

from kitgen.compile.context import Context
from kitgen.findings import Path
from kitgen.model import LabelRule, Scope
from kitgen.objects import Manifest, Source, is_namespaced
from kitgen.yamlio import Json, JsonObject

WORKLOADS = frozenset({"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"})
TEMPLATES: dict[str, Path] = {
    **dict.fromkeys((*WORKLOADS, "Job"), ("spec", "template", "metadata", "labels")),
    "CronJob": ("spec", "jobTemplate", "spec", "template", "metadata", "labels"),
}
SELECTORS: dict[str, tuple[Path, bool]] = {
    # kind → where its selector is, and whether one is made where there is none
    **dict.fromkeys(WORKLOADS, (("spec", "selector", "matchLabels"), True)),
    "Service": (("spec", "selector"), True),
    "NetworkPolicy": (("spec", "podSelector", "matchLabels"), False),
    "PodDisruptionBudget": (("spec", "selector", "matchLabels"), False),
}
UNLABELLED = frozenset({"CustomResourceDefinition", "Namespace"})


def own_labels(context: Context, objects: list[Manifest]) -> list[Manifest]:
    """Put on the labels that only the operator's own objects carry."""
    for rule in (*context.component.labels, *context.settings.labels):
        if rule.scope is Scope.OPERATOR:
            objects = [m if m.id.kind in UNLABELLED else _label(m, rule) for m in objects]
    return objects


def finish(context: Context, objects: list[Manifest]) -> list[Manifest]:
    """Return the final objects: with the namespace, and with the labels that all objects carry."""
    for rule in overlay_labels(context):
        objects = [_label(manifest, rule) for manifest in objects]
    return [_place(context, manifest) for manifest in objects]


def overlay_labels(context: Context) -> list[LabelRule]:
    """Return the label rules for all objects; one that another covers is left out."""
    rules = [r for r in (*context.component.labels, *context.settings.labels) if r.scope is Scope.ALL]
    return [rule for rule in rules if not any(_covers(other, rule) for other in rules if other is not rule)]


def _covers(strong: LabelRule, weak: LabelRule) -> bool:
    reach = (strong.selectors, strong.selectors or strong.templates)
    return strong.pairs.items() >= weak.pairs.items() and reach > (
        weak.selectors,
        weak.selectors or weak.templates,
    )


def _label(manifest: Manifest, rule: LabelRule) -> Manifest:
    kind = manifest.id.kind
    paths: list[Path] = [("metadata", "labels")]
    if (rule.selectors or rule.templates) and kind in TEMPLATES:
        paths.append(TEMPLATES[kind])
    if rule.selectors and kind in SELECTORS:
        path, create = SELECTORS[kind]
        if create or _has(manifest.body, path):
            paths.append(path)
    body = manifest.body
    for path in paths:
        body = _set(body, path, rule.pairs)
    made = (
        Source(path=(*p, key), rule="labels", origin=rule.origin.at("pairs", key))
        for p in paths
        for key in rule.pairs
    )
    return manifest.with_(body, *made)


def _has(body: Json, path: Path) -> bool:
    for step in path:
        if not isinstance(body, dict) or step not in body:
            return False
        body = body[str(step)]
    return True


def _set(body: JsonObject, path: Path, pairs: JsonObject) -> JsonObject:
    """Return the body with pairs merged into the map at a path; only the way there is copied."""
    if not path:
        return dict(sorted({**body, **pairs}.items()))
    key = str(path[0])
    return {**body, key: _set(body.get(key) or {}, path[1:], pairs)}


def _place(context: Context, manifest: Manifest) -> Manifest:
    """Put an object, and what it says of service accounts and services, into the namespace."""
    name, body = context.namespace, manifest.body
    made: list[Path] = []
    if is_namespaced(manifest.id.group, manifest.id.kind):
        body = {**body, "metadata": {**body["metadata"], "namespace": name}}
        made.append(("metadata", "namespace"))
    if "subjects" in body:
        subjects = [
            {**subject, "namespace": name} if subject.get("kind") == "ServiceAccount" else subject
            for subject in body["subjects"]
        ]
        body = {**body, "subjects": subjects}
        made += [("subjects", i, "namespace") for i, s in enumerate(subjects) if "namespace" in s]
    if "webhooks" in body:
        body = {**body, "webhooks": [_placed_hook(hook, name) for hook in body["webhooks"]]}
        made += [
            ("webhooks", i, "clientConfig", "service", "namespace") for i in range(len(body["webhooks"]))
        ]
    sources = (Source(path=p, rule="namespace", origin=context.namespace_origin) for p in made)
    return manifest.with_(body, *sources) if made else manifest


def _placed_hook(hook: JsonObject, namespace: str) -> JsonObject:
    client = hook.get("clientConfig", {})
    if "service" not in client:
        return hook
    return {**hook, "clientConfig": {**client, "service": {**client["service"], "namespace": namespace}}}
