"""Admission in a phase: webhooks that are asked about both sides, and a policy that refuses the old one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from kitgen.compile.phases.moving import Moved, Moving, added, words
from kitgen.compile.phases.permissions import Resource
from kitgen.kustomize.ways import changed
from kitgen.model.migration import Migration
from kitgen.objects import Manifest
from kitgen.yamlio import Json, JsonObject

GROUP = "admissionregistration.k8s.io"
WEBHOOKS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
POLICY, BINDING = "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"
POLICY_MINOR = 30
"""The first minor of Kubernetes 1 that serves the policies as v1."""


def asked_about_both(
    migration: Migration, objects: Iterable[Manifest], ways: Mapping[Resource, Moving]
) -> Iterator[Manifest]:
    """Yield objects whose webhooks are asked about the other side of what they are asked about."""
    for each in objects:
        if each.id.group != GROUP or each.id.kind not in WEBHOOKS:
            yield each
            continue
        made = each
        for index, hook in enumerate(each.body.get("webhooks") or []):
            rules = hook.get("rules") or []
            more = [*_counterparts(rules, ways)]
            if more:
                path = ("webhooks", index, "rules")
                body = changed(made.body, path, partial(_joined, [one for one, _ in more]))
                places = ((*path, len(rules) + at) for at in range(len(more)))
                made = made.with_(body, *added(migration, more[0][1].said.origin, *places))
        yield made


def _joined(more: list[JsonObject], given: Json) -> Json:
    return [*given, *more]


def _counterparts(
    rules: Sequence[JsonObject], ways: Mapping[Resource, Moving]
) -> Iterator[tuple[JsonObject, Moving]]:
    known = [*rules]
    for rule in rules:
        for (group, plural), moving in ways.items():
            here, there = moving.old, moving.new
            if here.resource != (group, plural):
                here, there = there, here
            named = [each for each in words(rule, "resources") if each.partition("/")[0] == plural]
            if group not in words(rule, "apiGroups") or not named or here.resource == there.resource:
                continue
            fresh = {
                **rule,
                "apiGroups": [there.name.group],
                "apiVersions": [there.name.version],
                "resources": [there.plural + each[len(plural) :] for each in named],
            }
            if fresh not in known:
                known.append(fresh)
                yield fresh, moving


def refusing(migration: Migration, some: Moved) -> list[Manifest]:
    """Return the policy that lets nobody make resources of old kinds, if all clusters know policies."""
    if min(migration.minors) < POLICY_MINOR:
        return []
    name = f"{migration.name}-old-kinds"
    rules = [
        {
            "apiGroups": [each.name.group],
            "apiVersions": [each.name.version],
            "operations": ["CREATE"],
            "resources": [each.plural],
        }
        for each in some.old
    ]
    message = "no resource of this kind is made any more: it moved, or goes"
    validation = {"expression": "false", "message": message, "reason": "Forbidden"}
    specs: dict[str, JsonObject] = {
        POLICY: {
            "failurePolicy": "Fail",
            "matchConstraints": {"matchPolicy": "Exact", "resourceRules": rules},
            "validations": [validation],
        },
        BINDING: {"policyName": name, "validationActions": ["Deny"]},
    }
    return [
        Manifest(
            body={"apiVersion": f"{GROUP}/v1", "kind": kind, "metadata": {"name": name}, "spec": spec},
            sources=tuple(added(migration, migration.origin.at("kinds"), ())),
        )
        for kind, spec in specs.items()
    ]
