"""Final objects straight from compile."""

from __future__ import annotations

from kitgen.emit import Plan
from kitgen.errors import UsageError
from kitgen.objects import Manifest
from kitgen.pipeline.checks import check_plans
from kitgen.pipeline.opened import Opened, stop_on_errors


def build(opened: Opened, target: str, component: str | None, release: str | None) -> list[Manifest]:
    """Return the final objects of a target or of one of its components, straight from compile."""
    chosen = opened.target(target)
    pinned = opened.release(chosen, release)
    if component is None:
        units = opened.session.units(chosen, pinned)
    else:
        wanted = opened.component(pinned, component)
        if opened.session.holder(chosen, pinned, wanted) is not wanted:
            stop_on_errors(opened.session.crds(wanted).findings, opened.root)
            return opened.session.labelled_crds(chosen, pinned, wanted)
        units = [opened.session.unit(chosen, pinned, wanted)]
        if not units[0].context.settings.managed:
            state = units[0].context.settings.state
            raise UsageError(f"{target} does not render {component}: its managementState is {state}")
    plan = Plan(target=chosen, release=pinned, units=tuple(units))
    stop_on_errors(check_plans(opened, [plan]), opened.root)
    return [manifest for unit in units for manifest in unit.final]
