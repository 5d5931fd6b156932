"""Inverses: from the objects of a real tree to what a spec says. Each stands beside its family, by name.

They are no part of a family's module, since only an import needs them.
"""

from kitgen.compile.families.inverse import (
    access_roles,
    accounts,
    bindings,
    config,
    crds,
    deployment,
    elections,
    more_accounts,
    objects,
    params,
    roles,
    services,
    webhooks,
)
from kitgen.compile.inverse import Inverse

INVERSES: tuple[Inverse, ...] = (
    crds.INVERSE,
    accounts.INVERSE,
    more_accounts.INVERSE,
    elections.INVERSE,
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
