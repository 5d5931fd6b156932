"""Check the CEL expressions of every object, including the rules in schemas of CRDs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kitgen.check.cel.rules import to_problems
from kitgen.check.context import CheckContext, CheckHit
from kitgen.crd.definition import is_crd
from kitgen.crd.validate.rules import Effort, EffortExceededError
from kitgen.findings import make_problem
from kitgen.kube.manifest import Manifest
from kitgen.text.values import entries_at, map_at, value_at
from kitgen.text.yaml import Json

if TYPE_CHECKING:
    from kitgen.cel.compile import RuleFault
    from kitgen.cel.run.values import Take

SCHEMA, STATUS = ("schema", "openAPIV3Schema"), ("properties", "status")


def check_crd_rules(spec: Json, take: Take) -> Iterator[RuleFault]:
    """Yield what is wrong with the rules of the versions of a CRD."""
    from kitgen.cel.types import has_rules

    for index, version in entries_at(spec, "versions"):
        schema = value_at(version, *SCHEMA)
        if not has_rules(schema):
            continue
        from kitgen.cel.compile import check_schema_rules

        for fault in check_schema_rules(schema, take):
            # Only operators write a status, and keep it small.
            if fault.kind != "unbounded" or fault.path[:2] != STATUS:
                yield fault.below("spec", "versions", index, *SCHEMA)


ADMISSION, DEVICES = "admissionregistration.k8s.io", "resource.k8s.io"
WEBHOOKS = ("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration")
POLICIES = ("ValidatingAdmissionPolicy", "MutatingAdmissionPolicy")


def check(context: CheckContext) -> Iterator[CheckHit]:
    """Yield what is wrong with expressions; those of a CRD stand in many targets with the same spec."""
    known: dict[int, tuple[Json, list[RuleFault]]] = {}
    take = Effort().take
    for target, manifest in context.list_objects():
        try:
            if is_crd(manifest.body):
                spec = manifest.body.get("spec")
                if id(spec) not in known:
                    # The spec is kept beside the result so that its identity is not given to another one.
                    known[id(spec)] = (spec, list(check_crd_rules(spec, take)))
                found = known[id(spec)][1]
            else:
                found = list(_check_manifest(context, manifest, take))
        except EffortExceededError:
            message = "compiling the CEL expressions takes too many steps, and the rest was not looked at"
            yield CheckHit(
                target, manifest, make_problem("effort-limit", message, hint="check fewer objects at a time")
            )
            return
        if found:
            minors = context.minors_of(target, manifest)
            yield from (CheckHit(target, manifest, wrong) for wrong in to_problems(found, minors))


def _check_manifest(context: CheckContext, manifest: Manifest, take: Take) -> Iterator[RuleFault]:
    group, kind = manifest.id.group, manifest.id.kind
    hooks = manifest.body if group == ADMISSION and kind in WEBHOOKS else {}
    asked = any(hook.get("matchConditions") for _, hook in entries_at(hooks, "webhooks"))
    if not asked and not (group == ADMISSION and kind in POLICIES) and group != DEVICES:
        return
    from kitgen.check.cel import policies

    if asked:
        yield from policies.check_webhooks(manifest.body, take)
    elif group == ADMISSION:
        found = policies.check_policy(map_at(manifest.body, "spec"), take)
        yield from (each.below("spec") for each in found)
    else:
        for path, mapping in context.list_mappings(manifest):
            yield from (each.below(*path) for each in policies.check_device_selectors(mapping, take))
