"""Hold the objects of every target to what they say of each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from kitgen.check.context import Context, Hit
from kitgen.check.references import (
    accounts,
    budgets,
    called,
    certificates,
    classes,
    configuration,
    files,
    gateways,
    ingress,
    monitors,
    namespaces,
    parts,
    placeholders,
    policies,
    probes,
    queues,
    scaling,
    scopes,
    secrets,
    selectors,
    services,
    spreading,
    variables,
    webhooks,
)
from kitgen.check.references.scene import Found, Scene

Look: TypeAlias = Callable[[Scene], Iterator[Found]]
LOOKS: tuple[Look, ...] = (
    services.look,
    selectors.look,
    budgets.look,
    spreading.look,
    monitors.look,
    policies.look,
    ingress.look,
    probes.look,
    parts.look,
    called.look,
    certificates.look,
    gateways.look,
    accounts.look,
    configuration.look,
    files.look,
    secrets.look,
    queues.look,
    scaling.look,
    classes.look,
    scopes.look,
    placeholders.look,
    variables.look,
    namespaces.look,
    webhooks.look,
)


def check(context: Context) -> Iterator[Hit]:
    """Yield what does not fit together, and what is named and is not there."""
    for target in context.targets:
        scene = Scene(context, target)
        for look in LOOKS:
            for manifest, problem in look(scene):
                yield Hit(target, manifest, problem)
