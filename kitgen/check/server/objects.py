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
from kitgen.crd.definition import is_crd
from kitgen.kube.definitions import Kind, list_kinds
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


def _has_unset_namespaces(context: CheckContext, target: str) -> bool:
    """Return whether somebody else says where the objects of a target go."""
    return bool(target) and any(
        not each.id.namespace and is_namespaced(each.id.group, each.id.kind)
        for each in context.targets[target]
    )


def check(context: CheckContext) -> Iterator[CheckHit]:
    """Yield what an API server would refuse, as the newest minor of the range has it."""
    of_crds, is_placed_later = crd_schemas.CrdSchemaProblems(), cache(partial(_has_unset_namespaces, context))
    for target, manifest in context.list_objects():
        minors = context.minors_of(target, manifest)
        body = manifest.body
        kind = Kind(*split_api_version(str(body.get("apiVersion", ""))), str(body.get("kind", "")))
        if not is_kubernetes_group(kind.group, minors):
            found = embedded.check_embedded(
                context.list_mappings(manifest), kind.group, minors, _compile_validators(minors[-1])
            )
            yield from (
                CheckHit(target, manifest, classify_problem(each, manifest.id, minors)) for each in found
            )
            continue
        if not (served := find_serving_minors(kind, minors)):
            continue  # schemas tell of it
        name = list_kinds(served[-1])[kind]
        if is_crd(body):
            yield from (CheckHit(target, manifest, problem) for problem in of_crds.check(body))
        body = walk.replace_nulls(body, name, served[-1])
        yield from (
            CheckHit(target, manifest, problem) for problem in metadata.check(body, kind.group, kind.kind)
        )
        if (kind.group, kind.kind) == CLUSTER_BINDING and not is_placed_later(target):
            yield from (
                CheckHit(target, manifest, problem) for problem in rbac.check_subject_namespaces(body)
            )
        heard = partial(classify_builtin_problem, kind=kind.kind, minor=served[-1])
        whole = workloads.add_claim_volumes(body)
        for problem in walk.check_object(whole, name, served[-1], _compile_validators(served[-1]), heard):
            if not pod_templates.is_dropped_field(problem.path, served[-1]):
                yield CheckHit(
                    target, manifest, selectors.blame_template(body, workloads.blame_claim(body, problem))
                )


@cache
def _compile_validators(minor: int) -> Validators:
    return compile_rules(pod_templates.rules_of_minor(RULES, minor))
