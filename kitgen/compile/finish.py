"""Finish objects as the overlay's own fields do: labels, then the namespace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kitgen.compile.context import Context
from kitgen.compile.labels import overlay_labels
from kitgen.findings import Chapter, Finding, Rule
from kitgen.kustomize.labels import label
from kitgen.kustomize.namespace import set_namespace
from kitgen.objects import Manifest, is_namespaced

OBJECT_ELSEWHERE = Rule(
    id="object-elsewhere",
    chapter=Chapter.TARGET,
    checks="Objects of a component are in the namespace that it runs in. Kustomize puts all of them there.",
    fix="Leave the namespace out, or make a component of its own for the other namespace.",
)


def finish(context: Context, objects: Iterable[Manifest]) -> list[Manifest]:
    """Return the final objects: with the namespace, and with the labels that all objects carry."""
    made = list(objects)
    for rule in overlay_labels(context):
        made = [label(manifest, rule) for manifest in made]
    return set_namespace(made, context.namespace, context.namespace_origin)


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
