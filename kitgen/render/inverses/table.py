"""Inverses: from the objects of a real tree to what a spec says. Each stands beside its family, by name.

They are no part of a family's module, since only an import needs them.
"""

from kitgen.render.inverses import (
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
from kitgen.render.inverses.inverse import Inverse

INVERSES: tuple[Inverse, ...] = (
    objects.CRDS,
    accounts.INVERSE,
    accounts.MORE_ACCOUNTS,
    roles.ELECTIONS,
    access_roles.INVERSE,
    roles.INVERSE,
    bindings.INVERSE,
    config.INVERSE,
    webhooks.INVERSE,
    services.INVERSE,
    deployment.INVERSE,
    params.INVERSE,
    objects.INVERSE,
)
"""In the order in which they take objects: first what others refer to, and what is told apart most surely."""
