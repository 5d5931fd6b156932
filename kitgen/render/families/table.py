"""Families: from what a spec says under one key to the objects it stands for. None imports another.

A new one is a module with a `FAMILY`, its row here and its part of schemas/component.json.
"""

from kitgen.render.families import (
    access_roles,
    accounts,
    bindings,
    config,
    deployment,
    objects,
    params,
    roles,
    services,
    webhooks,
)
from kitgen.render.family import Family

FAMILIES: tuple[Family, ...] = (
    objects.NAMESPACES,
    accounts.FAMILY,
    accounts.MORE_ACCOUNTS,
    roles.ELECTIONS,
    roles.FAMILY,
    access_roles.FAMILY,
    bindings.FAMILY,
    config.FAMILY,
    services.FAMILY,
    deployment.FAMILY,
    objects.FAMILY,
    webhooks.FAMILY,
    params.FAMILY,
)
"""In the order in which a cluster should get them: who, what they may, what they run, who calls it."""
