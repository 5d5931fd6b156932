"""Admission in a phase: webhooks for both kinds, and a policy that refuses the old one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from kitgen.findings import Origin
from kitgen.kit.model.migration import KindName, Migration
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.kube.rbac.rules import ALL
from kitgen.migrate.kinds import MovedKinds
from kitgen.migrate.phases.crds import build_field_sources, group_by_crd, is_kept_crd, list_removed_versions
from kitgen.migrate.phases.permissions import Counterparts
from kitgen.migrate.rules.permissions import matches_resource
from kitgen.text.values import entries_at, list_at, text_at, texts_at
from kitgen.text.yaml import JsonObject

GROUP = "admissionregistration.k8s.io"
WEBHOOKS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
POLICY, BINDING = "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"
POLICY_MINOR = 30
"""The first minor of Kubernetes 1 that serves the policies as v1."""


def list_webhook_rules(each: Manifest) -> list[JsonObject]:
    """Return all rules of the webhooks that an object configures."""
    is_asked = each.id.group == GROUP and each.id.kind in WEBHOOKS
    hooks = entries_at(each.body, "webhooks") if is_asked else []
    return [rule for _, hook in hooks for _, rule in entries_at(hook, "rules")]


def add_webhook_counterparts(
    migration: Migration, objects: Sequence[Manifest], pairs: Counterparts, *, any_path: bool = True
) -> Iterator[Manifest]:
    """Yield objects whose webhooks are called for both the old and the new kind.

    Where a webhook is asked about the other side already, whoever made the release has decided that. An
    operator that knows one side alone is not asked on the path of a kind: what answers there reads objects
    of that kind, takes those of another group for empty ones, and judges what is not there. So the other
    side has no webhook then. Of old kinds nothing is made any more, as the admission policy sees to.
    """
    asked = [rule for each in objects for rule in list_webhook_rules(each)]
    open_pairs = {
        key: pair
        for key, pair in pairs.items()
        if not any(matches_resource(rule, *pair.there.group_resource, parts=True) for rule in asked)
    }
    for each in objects:
        hooks, sources = (
            list_at(each.body, "webhooks") if list_webhook_rules(each) else [],
            list[FieldSource](),
        )
        for index, hook in enumerate(hooks):
            rules = list_at(hook, "rules")
            some = {
                k: pair
                for k, pair in open_pairs.items()
                if any_path or not _is_path_of_kind(hook, pair.here.name)
            }
            if more := [*_build_counterpart_rules(rules, some)]:
                fresh = [*rules, *(rule for rule, _ in more)]
                hooks = [*hooks[:index], {**hook, "rules": fresh}, *hooks[index + 1 :]]
                places = (("webhooks", index, "rules", at) for at in range(len(rules), len(fresh)))
                sources += build_field_sources(migration, more[0][1], *places)
        yield each.replace_body({**each.body, "webhooks": hooks}, *sources) if sources else each


def _is_path_of_kind(hook: JsonObject, name: KindName) -> bool:
    """Return whether the path of a webhook is that of a kind, as controller-runtime makes it."""
    path = text_at(hook, "clientConfig", "service", "path") or text_at(hook, "clientConfig", "url")
    return bool(re.search(rf"-{re.escape(name.group.replace('.', '-'))}-[^-/]+-{name.kind.lower()}$", path))


def _build_counterpart_rules(
    rules: Sequence[JsonObject], pairs: Counterparts
) -> Iterator[tuple[JsonObject, Origin]]:
    known = [*rules]
    for rule in rules:
        for (group, plural), (here, there, origin) in pairs.items():
            named = [each for each in texts_at(rule, "resources") if each.partition("/")[0] == plural]
            if group not in texts_at(rule, "apiGroups") or not named:
                continue
            fresh = {
                **rule,
                "apiGroups": [there.name.group],
                "apiVersions": [there.name.version],
                "resources": [there.plural + each[len(plural) :] for each in named],
            }
            if fresh not in known and here.group_resource != there.group_resource:
                known.append(fresh)
                yield fresh, origin


def build_admission_policy(
    migration: Migration, objects: Iterable[Manifest], some: MovedKinds
) -> list[Manifest]:
    """Return the policy that refuses new resources of old kinds, if all clusters support policies."""
    if min(migration.minors) < POLICY_MINOR:
        return []
    name = policy_name(migration)
    crds = {each.id: each for each in objects}
    rules = [
        {
            "apiGroups": [those[0].before.group],
            # Another version of the same CRD is the same kind; of one that stays, only some of them go.
            "apiVersions": [each for _, each, _ in list_removed_versions(those, crds[crd])]
            if is_kept_crd(those)
            else [ALL],
            "operations": ["CREATE"],
            "resources": [those[0].old.plural],
        }
        for crd, those in group_by_crd(some).items()
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
            sources=tuple(build_field_sources(migration, migration.origin.at("kinds"), ())),
        )
        for kind, spec in specs.items()
    ]


def policy_name(migration: Migration) -> str:
    """Return the name of the policy, and of its binding."""
    return f"{migration.name}-old-kinds"
