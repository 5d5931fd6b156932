"""Apply label rules to the same fields as kustomize's `labels`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from kitgen.findings import Cause, CauseKind
from kitgen.kit.model import LabelRule
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.render.kustomize.field_paths import find_values, replace_values


class FieldSpec(Struct, frozen=True):
    """A map of labels in objects of some kinds; steps through a list end in []."""

    kinds: tuple[str, ...]
    path: str
    create: bool = True
    """Make the map where there is none."""


WORKLOADS = ("DaemonSet", "Deployment", "ReplicaSet", "StatefulSet")
TEMPLATES = (
    FieldSpec((*WORKLOADS, "Job", "ReplicationController"), "spec/template/metadata/labels"),
    FieldSpec(("StatefulSet",), "spec/volumeClaimTemplates[]/metadata/labels"),
    FieldSpec(("CronJob",), "spec/jobTemplate/metadata/labels"),
    FieldSpec(("CronJob",), "spec/jobTemplate/spec/template/metadata/labels"),
)
SPREAD = ("Deployment", "StatefulSet")
AFFINITY = "spec/template/spec/affinity"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution[]/podAffinityTerm/labelSelector/matchLabels"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution[]/labelSelector/matchLabels"
SELECTORS = (
    FieldSpec(WORKLOADS, "spec/selector/matchLabels"),
    FieldSpec(("ReplicationController", "Service"), "spec/selector"),
    FieldSpec(("Job", "PodDisruptionBudget"), "spec/selector/matchLabels", create=False),
    FieldSpec(("CronJob",), "spec/jobTemplate/spec/selector/matchLabels", create=False),
    FieldSpec(("NetworkPolicy",), "spec/podSelector/matchLabels", create=False),
    FieldSpec(("NetworkPolicy",), "spec/ingress[]/from[]/podSelector/matchLabels", create=False),
    FieldSpec(("NetworkPolicy",), "spec/egress[]/to[]/podSelector/matchLabels", create=False),
    *(
        FieldSpec(SPREAD, f"{AFFINITY}/{which}/{terms}", create=False)
        for which in ("podAffinity", "podAntiAffinity")
        for terms in (PREFERRED, REQUIRED)
    ),
    FieldSpec(
        SPREAD, "spec/template/spec/topologySpreadConstraints[]/labelSelector/matchLabels", create=False
    ),
)


def apply_labels(manifest: Manifest, rules: Sequence[LabelRule]) -> Manifest:
    """Put the labels of rules on one object, and into what it selects by.

    What is no map stays as it is, for the schemas to tell.
    """
    body, sources = manifest.body, list[FieldSource]()
    for spec, reaching in _select_field_specs(manifest.id.kind, rules):
        pairs = {key: value for rule in reaching for key, value in rule.pairs.items()}
        reached = {
            path: dict(sorted({**(value or {}), **pairs}.items()))
            for path, value in find_values(body, spec.path, create=spec.create)
            if value is None or isinstance(value, dict)
        }
        body = replace_values(body, reached)
        sources += [
            FieldSource(path=(*path, key), cause=Cause(CauseKind.LABELS), origin=rule.origin.at("pairs", key))
            for path in reached
            for rule in reaching
            for key in rule.pairs
        ]
    return manifest.replace_body(body, *sources)


def _select_field_specs(
    kind: str, rules: Sequence[LabelRule]
) -> Iterator[tuple[FieldSpec, Sequence[LabelRule]]]:
    """Yield where an object of a kind has labels, with the rules that reach there."""
    yield FieldSpec((kind,), "metadata/labels"), rules
    templates = [each for each in rules if each.selectors or each.templates]
    for specs, reaching in ((TEMPLATES, templates), (SELECTORS, [each for each in rules if each.selectors])):
        if reaching:
            yield from ((spec, reaching) for spec in specs if kind in spec.kinds)
