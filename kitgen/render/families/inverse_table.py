"""Inverses: from the objects of a real tree to what a spec says. Each stands beside its family, by name.

They are no part of a family's module, since only an import needs them.
"""

from kitgen.render.families import (
    access_roles_inverse,
    accounts_inverse,
    bindings_inverse,
    config_inverse,
    deployment_inverse,
    objects_inverse,
    params_inverse,
    roles_inverse,
    services_inverse,
    webhooks_inverse,
)
from kitgen.render.inverse import Inverse

INVERSES: tuple[Inverse, ...] = (
    objects_inverse.CRDS,
    accounts_inverse.INVERSE,
    accounts_inverse.MORE_ACCOUNTS,
    roles_inverse.ELECTIONS,
    access_roles_inverse.INVERSE,
    roles_inverse.INVERSE,
    bindings_inverse.INVERSE,
    config_inverse.INVERSE,
    webhooks_inverse.INVERSE,
    services_inverse.INVERSE,
    deployment_inverse.INVERSE,
    params_inverse.INVERSE,
    objects_inverse.INVERSE,
)
"""In the order in which they take objects: first what others refer to, and what is told apart most surely."""
