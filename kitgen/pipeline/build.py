"""Final objects straight from compile."""

from __future__ import annotations

from kitgen.compile import place
from kitgen.errors import UsageError
from kitgen.objects import Manifest
from kitgen.pipeline.checks import check_plans
from kitgen.pipeline.opened import Opened, stop_on_errors


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
