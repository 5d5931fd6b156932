"""Check the CEL expressions of every object, including the rules in schemas of CRDs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from kitgen.check.cel.rules import to_problems
from kitgen.check.context import CheckContext, CheckHit
from kitgen.check.views import ObjectView
from kitgen.crd.definition import is_crd
from kitgen.crd.validate.rules import Effort, EffortExceededError
from kitgen.findings import make_problem
from kitgen.text.values import entries_at, map_at, value_at
from kitgen.text.yaml import Json, JsonObject

if TYPE_CHECKING:
    from kitgen.cel.compile import RuleFault
    from kitgen.cel.run.values import Take

SCHEMA, STATUS = ("schema", "openAPIV3Schema"), ("properties", "status")


def check_crd_rules(spec: Json, take: Take) -> Iterator[RuleFault]:
    """Yield what is wrong with the rules of the versions of a CRD."""
    from kitgen.cel.types import find_rule_schemas

    for index, version in entries_at(spec, "versions"):
        if not (schemas := [*find_rule_schemas(value_at(version, *SCHEMA))]):
            continue
        from kitgen.cel.compile import check_schema_rules

        for fault in check_schema_rules(schemas, take):
            # Only operators write a status, and keep it small.
            if fault.kind != "unbounded" or fault.path[:2] != STATUS:
                yield fault.below("spec", "versions", index, *SCHEMA)


ADMISSION, DEVICES = "admissionregistration.k8s.io", "resource.k8s.io"
WEBHOOKS = ("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration")
POLICIES = ("ValidatingAdmissionPolicy", "MutatingAdmissionPolicy")


def check(context: CheckContext) -> Iterator[CheckHit]:
    """Yield what is wrong with expressions; those of a CRD stand in many targets with the same spec."""
    effort = Effort()
    for target, manifest in context.list_objects():
        view = context.get_view(target, manifest)
        try:
            found = view.find_with_effort(__name__, effort, partial(_list_faults, view, effort))
        except EffortExceededError:
            message = "compiling the CEL expressions takes too many steps, and the rest was not looked at"
            yield CheckHit(
                target, manifest, make_problem("effort-limit", message, hint="check fewer objects at a time")
            )
            return
        if found:
            minors = context.minors_of(target, manifest)
            yield from (CheckHit(target, manifest, wrong) for wrong in to_problems(found, minors))


def _list_faults(view: ObjectView, effort: Effort) -> list[RuleFault]:
    if not is_crd(view.body):
        return list(_check_manifest(view, effort.take))
    left = effort.left
    found, steps = view.crds.get(_list_crd_faults, view.body, effort)
    effort.take(steps - (left - effort.left))  # another CRD may have the same schemas
    return found


def _list_crd_faults(crd: JsonObject, effort: Effort) -> tuple[list[RuleFault], int]:
    """Return what is wrong with the rules of a CRD, and the steps that this took."""
    left = effort.left
    return list(check_crd_rules(crd.get("spec"), effort.take)), left - effort.left


def _check_manifest(view: ObjectView, take: Take) -> Iterator[RuleFault]:
    group, kind = view.id.group, view.id.kind
    hooks = view.body if group == ADMISSION and kind in WEBHOOKS else {}
    asked = any(hook.get("matchConditions") for _, hook in entries_at(hooks, "webhooks"))
    if not asked and not (group == ADMISSION and kind in POLICIES) and group != DEVICES:
        return
    from kitgen.check.cel import policies

    if asked:
        yield from policies.check_webhooks(view.body, take)
    elif group == ADMISSION:
        found = policies.check_policy(map_at(view.body, "spec"), take)
        yield from (each.below("spec") for each in found)
    else:
        for path, mapping in view.mappings:
            yield from (each.below(*path) for each in policies.check_device_selectors(mapping, take))
