"""Admission in a phase: webhooks that are asked about both sides, and a policy that refuses the old one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from kitgen.kit.model.migration import Migration
from kitgen.kube.manifest import Manifest
from kitgen.migrate.phases.crds import by_crd, going, stays
from kitgen.migrate.phases.moves import Moved, Moving, ServedKind, added, words
from kitgen.migrate.phases.permissions import ANY, Resource
from kitgen.render.kustomize.field_paths import changed
from kitgen.text.yaml import Json, JsonObject

GROUP = "admissionregistration.k8s.io"
WEBHOOKS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
POLICY, BINDING = "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"
POLICY_MINOR = 30
"""The first minor of Kubernetes 1 that serves the policies as v1."""


def asked_about_both(
    migration: Migration,
    objects: Sequence[Manifest],
    ways: Mapping[Resource, Moving],
    *,
    any_path: bool = True,
) -> Iterator[Manifest]:
    """Yield objects whose webhooks are asked about the other side of what they are asked about.

    Where a webhook is asked about the other side already, whoever made the release has decided that. An
    operator that knows one side alone is not asked on the path of a kind: what answers there reads objects
    of that kind, takes those of another group for empty ones, and judges what is not there. So the other
    side has no webhook then. Of old kinds nothing is made any more, as the admission policy sees to.
    """
    asked = [rule for each in objects if _is_asked(each) for _, hook in _hooks(each) for rule in _rules(hook)]
    open_ways = {key: each for key, each in ways.items() if not _names(asked, *_sides(key, each)[1].resource)}
    for each in objects:
        made = each
        for index, hook in _hooks(each) if _is_asked(each) else ():
            rules = _rules(hook)
            some = {key: way for key, way in open_ways.items() if any_path or not _is_for(hook, key, way)}
            more = [*_counterparts(rules, some)]
            if more:
                path = ("webhooks", index, "rules")
                body = changed(made.body, path, partial(_joined, [one for one, _ in more]))
                places = ((*path, len(rules) + at) for at in range(len(more)))
                made = made.with_(body, *added(migration, more[0][1].said.origin, *places))
        yield made


def _is_asked(each: Manifest) -> bool:
    return each.id.group == GROUP and each.id.kind in WEBHOOKS


def _hooks(each: Manifest) -> Iterator[tuple[int, JsonObject]]:
    yield from enumerate(each.body.get("webhooks") or [])


def _rules(hook: JsonObject) -> list[JsonObject]:
    return list(hook.get("rules") or [])


def _sides(key: Resource, moving: Moving) -> tuple[ServedKind, ServedKind]:
    """Return the side that a way leads from, and the other one."""
    here, there = moving.old, moving.new
    return (here, there) if here.resource == key else (there, here)


def _names(rules: Iterable[JsonObject], group: str, plural: str) -> bool:
    """Tell whether rules are about a resource, or about all."""
    return any(
        {group, ANY} & {*words(rule, "apiGroups")}
        and {plural, ANY} & {each.partition("/")[0] for each in words(rule, "resources")}
        for rule in rules
    )


def _is_for(hook: JsonObject, key: Resource, moving: Moving) -> bool:
    """Tell whether the path of a webhook is that of a kind, as controller-runtime makes it."""
    client = hook.get("clientConfig") or {}
    path = str((client.get("service") or {}).get("path") or client.get("url") or "")
    name = _sides(key, moving)[0].name
    return bool(re.search(rf"-{re.escape(name.group.replace('.', '-'))}-[^-/]+-{name.kind.lower()}$", path))


def _joined(more: list[JsonObject], given: Json) -> Json:
    return [*given, *more]


def _counterparts(
    rules: Sequence[JsonObject], ways: Mapping[Resource, Moving]
) -> Iterator[tuple[JsonObject, Moving]]:
    known = [*rules]
    for rule in rules:
        for (group, plural), moving in ways.items():
            here, there = _sides((group, plural), moving)
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


def refusing(migration: Migration, objects: Iterable[Manifest], some: Moved) -> list[Manifest]:
    """Return the policy that lets nobody make resources of old kinds, if all clusters know policies."""
    if min(migration.minors) < POLICY_MINOR:
        return []
    name = f"{migration.name}-old-kinds"
    crds = {each.id: each for each in objects}
    rules = [
        {
            "apiGroups": [those[0].old.name.group],
            # Another version of the same CRD is the same kind; of one that stays, only some of them go.
            "apiVersions": [each for _, each, _ in going(those, crds[crd])] if stays(those) else [ANY],
            "operations": ["CREATE"],
            "resources": [those[0].old.plural],
        }
        for crd, those in by_crd(some).items()
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
