"""Check every object of Kubernetes' own kinds with the rules of the API server beyond its schema."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial

from kitgen.check.context import CheckContext, CheckHit
from kitgen.check.schemas.catalog import find_serving_minors, is_kubernetes_group
from kitgen.check.schemas.embedded import classify_builtin_problem, classify_problem
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
from kitgen.check.views import Minors, ObjectView
from kitgen.crd.definition import is_crd
from kitgen.findings import Problem
from kitgen.kube.definitions import list_kinds
from kitgen.kube.identity import RBAC, is_namespaced

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


def _has_unset_namespaces(context: CheckContext, target: str) -> bool:
    """Return whether somebody else says where the objects of a target go."""
    return bool(target) and any(
        not each.id.namespace and is_namespaced(each.id.group, each.id.kind)
        for each in context.targets[target]
    )


def check(context: CheckContext) -> Iterator[CheckHit]:
    """Yield what an API server would refuse, as the newest minor of the range has it."""
    yield from context.check_each(_check_object)
    is_placed_later = cache(partial(_has_unset_namespaces, context))
    for target, manifest in context.list_objects():
        is_binding = (manifest.id.group, manifest.id.kind) == CLUSTER_BINDING
        served = is_binding and find_serving_minors(
            context.get_view(target, manifest).kind, context.minors_of(target, manifest)
        )
        if served and not is_placed_later(target):
            found = rbac.check_subject_namespaces(manifest.body)
            yield from (CheckHit(target, manifest, problem) for problem in found)


def _check_object(each: ObjectView, minors: Minors) -> Iterator[Problem]:
    kind = each.kind
    if not is_kubernetes_group(kind.group, minors):
        found = embedded.check_embedded(each.mappings, kind.group, minors, _compile_validators(minors[-1]))
        yield from (classify_problem(problem, each.id, minors) for problem in found)
        return
    if not (served := find_serving_minors(kind, minors)):
        return  # schemas tell of it
    newest = served[-1]
    name = list_kinds(newest)[kind]
    if is_whole := is_crd(each.body):
        yield from each.crds.get(crd_schemas.check_crd_schemas, each.body, each.crds)
    # To look through all schemas of a CRD would take longer.
    body = walk.replace_nulls(each.body, name, newest) if is_whole or each.has_nulls else each.body
    yield from metadata.check(body, kind.group, kind.kind)
    heard = partial(classify_builtin_problem, kind=kind.kind, minor=newest)
    whole = workloads.add_claim_volumes(body)
    for problem in walk.check_object(whole, name, newest, _compile_validators(newest), heard):
        if not pod_templates.is_dropped_field(problem.path, newest):
            yield selectors.blame_template(body, workloads.blame_claim(body, problem))


@cache
def _compile_validators(minor: int) -> Validators:
    return compile_rules(pod_templates.rules_of_minor(RULES, minor))
