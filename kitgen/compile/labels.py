"""Labels: where each rule puts them, which is where kustomize's own `labels` field does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kitgen.compile.context import Context
from kitgen.findings import Chapter, Finding, Path, Rule
from kitgen.model import LabelRule, Scope
from kitgen.objects import Manifest, Source
from kitgen.yamlio import Json, JsonObject

LABEL_VALUES = Rule(
    id="label-values",
    chapter=Chapter.TARGET,
    title="a label with two values",
    checks=(
        "Two rules that give a label different values have the same scope, and the later one reaches "
        "selectors and pod templates if the earlier one does, so that it replaces all of it."
    ),
    fix="Take the same value, or the same scope and reach.",
)


UNLABELLED = frozenset({"CustomResourceDefinition", "Namespace"})


@dataclass(frozen=True, slots=True)
class Place:
    """A map of labels in objects of a kind; steps through a list end in []."""

    kinds: tuple[str, ...]
    path: str
    create: bool = True
    """Make the map where there is none."""


WORKLOADS = ("DaemonSet", "Deployment", "ReplicaSet", "StatefulSet")
TEMPLATES = (
    Place((*WORKLOADS, "Job", "ReplicationController"), "spec/template/metadata/labels"),
    Place(("StatefulSet",), "spec/volumeClaimTemplates[]/metadata/labels"),
    Place(("CronJob",), "spec/jobTemplate/metadata/labels"),
    Place(("CronJob",), "spec/jobTemplate/spec/template/metadata/labels"),
)
SPREAD = ("Deployment", "StatefulSet")
AFFINITY = "spec/template/spec/affinity"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution[]/podAffinityTerm/labelSelector/matchLabels"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution[]/labelSelector/matchLabels"
SELECTORS = (
    Place(WORKLOADS, "spec/selector/matchLabels"),
    Place(("ReplicationController", "Service"), "spec/selector"),
    Place(("Job", "PodDisruptionBudget"), "spec/selector/matchLabels", create=False),
    Place(("CronJob",), "spec/jobTemplate/spec/selector/matchLabels", create=False),
    Place(("NetworkPolicy",), "spec/podSelector/matchLabels", create=False),
    Place(("NetworkPolicy",), "spec/ingress[]/from[]/podSelector/matchLabels", create=False),
    Place(("NetworkPolicy",), "spec/egress[]/to[]/podSelector/matchLabels", create=False),
    *(
        Place(SPREAD, f"{AFFINITY}/{which}/{terms}", create=False)
        for which in ("podAffinity", "podAntiAffinity")
        for terms in (PREFERRED, REQUIRED)
    ),
    Place(SPREAD, "spec/template/spec/topologySpreadConstraints[]/labelSelector/matchLabels", create=False),
)


def own_labels(context: Context, objects: list[Manifest]) -> list[Manifest]:
    """Put on the labels that only the operator's own objects carry."""
    for rule in (*context.component.labels, *context.settings.labels):
        if rule.scope is Scope.OPERATOR:
            objects = [m if m.id.kind in UNLABELLED else label(m, rule) for m in objects]
    return objects


def overlay_labels(context: Context) -> list[LabelRule]:
    """Return the label rules for all objects; one that another covers is left out."""
    rules = [r for r in (*context.component.labels, *context.settings.labels) if r.scope is Scope.ALL]
    return [rule for rule in rules if not any(_covers(other, rule) for other in rules if other is not rule)]


def _covers(strong: LabelRule, weak: LabelRule) -> bool:
    return strong.pairs.items() >= weak.pairs.items() and _reach(strong) > _reach(weak)


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


def label(manifest: Manifest, rule: LabelRule) -> Manifest:
    """Put the labels of a rule on one object, and into what it selects by."""
    kind, body = manifest.id.kind, manifest.body
    places = [
        *(TEMPLATES if rule.selectors or rule.templates else ()),
        *(SELECTORS if rule.selectors else ()),
    ]
    paths: list[Path] = []
    body = _put(body, ["metadata", "labels"], rule.pairs, True, (), paths)
    for place in places:
        if kind in place.kinds:
            body = _put(body, place.path.split("/"), rule.pairs, place.create, (), paths)
    made = (
        Source(path=(*path, key), rule="labels", origin=rule.origin.at("pairs", key))
        for path in paths
        for key in rule.pairs
    )
    return manifest.with_(body, *made)


def _put(value: Json, way: list[str], pairs: JsonObject, create: bool, here: Path, paths: list[Path]) -> Json:
    """Return a value with pairs merged into the maps at the end of the way; only the way is copied.

    What is no map stays as it is, for the schemas to tell.
    """
    if not isinstance(value, dict):
        return value
    if not way:
        paths.append(here)
        return dict(sorted({**value, **pairs}.items()))
    key, rest = way[0].removesuffix("[]"), way[1:]
    inner = value.get(key)
    if way[0].endswith("[]"):
        if not isinstance(inner, list):
            return value
        items = [_put(item, rest, pairs, create, (*here, key, i), paths) for i, item in enumerate(inner)]
        return {**value, key: items}
    if inner is None:
        if not create:
            return value
        inner = {}
    return {**value, key: _put(inner, rest, pairs, create, (*here, key), paths)}
