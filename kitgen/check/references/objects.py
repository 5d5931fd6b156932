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
    services.check_services,
    selectors.check_selectors,
    scaling.check_disruption_budgets,
    monitors.check_monitors,
    network_policies.check_policy_rules,
    network_policies.check_blocked_ports,
    probes.check_probe_ports,
    containers.check_container_names,
    service_calls.check_service_calls,
    certificates.check_certificates,
    accounts.check_accounts,
    configuration.check_configuration,
    mounted_files.check_mounted_files,
    scaling.check_scale_targets,
    named_objects.check_named_objects,
    namespaces.check_namespace_scopes,
    placeholders.check_placeholders,
    containers.check_variables,
    namespaces.check_hardcoded_namespaces,
    webhooks.check_webhooks,
)


def check(context: CheckContext) -> Iterator[CheckHit]:
    """Yield what does not fit together, and what is named and is not there."""
    for target in context.targets:
        scene = TargetObjects(context, target)
        for look in LOOKS:
            yield from (CheckHit(target, manifest, problem) for manifest, problem in look(scene))
