"""Check every object of Kubernetes' own kinds with the rules of the API server beyond its schema."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial

from kitgen.check.context import CheckContext, CheckHit
from kitgen.check.schemas.catalog import is_own, serving
from kitgen.check.schemas.embedded import as_heard, as_heard_of
from kitgen.check.server import (
    admission,
    config,
    containers,
    crd_schemas,
    crds,
    cron_jobs,
    embedded,
    jobs,
    metadata,
    networking,
    pod_templates,
    pods,
    policy,
    quotas,
    rbac,
    resources,
    scheduling,
    security_contexts,
    selectors,
    services,
    volumes,
    walk,
    workloads,
)
from kitgen.check.server.rule_tables import Rules, Validators, compile_rules
from kitgen.crd.definition import is_crd
from kitgen.kube.definitions import Kind, kinds
from kitgen.kube.identity import RBAC, is_namespaced, split_api_version

RULES: Rules = {
    **admission.RULES,
    **config.RULES,
    **containers.RULES,
    **crds.RULES,
    **cron_jobs.RULES,
    **jobs.RULES,
    **networking.RULES,
    **pod_templates.RULES,
    **pods.RULES,
    **policy.RULES,
    **quotas.RULES,
    **rbac.RULES,
    **resources.RULES,
    **scheduling.RULES,
    **security_contexts.RULES,
    **selectors.RULES,
    **services.RULES,
    **volumes.RULES,
    **workloads.RULES,
}
CLUSTER_BINDING = (RBAC, "ClusterRoleBinding")


def _is_placed_later(context: CheckContext, target: str) -> bool:
    """Return whether somebody else says where the objects of a target go."""
    return bool(target) and any(
        not each.id.namespace and is_namespaced(each.id.group, each.id.kind)
        for each in context.targets[target]
    )


def check(context: CheckContext) -> Iterator[CheckHit]:
    """Yield what an API server would refuse, as the newest minor of the range has it."""
    of_crds, is_placed_later = crd_schemas.CrdSchemaProblems(), cache(partial(_is_placed_later, context))
    for target, manifest in context.objects():
        minors = context.minors_of(target, manifest)
        body = manifest.body
        kind = Kind(*split_api_version(str(body.get("apiVersion", ""))), str(body.get("kind", "")))
        if not is_own(kind.group, minors):
            found = embedded.problems(context.mappings(manifest), kind.group, minors, _validators(minors[-1]))
            yield from (CheckHit(target, manifest, as_heard_of(each, manifest.id, minors)) for each in found)
            continue
        if not (served := serving(kind, minors)):
            continue  # schemas tell of it
        name = kinds(served[-1])[kind]
        if is_crd(body):
            yield from (CheckHit(target, manifest, problem) for problem in of_crds.check(body))
        body = walk.without_nulls(body, name, served[-1])
        yield from (
            CheckHit(target, manifest, problem) for problem in metadata.check(body, kind.group, kind.kind)
        )
        if (kind.group, kind.kind) == CLUSTER_BINDING and not is_placed_later(target):
            yield from (CheckHit(target, manifest, problem) for problem in rbac.unplaced(body))
        heard = partial(as_heard, kind=kind.kind, minor=served[-1])
        whole = workloads.with_claims(body)
        for problem in walk.problems(whole, name, served[-1], _validators(served[-1]), heard):
            if not pod_templates.is_dropped(problem.path, served[-1]):
                yield CheckHit(target, manifest, selectors.blamed(body, workloads.as_written(body, problem)))


@cache
def _validators(minor: int) -> Validators:
    return compile_rules(pod_templates.rules_of_minor(RULES, minor))
