"""Hold every object of Kubernetes' own kinds to what an API server asks beyond its schema."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.context import Context, Hit
from kitgen.check.schemas.catalog import is_own, serving
from kitgen.check.server import (
    admission,
    apis,
    autoscaling,
    budgets,
    config,
    crds,
    endpoints,
    flowcontrol,
    meta,
    network,
    quotas,
    rbac,
    schemas,
    selectors,
    services,
    storage,
    volumes,
    walk,
    workloads,
)
from kitgen.crds.schema.crd import is_crd
from kitgen.crds.types.names import short_name
from kitgen.kubernetes import Kind, kinds
from kitgen.objects import RBAC, is_namespaced, split_api_version

VALIDATORS: walk.Validators = {
    **admission.VALIDATORS,
    **apis.VALIDATORS,
    **autoscaling.VALIDATORS,
    **budgets.VALIDATORS,
    **config.VALIDATORS,
    **crds.VALIDATORS,
    **endpoints.VALIDATORS,
    **flowcontrol.VALIDATORS,
    **network.VALIDATORS,
    **quotas.VALIDATORS,
    **rbac.VALIDATORS,
    **selectors.VALIDATORS,
    **services.VALIDATORS,
    **storage.VALIDATORS,
    **volumes.VALIDATORS,
    **workloads.VALIDATORS,
}
OBJECTS: walk.Validators = {**storage.OBJECTS}
"""Those of whole objects, which are not asked of the like inside another."""

CLUSTER_BINDING = (RBAC, "ClusterRoleBinding")


def _is_placed_later(context: Context, target: str) -> bool:
    """Tell whether somebody else says where the objects of a target go."""
    return bool(target) and any(
        not each.id.namespace and is_namespaced(each.id.group, each.id.kind)
        for each in context.targets[target]
    )


def check(context: Context) -> Iterator[Hit]:
    """Yield what an API server would refuse, as the newest minor of the range has it."""
    of_crds = schemas.Schemas()
    for target, manifest in context.objects():
        minors = context.minors_of(target, manifest)
        body = manifest.body
        kind = Kind(*split_api_version(str(body.get("apiVersion", ""))), str(body.get("kind", "")))
        if not is_own(kind.group, minors) or not (served := serving(kind, minors)):
            continue  # schemas tell of it
        name = kinds(served[-1])[kind]
        for problem in meta.check(body, kind.group, kind.kind):
            yield Hit(target, manifest, problem)
        if whole := OBJECTS.get(short_name(name)):
            yield from (Hit(target, manifest, problem) for problem in whole(body))
        if (kind.group, kind.kind) == CLUSTER_BINDING and not _is_placed_later(context, target):
            yield from (Hit(target, manifest, problem) for problem in rbac.unplaced(body))
        if is_crd(body):
            yield from (Hit(target, manifest, problem) for problem in of_crds.check(body))
        for problem in walk.problems(body, name, served[-1], VALIDATORS):
            yield Hit(target, manifest, problem)
