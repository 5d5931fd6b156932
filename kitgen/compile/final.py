"""Labels and namespace: what objects get of both, and what contradicts itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kitgen.compile.context import Context
from kitgen.findings import Chapter, Finding, Rule
from kitgen.kustomize.labels import label
from kitgen.kustomize.namespace import set_namespace
from kitgen.model import LabelRule, Scope
from kitgen.objects import Manifest, is_namespaced

LABEL_VALUES = Rule(
    id="label-values",
    chapter=Chapter.TARGET,
    checks="No label has two values: a rule that gives another one reaches all that the earlier rule does.",
    fix="Take the same value, or the same scope and reach.",
)

OBJECT_ELSEWHERE = Rule(
    id="object-elsewhere",
    chapter=Chapter.TARGET,
    checks="Objects of a component are in the namespace that it runs in. Kustomize puts all of them there.",
    fix="Leave the namespace out, or make a component of its own for the other namespace.",
)

UNLABELLED = frozenset({"CustomResourceDefinition", "Namespace"})


def own_labels(context: Context, objects: list[Manifest]) -> list[Manifest]:
    """Put on the labels that only the operator's own objects carry."""
    for rule in (*context.component.labels, *context.settings.labels):
        if rule.scope is Scope.OPERATOR:
            objects = [m if m.id.kind in UNLABELLED else label(m, rule) for m in objects]
    return objects


def overlay_labels(context: Context) -> list[LabelRule]:
    """Return the label rules for all objects; one that another covers is left out."""
    rules = [r for r in (*context.component.labels, *context.settings.labels) if r.scope is Scope.ALL]
    return [
        weak
        for weak in rules
        if not any(s.pairs.items() >= weak.pairs.items() and _reach(s) > _reach(weak) for s in rules)
    ]


def _reach(rule: LabelRule) -> tuple[bool, bool]:
    return (rule.selectors, rule.selectors or rule.templates)


def contradictions(context: Context) -> Iterator[Finding]:
    """Yield a finding for every label that would have two values; one rule may replace all of another."""
    rules = (*context.component.labels, *context.settings.labels)
    for index, rule in enumerate(rules):
        for key, value in rule.pairs.items():
            for other in rules[:index]:
                replaced = other.scope is rule.scope and _reach(rule) >= _reach(other)
                if other.pairs.get(key, value) != value and not replaced:
                    message = (
                        f"found {value!r} for the label {key!r}, which has {other.pairs[key]!r} elsewhere"
                    )
                    hint = f"take the same value, scope and reach as {other.origin}"
                    origin = rule.origin.at("pairs", key)
                    yield LABEL_VALUES(message, hint=hint).at(origin)


def final_objects(context: Context, objects: Iterable[Manifest]) -> list[Manifest]:
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
