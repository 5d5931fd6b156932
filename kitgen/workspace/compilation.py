"""Compile and check what a source names: a target, one of its components, or a component by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from pkgutil import resolve_name
from typing import TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from kitgen.check.table import OF_PLACEMENTS
from kitgen.findings import Finding, Severity
from kitgen.findings.errors import UsageError
from kitgen.kit.model import Component, Kit, Release, Target
from kitgen.kube.manifest import Manifest
from kitgen.render.placement import Placement, build_placement
from kitgen.workspace.checks import NOWHERE, TargetBaseline, check_objects
from kitgen.workspace.kit import OpenedKit, get_by_name
from kitgen.workspace.sources import SourceKind, SourceName, component_of

PlacementCheck: TypeAlias = Callable[[Kit, Placement, Component], Iterable[Finding]]


class BuiltObjects(Struct, frozen=True, kw_only=True):
    """The final objects of a source, and what was found on the way."""

    root: Path
    objects: tuple[Manifest, ...]
    crds: tuple[Manifest, ...] = ()
    """Those of the release, beside those among the objects; some without schemas, which no object needs."""
    ranges: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """Id of a body → the minors of Kubernetes that the object is for, where they are not the kit's."""
    findings: tuple[Finding, ...]
    release: Release | None = None
    """The one that a target was compiled in."""
    component: Component | None = None
    """The one that was asked for, if it was one."""
    placement: Placement | None = None
    """What the target does with the release, if it is of one."""


def compile_source(
    opened: OpenedKit, name: SourceName, *, checked: bool = True, others: Mapping[str, str] | None = None
) -> BuiltObjects:
    """Compile a target or one of its components, or a component by itself with its CRDs.

    Nothing is checked; what is not going to be has no need of the CRDs beside it. `others` are versions of
    other components than the one that is named, which a component by itself carries.
    """
    from kitgen.render.placement import find_object_minors, find_plan_minors

    if name.kind is SourceKind.COMPONENT:
        component = component_of(opened, name)
        base = opened.session.compile_alone(component)
        objects = (*base.final, *_list_carried_crds(opened, component, others or {}))
        ranges, found = find_object_minors(opened.kit, None, [component], objects), base.findings
        return BuiltObjects(
            root=opened.root, objects=objects, ranges=ranges, findings=found, component=component
        )
    own = {name.component: name.component_version} if name.component_version else {}
    placement = build_target_placement(
        opened, opened.target(name.name), {**own, **(others or {})}, name.version
    )
    target = placement.target
    only, carried, wanted = placement.overlay_components, [], None
    if name.component:
        wanted = opened.component(placement, name.component)
        if placement.carrier_of(wanted) is not wanted:
            only, carried = [], opened.session.compile_labelled_crds(placement, wanted)
        elif (settings := placement.settings_for(wanted)).is_managed:
            only = [wanted]
        else:
            state = f"its managementState is {settings.state}"
            raise UsageError(f"{target.name} does not render {wanted.name}: {state}")
    expanded = [wanted] if wanted else placement.components
    plan = opened.session.compile_objects(placement, only, expanded if checked else None)
    objects = (*carried, *(each for unit in plan.units for each in unit.final))
    ranges = find_plan_minors(opened.kit, plan) | find_object_minors(opened.kit, plan.release, [], carried)
    return BuiltObjects(
        root=opened.root,
        objects=objects,
        crds=plan.crds,
        ranges=ranges,
        findings=plan.findings,
        release=plan.release,
        component=wanted,
        placement=placement,
    )


def _list_carried_crds(
    opened: OpenedKit, component: Component, versions: Mapping[str, str]
) -> tuple[Manifest, ...]:
    """Return the CRDs of other components as one that carries them brings them."""
    from kitgen.render.labels import finalize_objects

    found = [
        each
        for name, version in versions.items()
        for each in opened.session.expand_crds(opened.kit.components[name][version]).value
    ]
    return tuple(finalize_objects(opened.session.context_for(component).value, found))


def build_target_placement(
    opened: OpenedKit, target: Target, versions: Mapping[str, str], release: str | None = None
) -> Placement:
    """Return what a target does with a release, with some components in other versions."""
    found = opened.release(target, release)
    for name, version in versions.items():
        get_by_name(get_by_name(opened.kit.components, "component", name), f"version of {name}", version)
    target = replace(target, overrides={**target.overrides, **dict.fromkeys(versions, ())})
    return build_placement(opened.kit, target, replace(found, components={**found.components, **versions}))


def check_built_objects(
    opened: OpenedKit,
    who: str,
    made: BuiltObjects,
    minors: tuple[int, ...] = (),
    before: Mapping[str, TargetBaseline] = NOWHERE,
) -> list[Finding]:
    """Return what is wrong with what was compiled of a target, or of a component by itself.

    An image of another version than its component is an error of a release, and a warning here.
    """
    ranges = {(who, body): each for body, each in made.ranges.items()}
    found = check_objects(opened, {who: made.objects}, made.crds, made.findings, minors, ranges, before)
    return [*found, *(replace(each, graded=Severity.WARNING) for each in _check_placement(opened, made))]


def _check_placement(opened: OpenedKit, made: BuiltObjects) -> Iterator[Finding]:
    if (placement := made.placement) is not None:
        checks: list[PlacementCheck] = [resolve_name(row) for row in OF_PLACEMENTS]
        for component in [made.component] if made.component else placement.managed_components:
            yield from (finding for each in checks for finding in each(opened.kit, placement, component))
