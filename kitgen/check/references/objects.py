"""Check the objects of every target against each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from kitgen.check.context import CheckContext, CheckHit
from kitgen.check.references import (
    accounts,
    certificates,
    configuration,
    containers,
    monitors,
    mounted_files,
    named_objects,
    namespaces,
    network_policies,
    placeholders,
    probes,
    scaling,
    selectors,
    service_calls,
    services,
    webhooks,
)
from kitgen.check.references.target_objects import Found, TargetObjects

Look: TypeAlias = Callable[[TargetObjects], Iterator[Found]]
LOOKS: tuple[Look, ...] = (
    services.look,
    selectors.look,
    scaling.look_budgets,
    monitors.look,
    network_policies.look_policies,
    network_policies.look,
    probes.look,
    containers.look,
    service_calls.look,
    certificates.look,
    accounts.look,
    configuration.look,
    mounted_files.look,
    scaling.look,
    named_objects.look,
    namespaces.look_scopes,
    placeholders.look,
    containers.look_variables,
    namespaces.look,
    webhooks.look,
)


def check(context: CheckContext) -> Iterator[CheckHit]:
    """Yield what does not fit together, and what is named and is not there."""
    for target in context.targets:
        scene = TargetObjects(context, target)
        for look in LOOKS:
            yield from (CheckHit(target, manifest, problem) for manifest, problem in look(scene))
