"""Inverses: from the objects of a real tree to what a spec says. Each stands beside its family, by name.

They are no part of a family's module, since only an import needs them.
"""

from kitgen.compile.families.inverse import config, deployment, objects, params, services, webhooks
from kitgen.compile.inverse import Inverse

INVERSES: tuple[Inverse, ...] = (
    config.INVERSE,
    webhooks.INVERSE,
    services.INVERSE,
    deployment.INVERSE,
    params.INVERSE,
    objects.INVERSE,
)
"""In the order in which they take objects: what others refer to, and what is surest, first."""
