"""Labels, annotations and namespaces of objects: from label rules, specs and patches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec.structs import replace

from kitgen.findings import Finding, get_rule, make_problem
from kitgen.kit.model import LabelRule, LabelScope
from kitgen.kube.identity import ObjectId
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.render.context import RenderContext
from kitgen.render.kustomize.field_paths import find_values
from kitgen.render.kustomize.labels import apply_labels
from kitgen.render.kustomize.namespace import BINDINGS, set_namespace
from kitgen.render.layers import LayeredValue, build_source
from kitgen.render.patches import CRD, report_missing_object, select_patches
from kitgen.render.size import limit_objects
from kitgen.text.values import group_pairs, map_at, text_at
from kitgen.text.yaml import Json, JsonObject

OWN: dict[str, tuple[str, ...]] = {"labels": ("labels",), "annotations": ("annotations",)}
"""What an item says of its object; one that makes several objects says it of each under another key."""


def build_metadata(
    name: str, folded: LayeredValue, family: str, said: Mapping[str, tuple[str, ...]] = OWN
) -> tuple[JsonObject, list[FieldSource]]:
    """Return an object's metadata with what its spec says, and where each part of that stands."""
    meta: JsonObject = {"name": name}
    sources = []
    for key, path in said.items():
        if given := map_at(folded.data, *path):
            meta[key] = given
            sources += [
                build_source(folded.touch_at((*path, each)), ("metadata", key, each), family)
                for each in given
            ]
    return meta, sources


def find_unlabelled(context: RenderContext) -> frozenset[str]:
    """Return what patches call the objects that no label rule reaches."""
    return frozenset(each.data["object"] for each in select_patches(context) if "unlabelled" in each.data)


def apply_label_rules(
    objects: Iterable[Manifest], rules: Sequence[LabelRule], context: RenderContext
) -> list[Manifest]:
    """Put the labels of rules on objects, but for those that patches spare."""
    without = find_unlabelled(context) if rules else ()
    made = (each if str(each.id) in without else apply_labels(each, rules) for each in objects)
    return list(limit_objects(made) if rules else objects)


def check_unlabelled_patches(context: RenderContext, objects: Iterable[Manifest]) -> Iterator[Finding]:
    """Yield a finding for every patch that spares an object which is not there.

    Where CRDs stand elsewhere, nothing can be told of them.
    """
    known = {str(each.id): each.id.kind for each in objects}
    for layer in select_patches(context):
        wanted: str = layer.data["object"]
        if "unlabelled" not in layer.data or wanted in known:
            continue
        if wanted.partition("/")[0] != CRD or CRD in known.values():
            yield report_missing_object(layer, list(known))


LABEL_VALUES = get_rule("label-values")

Reach: TypeAlias = tuple[bool, bool]
"""Whether labels go into selectors, and into templates of pods."""
UNLABELLED = frozenset({"CustomResourceDefinition", "Namespace"})


def apply_operator_labels(context: RenderContext, objects: list[Manifest]) -> list[Manifest]:
    """Put on the labels that only the operator's own objects carry."""
    rules = _select_rules(context, LabelScope.OPERATOR)
    own = iter(
        apply_label_rules((each for each in objects if each.id.kind not in UNLABELLED), rules, context)
    )
    return [each if each.id.kind in UNLABELLED else next(own) for each in objects]


def _select_rules(context: RenderContext, scope: LabelScope) -> list[LabelRule]:
    return [each for each in (*context.component.labels, *context.settings.labels) if each.scope is scope]


def select_overlay_labels(context: RenderContext) -> list[LabelRule]:
    """Return the label rules for all objects; one that another covers is left out."""
    rules = _select_rules(context, LabelScope.ALL)
    if len(reaches := sorted({_reach_of(each) for each in rules})) < 2:
        return rules
    forms = {_rule_key(each): number for number, each in enumerate(rules)}  # rules that say the same are one
    held = group_pairs(((reach, pair), number) for (reach, pairs), number in forms.items() for pair in pairs)
    having = {each: {*numbers} for each, numbers in held.items()}
    covered = {form for form in forms if _is_covered(*form, reaches, having)}
    return [each for each in rules if _rule_key(each) not in covered]


def _is_covered(
    weak: Reach,
    pairs: frozenset[tuple[str, Json]],
    reaches: list[Reach],
    having: Mapping[tuple[Reach, tuple[str, Json]], set[int]],
) -> bool:
    """Return whether a rule that reaches further gives all labels of another one."""
    further = (reach for reach in reaches if reach > weak)
    each_has = (sorted((having.get((reach, pair), set()) for pair in pairs), key=len) for reach in further)
    return any(some and set.intersection(*some) for some in each_has)


def _rule_key(rule: LabelRule) -> tuple[Reach, frozenset[tuple[str, Json]]]:
    return _reach_of(rule), frozenset(rule.pairs.items())


def _reach_of(rule: LabelRule) -> Reach:
    return (rule.selectors, rule.selectors or rule.templates)


def check_label_conflicts(context: RenderContext) -> Iterator[Finding]:
    """Yield a finding for every label that would have two values; one rule may replace all of another."""
    said: dict[str, dict[tuple[LabelScope, Reach], dict[Json, LabelRule]]] = {}
    for label_rule in (*context.component.labels, *context.settings.labels):
        for key, value in label_rule.pairs.items():
            earlier = said.setdefault(key, {})
            for (scope, reach), by_value in earlier.items():
                other = next((each for text, each in by_value.items() if text != value), None)
                if other is not None and not (scope is label_rule.scope and _reach_of(label_rule) >= reach):
                    yield LABEL_VALUES(
                        f"found {value!r} for the label {key!r}, which has {other.pairs[key]!r} elsewhere",
                        hint=f"take the same value, scope and reach as {other.origin}",
                    ).to_finding(label_rule.origin.at("pairs", key))
            earlier.setdefault((label_rule.scope, _reach_of(label_rule)), {}).setdefault(value, label_rule)


def finalize_objects(context: RenderContext, objects: Iterable[Manifest]) -> list[Manifest]:
    """Return the final objects: with the namespace, and with the labels that all objects carry."""
    made = apply_label_rules(objects, select_overlay_labels(context), context)
    return set_namespace(made, context.namespace, context.namespace_origin)


def check_object_namespaces(context: RenderContext, objects: Iterable[Manifest]) -> Iterator[Finding]:
    """Yield a finding for what kustomize cannot leave in the namespace that it says.

    It moves all objects to the component's, and two of one name must not meet there.
    """
    first: dict[ObjectId, Manifest] = {}
    for manifest in objects if context.namespace else ():
        identity = manifest.id
        if identity.kind == "Namespace" and identity.name != context.namespace:
            yield make_problem(
                "object-elsewhere",
                f"found the namespace {identity.name!r}, expected {context.namespace!r}",
                hint="leave it out, or make a component of its own for that namespace",
            ).to_finding(manifest.find_origin(("metadata", "name")))
        other = first.setdefault(replace(identity, namespace=""), manifest)
        if other.id.namespace != identity.namespace:
            yield make_problem(
                "object-elsewhere",
                f"found a second {identity}, in another namespace, which kustomize cannot keep apart",
                hint=f"give it another name; the first comes from {other.find_origin(())}",
            ).to_finding(manifest.find_origin(("metadata", "name")))


def check_subject_namespaces(context: RenderContext, objects: Iterable[Manifest]) -> Iterator[Finding]:
    """Yield a finding for accounts of the component that a binding names without a known namespace."""
    known = list(objects) if context.namespace else []
    accounts = {each.id.name for each in known if each.id.kind == "ServiceAccount"}
    for manifest in (each for each in known if each.id.kind in BINDINGS):
        for path, subject in find_values(manifest.body, "subjects[]"):
            is_account = text_at(subject, "kind") == "ServiceAccount"
            if is_account and str(subject.get("name")) in accounts and not subject.get("namespace"):
                yield make_problem(
                    "object-elsewhere",
                    f"found the account {subject['name']!r} of another namespace, which is not said here",
                    hint="say its namespace, such as '{{ namespace }}' for the component's",
                ).to_finding(manifest.find_origin(path))
