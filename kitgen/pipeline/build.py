"""What `kitgen build` does: final objects straight from compile."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from kitgen.compile import Placement, place
from kitgen.compile.ranges import plan_ranges, ranges_of
from kitgen.errors import UsageError
from kitgen.findings import Finding, near
from kitgen.model import Component
from kitgen.objects import Manifest
from kitgen.pipeline.opened import Opened, known, require
from kitgen.pipeline.sources import (
    FORMS,
    Kind,
    Kits,
    SourceName,
    component_of,
    in_revision,
    located,
    parse_source,
)


class BuildRequest(Struct, frozen=True, kw_only=True):
    """What to build; component and release may stand in the source or beside it."""

    root: Path | None = None
    source: str
    component: str = ""
    release: str = ""


class Built(Struct, frozen=True, kw_only=True):
    """The final objects of a source, and what was found on the way."""

    root: Path
    objects: tuple[Manifest, ...]
    crds: tuple[Manifest, ...] = ()
    """Those that custom resources are held to, beside those among the objects."""
    ranges: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """Id of a body → the minors of Kubernetes that the object is for, where they are not the kit's."""
    findings: tuple[Finding, ...]
    component: Component | None = None
    """The one that was asked for, if it was one."""


def build(request: BuildRequest) -> Built:
    """Return the final objects of a target or of one of its components, or a component's own."""
    from kitgen.pipeline.checks import check_objects  # those that compile without a check need none

    kits = Kits(request.root)
    name = kits.resolve(parse_source(request.source), paths=False)
    for value, own in ((request.component, name.component), (request.release, name.version)):
        if value and (own or name.kind is not Kind.TARGET):
            raise UsageError(f"{name} takes no {value!r} beside it", hint=f"expected {FORMS[Kind.TARGET]}")
    if name.kind not in (Kind.TARGET, Kind.COMPONENT):
        hint = f"expected {FORMS[Kind.TARGET]}, or {FORMS[Kind.COMPONENT]}"
        raise UsageError(f"{name} is neither a target nor a component", hint=hint)
    if name.kind is Kind.TARGET:
        component, release = name.component or request.component, name.version or request.release
        name = replace(name, component=component, version=release)
    opened = kits.at(name.revision)
    with in_revision(opened):
        made = compiled(opened, name)
        findings = list(made.findings)
        if name.kind is Kind.TARGET:  # what a component lacks by itself a target may give
            ranges = {(name.name, body): each for body, each in made.ranges.items()}
            findings = check_objects(opened, {name.name: made.objects}, made.crds, findings, (), ranges)
        findings = opened.judged(findings)
        require(findings, opened.root)
    return replace(made, findings=tuple(located(findings, opened)))


def compiled(opened: Opened, name: SourceName, *, checked: bool = True) -> Built:
    """Compile a target or one of its components, or a component by itself with its CRDs.

    Nothing is checked; what is not going to be has no need of the CRDs beside it.
    """
    if name.kind is Kind.COMPONENT:
        component = component_of(opened, name)
        base = opened.session.alone(component)
        findings, objects = base.findings, base.final
        ranges = ranges_of(opened.kit, None, [component], objects)
        return Built(root=opened.root, objects=objects, ranges=ranges, findings=findings, component=component)
    placement = _placement(opened, name)
    target = placement.target
    only, carried, wanted = placement.units, [], None
    if name.component:
        wanted = opened.component(placement, name.component)
        if placement.carrier(wanted) is not wanted:
            only, carried = [], opened.session.labelled_crds(placement, wanted)
        elif (settings := placement.settings(wanted)).managed:
            only = [wanted]
        else:
            state = f"its managementState is {settings.state}"
            raise UsageError(f"{target.name} does not render {wanted.name}: {state}")
    plan = opened.session.objects(placement, only, checked=checked)
    objects = (*carried, *(each for unit in plan.units for each in unit.final))
    ranges = plan_ranges(opened.kit, plan) | ranges_of(opened.kit, plan.release, [], carried)
    return Built(
        root=opened.root,
        objects=objects,
        crds=plan.crds,
        ranges=ranges,
        findings=plan.findings,
        component=wanted,
    )


def _placement(opened: Opened, name: SourceName) -> Placement:
    """Return what a target does with a release; the pinned one may have a component in another version.

    A release comes first if it builds the component: many have the number of some component's version.
    """
    kit, target = opened.kit, opened.target(name.name)
    own, named = name.component in kit.versions, kit.releases.get(name.version)
    if (
        own
        and name.version in kit.components.get(name.component, {})
        and not (named and name.component in named.components)
    ):
        release = opened.release(target, None)
        target = replace(target, overrides={**target.overrides, name.component: ()})
        release = replace(release, components={**release.components, name.component: name.version})
        return place(kit, target, release)
    if own and name.version and name.version not in kit.release_names:
        known_versions = kit.versions[name.component]
        hint = near(name.version, [*kit.release_names, *known_versions]) or known(known_versions)
        raise UsageError(
            f"no release and no version of {name.component} {name.version!r} in this kit", hint=hint
        )
    return place(kit, target, opened.release(target, name.version))
