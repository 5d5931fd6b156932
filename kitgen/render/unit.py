"""Compile one component for one target, or for the base that targets share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from kitgen.findings import Finding
from kitgen.kit.model import Component, LabelRule
from kitgen.kube.manifest import Manifest
from kitgen.render.addresses import check_listen_addresses
from kitgen.render.context import ComputedValue, RenderContext
from kitgen.render.families.params import build_params
from kitgen.render.families.table import get_families
from kitgen.render.family import Family, Objects
from kitgen.render.kustomize.namespace import rename_references
from kitgen.render.labels import (
    apply_operator_labels,
    check_label_conflicts,
    check_object_namespaces,
    check_subject_namespaces,
    check_unlabelled_patches,
    finalize_objects,
    find_unlabelled,
    select_overlay_labels,
)
from kitgen.render.parameters import Params
from kitgen.render.patches import apply_patches
from kitgen.render.role_labels import label_roles
from kitgen.render.size import limit_objects
from kitgen.render.withheld_permissions import withhold_permissions

if TYPE_CHECKING:
    from kitgen.render.overlays.base import BaseFolders


class Unit(Struct, frozen=True, kw_only=True):
    """One component as a target has it."""

    context: RenderContext
    crds: tuple[Manifest, ...]
    """The CRDs that stand beside it, as the base holds them."""
    with_crds: tuple[Component, ...]
    """Whose they are."""
    labels: tuple[LabelRule, ...]
    """What an overlay puts on all objects."""
    changed_crds: tuple[tuple[Manifest, Manifest], ...]
    """Those that features and patches change: as the base holds them, and as they are here."""
    spared: frozenset[str]
    """Those that it takes the labels off again, as patches call them."""
    assembled: tuple[Manifest, ...]
    """Its other objects before labels and namespace, which an overlay sets for all of them."""
    params: Params | None
    final: tuple[Manifest, ...]
    """Everything, as the cluster gets it, in the order in which it is applied."""
    findings: tuple[Finding, ...]


class Base(Struct, frozen=True, kw_only=True, dict=True):
    """One component by itself, which overlays of all targets build on."""

    context: RenderContext
    crds: tuple[Manifest, ...] = ()
    """None if it is only there for another one to build on, and that has CRDs of its own."""
    made: Mapping[str, tuple[Manifest, ...]]
    """What each family made, by its key."""
    assembled: tuple[Manifest, ...]
    """Its objects before labels and namespace."""
    parent: Base | None
    """That of the version which the component builds on, if it does."""

    @cached_property
    def folders(self) -> BaseFolders:
        """Return what overlays of all targets have of it, rendered once."""
        from kitgen.render.overlays.base import BaseFolders

        return BaseFolders(self)


def has_same_minor(component: Component, parent: Component) -> bool:
    """Return whether the CRDs of two versions have types of one minor of Kubernetes."""
    return component.minor == parent.minor


def _assemble_objects(
    resolved: RenderContext, below: Base | None
) -> tuple[RenderContext, dict[str, tuple[Manifest, ...]], ComputedValue[list[Manifest]]]:
    """Run every family over the context, and apply patches to what they make; return all three.

    What a family makes of the base, or of the version that the component builds on, is taken over where
    nothing is different.
    """
    # Who calls before what they run.
    layers = (family.layer(resolved) for family in reversed(get_families().values()))
    context = replace(resolved, additions=tuple(layer for layer in layers if layer is not None))
    made = {
        key: below.made[key] if below and _can_reuse(each, context, below) else _build_objects(each, context)
        for key, each in get_families().items()
    }
    labelled, of_labels = label_roles(
        context, apply_operator_labels(context, [*chain.from_iterable(made.values())])
    )
    less, of_less = withhold_permissions(context, labelled)
    patched, of_patches = apply_patches(context, less)
    return context, made, ComputedValue(patched, (*of_labels, *of_less, *of_patches))


def _build_objects(family: Family, context: RenderContext) -> tuple[Manifest, ...]:
    objects = limit_objects(family.objects(context))
    return tuple(objects if family.verbatim else map(context.add_prefix_source, objects))


def _can_reuse(family: Family, context: RenderContext, below: Base) -> bool:
    """Return whether a family makes the same of a component as of what is below it."""
    own, other = context.component, below.context.component
    if not family.follows or own.prefix != other.prefix:
        return False
    if own.prefix and own.origin.at("prefix") != other.origin.at("prefix"):
        return False
    return all(context.part[each] == below.context.part[each] for each in family.follows)


def compile_base(resolved: RenderContext, parent: Base | None) -> Base:
    """Make the objects of a component by itself; what is wrong with it, `compile_unit` says."""
    context, made, patched = _assemble_objects(resolved, parent)
    return Base(context=context, made=made, assembled=tuple(patched.value), parent=parent)


def compile_unit(
    resolved: ComputedValue[RenderContext],
    crds: Iterable[tuple[Manifest, Manifest]] = (),
    with_crds: tuple[Component, ...] = (),
    found: tuple[Finding, ...] = (),
    base: Base | None = None,
) -> Unit:
    """Run every family over the context and put the result together, with what was found on the way.

    CRDs come as the base holds them, and as the target's features make them. A base that is known saves work.
    """
    context, made, (assembled, of_patches) = _assemble_objects(resolved.value, base)
    objects = Objects(made=made, patched=tuple(assembled))
    pairs = tuple(crds)
    beside = tuple(plain for plain, _ in pairs)
    here, of_crds = apply_patches(context, [own for _, own in pairs], crds=True)
    parameters, of_params = build_params(context, assembled)
    findings = (
        *resolved.findings,
        *found,
        *(finding for family in get_families().values() for finding in family.problems(context, objects)),
        *of_patches,
        *of_crds,
        *check_label_conflicts(context),
        *check_unlabelled_patches(context, (*assembled, *beside)),
        *check_object_namespaces(context, assembled),
        *check_listen_addresses(context, assembled),
        *of_params,
    )
    generated = [context.add_prefix_source(parameters.to_manifest())] if parameters else []
    first = [manifest for manifest in assembled if manifest.id.kind == "Namespace"]
    rest = [manifest for manifest in assembled if manifest.id.kind != "Namespace"]
    final = finalize_objects(context, [*first, *here, *rest, *generated])
    if parameters and parameters.hashed:
        named, why = generated[0].id.name, generated[0].sources[0]
        final = rename_references(final, parameters.config_map, named, why, context.namespace)
    if parameters:
        final = [parameters.add_fill_sources(manifest) for manifest in final]
    return Unit(
        context=context,
        crds=beside,
        with_crds=with_crds,
        labels=tuple(select_overlay_labels(context)),
        changed_crds=tuple(pair for pair in zip(beside, here, strict=True) if pair[0] is not pair[1]),
        spared=find_unlabelled(context),
        assembled=tuple(assembled),
        params=parameters,
        final=tuple(final),
        findings=(*findings, *check_subject_namespaces(context, final)),
    )
