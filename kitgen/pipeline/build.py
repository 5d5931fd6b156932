"""What `kitgen build` does: final objects straight from compile."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from kitgen.compile import place
from kitgen.errors import UsageError
from kitgen.findings import Finding
from kitgen.model import Component
from kitgen.objects import Manifest
from kitgen.pipeline.checks import check_plans
from kitgen.pipeline.opened import Opened, stop_on_errors
from kitgen.pipeline.sources import FORMS, Kind, Kits, component_of, in_revision, parse_source


class BuildRequest(Struct, frozen=True, kw_only=True):
    """What to build; component and release may stand in the source or beside it."""

    root: Path | None = None
    source: str
    component: str = ""
    release: str = ""


def build_source(request: BuildRequest) -> list[Manifest]:
    """Return the final objects of a target or of one of its components, or a component's own."""
    kits = Kits(request.root)
    name = kits.resolve(parse_source(request.source), paths=False)
    for value, own in ((request.component, name.component), (request.release, name.version)):
        if value and (own or name.kind is not Kind.TARGET):
            raise UsageError(f"{name} takes no {value!r} beside it", hint=f"expected {FORMS[Kind.TARGET]}")
    if name.kind not in (Kind.TARGET, Kind.COMPONENT):
        hint = f"expected {FORMS[Kind.TARGET]}, or {FORMS[Kind.COMPONENT]}"
        raise UsageError(f"{name} is neither a target nor a component", hint=hint)
    opened = kits.at(name.revision)
    with in_revision(opened):
        if name.kind is Kind.TARGET:
            component, release = request.component or name.component, request.release or name.version
            return build(opened, name.name, component or None, release or None)
        made, findings = by_itself(opened, component_of(opened, name))
        stop_on_errors(findings, opened.root)
        return made


def by_itself(opened: Opened, component: Component) -> tuple[list[Manifest], list[Finding]]:
    """Return what a component consists of before a target changes it, CRDs included, and what is wrong."""
    crds, findings = opened.session.crds(component)
    base = opened.session.base(component)
    return [*crds, *base.final], [*findings, *base.findings]


def build(opened: Opened, target: str, component: str | None, release: str | None) -> list[Manifest]:
    """Return the final objects of a target or of one of its components, straight from compile."""
    chosen = opened.target(target)
    pinned = opened.release(chosen, release)
    placement = place(opened.kit, chosen, pinned)
    only = placement.units
    if component is not None:
        wanted = opened.component(pinned, component)
        if placement.carrier(wanted) is not wanted:
            stop_on_errors(opened.session.crds(wanted).findings, opened.root)
            return opened.session.labelled_crds(placement, wanted)
        if not (settings := placement.settings(wanted)).managed:
            state = settings.state
            raise UsageError(f"{target} does not render {component}: its managementState is {state}")
        only = [wanted]
    plan = opened.session.objects(placement, only)
    stop_on_errors(check_plans(opened, [plan]), opened.root)
    return [manifest for unit in plan.units for manifest in unit.final]
