"""Hold the objects of every target to what they say of each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from kitgen.check.context import Context, Hit
from kitgen.check.references import (
    accounts,
    called,
    classes,
    configuration,
    monitors,
    placeholders,
    probes,
    scaling,
    scopes,
    selectors,
    services,
    variables,
)
from kitgen.check.references.scene import Found, Scene

Look: TypeAlias = Callable[[Scene], Iterator[Found]]
LOOKS: tuple[Look, ...] = (
    services.look,
    selectors.look,
    monitors.look,
    probes.look,
    called.look,
    accounts.look,
    configuration.look,
    scaling.look,
    classes.look,
    scopes.look,
    placeholders.look,
    variables.look,
)


def check(context: Context) -> Iterator[Hit]:
    """Yield what does not fit together, and what is named and is not there."""
    for target in context.targets:
        scene = Scene(context, target)
        for look in LOOKS:
            for manifest, problem in look(scene):
                yield Hit(target, manifest, problem)
