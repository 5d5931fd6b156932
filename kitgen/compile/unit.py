"""Compile one component for one target, or for the base that targets have in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from kitgen.compile.context import Context
from kitgen.compile.families import FAMILIES, Family, Objects
from kitgen.compile.final import contradictions, final_objects, misplaced, overlay_labels, own_labels
from kitgen.compile.made import Made
from kitgen.compile.parameters import Params
from kitgen.compile.patches import apply_patches
from kitgen.compile.reached import unreached
from kitgen.compile.watching import Reads, unchanged, watched
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

    @property
    def own(self) -> Iterator[Manifest]:
        """Yield the objects that are made for this unit."""
        return iter(self.assembled)


class Step(NamedTuple):
    """What a family made of a component by itself, with its own labels, and what it read for that."""

    made: tuple[Manifest, ...]
    reads: Reads


class Base(Struct, frozen=True, kw_only=True):
    """One component by itself, which overlays of all targets build on."""

    context: Context
    crds: tuple[Manifest, ...]
    assembled: tuple[Manifest, ...]
    """Its objects before labels and namespace."""
    parent: Base | None
    """That of the version which the component builds on, if it does."""
    steps: Mapping[str, Step]
    """What each family made, by its key; a version that builds on this one uses it again where it can."""

    @property
    def own(self) -> Iterator[Manifest]:
        """Yield the objects that are not just those of the parent."""
        there = {id(each) for each in self.parent.assembled} if self.parent else set()
        return (each for each in self.assembled if id(each) not in there)


class _Assembly(NamedTuple):
    context: Context
    made: dict[str, tuple[Manifest, ...]]
    patched: Made[list[Manifest]]


def _assemble(resolved: Context) -> _Assembly:
    """Run every family over the context, and apply patches to what they make."""
    context = _with_additions(resolved)
    made = {each.key: _made(each, context, context) for each in FAMILIES}
    whole = [manifest for some in made.values() for manifest in some]
    return _Assembly(context, made, apply_patches(context, own_labels(context, whole)))


def _with_additions(resolved: Context) -> Context:
    layers = (family.layer(resolved) for family in reversed(FAMILIES))  # who calls before what they run
    return replace(resolved, additions=tuple(layer for layer in layers if layer is not None))


def _made(family: Family, context: Context, read: Context) -> tuple[Manifest, ...]:
    made = family.objects(read)
    return tuple(made if family.verbatim else map(context.named, made))


def compile_base(resolved: Context, crds: tuple[Manifest, ...], parent: Base | None) -> Base:
    """Make the objects of a component by itself; what is wrong with it, `compile_unit` says.

    What a family read of the version that it builds on, and finds unchanged, it need not make again.
    """
    context = _with_additions(resolved)
    known = parent.steps if parent and _called_alike(context, parent.context) else {}
    steps = {each.key: _step(each, context, known.get(each.key)) for each in FAMILIES}
    whole = [manifest for step in steps.values() for manifest in step.made]
    patched = apply_patches(context, whole).value
    return Base(context=context, crds=crds, assembled=tuple(patched), parent=parent, steps=steps)


def _called_alike(context: Context, other: Context) -> bool:
    """Tell whether objects of two versions get the same prefix and labels, from the same places."""
    one, two = context.component, other.component
    if (one.prefix, one.labels) != (two.prefix, two.labels):
        return False
    return not one.prefix or one.origin.at("prefix") == two.origin.at("prefix")


def _step(family: Family, context: Context, known: Step | None) -> Step:
    if known is not None and unchanged(known.reads, context):
        return known
    read, reads = watched(context)
    made = _made(family, context, read)
    return Step(tuple(own_labels(context, list(made))), reads)


def compile_unit(
    resolved: Made[Context],
    crds: Iterable[Manifest] = (),
    with_crds: tuple[Component, ...] = (),
    found: tuple[Finding, ...] = (),
) -> Unit:
    """Run every family over the context and put the result together, with what was found on the way."""
    context, made, (assembled, of_patches) = _assemble(resolved.value)
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
