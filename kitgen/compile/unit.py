"""Compile one component for one target, or for the base that targets have in common."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from kitgen.compile.context import Context
from kitgen.compile.families import FAMILIES, Objects
from kitgen.compile.final import contradictions, final_objects, misplaced, overlay_labels, own_labels
from kitgen.compile.made import Made
from kitgen.compile.parameters import Params
from kitgen.compile.patches import apply_patches
from kitgen.compile.reached import unreached
from kitgen.findings import Finding
from kitgen.kustomize.nameref import follow_name
from kitgen.model import Component, LabelRule
from kitgen.objects import Manifest

(GENERATED,) = (family.generated for family in FAMILIES if family.generated)
"""Of one family: an overlay has one params.env."""


class Unit(Struct, frozen=True, kw_only=True):
    """One component as a target has it."""

    context: Context
    crds: tuple[Manifest, ...]
    """The CRDs that stand beside it, as the base holds them."""
    with_crds: tuple[Component, ...]
    """Whose they are."""
    labels: tuple[LabelRule, ...]
    """What an overlay puts on all objects."""
    assembled: tuple[Manifest, ...]
    """Its other objects before labels and namespace, which an overlay sets for all of them."""
    params: Params | None
    final: tuple[Manifest, ...]
    """Everything, as the cluster gets it, in the order in which it is applied."""
    findings: tuple[Finding, ...]
    parent: Unit | None = None
    """Of a base, that of the version which the component builds on."""


def compile_unit(
    resolved: Made[Context],
    crds: Iterable[Manifest] = (),
    with_crds: tuple[Component, ...] = (),
    found: tuple[Finding, ...] = (),
) -> Unit:
    """Run every family over the context and put the result together, with what was found on the way."""
    layers = (family.layer(resolved.value) for family in reversed(FAMILIES))  # who calls before what they run
    context = replace(resolved.value, additions=tuple(layer for layer in layers if layer is not None))
    made = {
        each.key: tuple(each.objects(context) if each.verbatim else map(context.named, each.objects(context)))
        for each in FAMILIES
    }
    whole = [manifest for some in made.values() for manifest in some]
    assembled, of_patches = apply_patches(context, own_labels(context, whole))
    objects = Objects(made=made, patched=tuple(assembled))
    parameters, of_params = GENERATED(context, assembled)
    findings = (
        *resolved.findings,
        *found,
        *(finding for family in FAMILIES for finding in family.problems(context, objects)),
        *of_patches,
        *contradictions(context),
        *misplaced(context, assembled),
        *unreached(context, assembled),
        *of_params,
    )
    generated = [context.named(parameters.manifest())] if parameters else []
    first = [manifest for manifest in assembled if manifest.id.kind == "Namespace"]
    rest = [manifest for manifest in assembled if manifest.id.kind != "Namespace"]
    beside = tuple(crds)
    final = final_objects(context, [*first, *beside, *rest, *generated])
    if parameters and parameters.hashed:
        final = follow_name(final, parameters.config_map, generated[0].id.name, generated[0].sources[0])
    if parameters:
        final = [parameters.filled(manifest) for manifest in final]
    return Unit(
        context=context,
        crds=beside,
        with_crds=with_crds,
        labels=tuple(overlay_labels(context)),
        assembled=tuple(assembled),
        params=parameters,
        final=tuple(final),
        findings=findings,
    )
