"""Families of permissions: roles with the readable shorthand, and bindings to groups."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.compile.context import Context
from kitgen.compile.layers import Touch, fold, source
from kitgen.findings import Chapter, Finding, Rule, near
from kitgen.model import Item
from kitgen.objects import Manifest, Source
from kitgen.schema.rules import REFERENCE_MISSING
from kitgen.yamlio import JsonObject

ROLE_URL = Rule(
    id="role-url",
    chapter=Chapter.TARGET,
    title="a URL in a namespaced role",
    checks="Only roles that are not namespaced permit URLs. Kubernetes refuses them in others.",
    fix="Move the URL to a role that is not namespaced.",
)


RBAC = "rbac.authorization.k8s.io"
WORDS = {
    "manage": ("create", "delete", "get", "list", "patch", "update", "watch"),
    "read": ("get", "list", "watch"),
}


def permission(key: str, verbs: str) -> JsonObject:
    """Turn `group/resource,resource[name]: verbs` into a policy rule."""
    words = dict.fromkeys(verb for word in verbs.split() for verb in WORDS.get(word, (word,)))
    if key.startswith("/"):
        return {"nonResourceURLs": [key], "verbs": list(words)}
    path, _, names = key.rstrip("]").partition("[")
    group, _, resources = path.partition("/")
    rule = {"apiGroups": ["" if group == "core" else group], "resources": resources.split(",")}
    if names:
        rule["resourceNames"] = names.split(",")
    return {**rule, "verbs": list(words)}


def roles(context: Context, findings: list[Finding]) -> Iterator[Manifest]:
    """Make each role and its binding to the operator's service account."""
    for item in context.part.roles:
        folded = fold(item.layers)
        data = folded.data
        scope = "" if data.get("namespaced") else "Cluster"
        if not scope:
            findings += _urls(item)
        name = context.name(item.name)
        meta: JsonObject = {"name": name}
        if data.get("labels"):
            meta["labels"] = data["labels"]
        rules, sources = _rules(item)
        body = {"apiVersion": f"{RBAC}/v1", "kind": f"{scope}Role", "metadata": meta, "rules": rules}
        whole = source(folded.touches[0], (), "roles")
        yield Manifest(body=body, sources=(whole, *sources))
        if data.get("bind", "operator") == "operator":
            bound = data.get("binding") or f"{item.name}binding"
            subject = {"kind": "ServiceAccount", "name": context.account}
            body = _binding(f"{scope}RoleBinding", context.name(bound), f"{scope}Role", name, [subject])
            yield Manifest(body=body, sources=(whole, *context.account_sources(("subjects", 0))))


def _urls(item: Item) -> Iterator[Finding]:
    """Yield a finding for every URL in a role of one namespace: Kubernetes refuses it there."""
    for layer in item.layers:
        for key in layer.data.get("permissions", {}):
            if key.startswith("/"):
                message = f"found the URL {key!r} in a namespaced role, expected resources only"
                at = layer.origin.at("permissions", key)
                hint = "put it into a role that is not namespaced"
                yield ROLE_URL(message, hint=hint).at(at)


def _rules(item: Item) -> tuple[list[JsonObject], list[Source]]:
    """Make one rule a line, feature after feature: what a feature adds stays apart in a diff."""
    rules: list[JsonObject] = []
    sources: list[Source] = []
    for layer in item.layers:
        for key, verbs in layer.data.get("permissions", {}).items():
            touch = Touch((), layer, ("permissions", key))
            sources.append(source(touch, ("rules", len(rules)), "roles"))
            rules.append(permission(key, verbs))
    return rules, sources


def bindings(context: Context) -> Iterator[Manifest]:
    """Bind cluster roles to groups of users."""
    for item in context.part.bindings:
        folded = fold(item.layers)
        subjects = [{"apiGroup": RBAC, "kind": "Group", "name": group} for group in folded.data["groups"]]
        role = context.name(folded.data["role"])
        body = _binding("ClusterRoleBinding", context.name(item.name), "ClusterRole", role, subjects)
        yield Manifest(body=body, sources=(source(folded.touches[0], (), "bindings"),))


def unknown_roles(context: Context, objects: list[Manifest]) -> Iterator[Finding]:
    """Yield a finding for every binding to a cluster role that the component does not make.

    Without a prefix it may be one that every cluster has, such as `view`.
    """
    known = [each.id.name for each in objects if each.id.kind == "ClusterRole"]
    for item in context.part.bindings if context.component.prefix else ():
        folded = fold(item.layers)
        role = folded.data["role"]
        if context.name(role) not in known:
            message = f"found no cluster role {context.name(role)!r}"
            hint = near(role, [name.removeprefix(context.component.prefix) for name in known])
            at = folded.exact(("role",)).origin
            yield REFERENCE_MISSING(message, hint=hint).at(at)


def _binding(kind: str, name: str, role_kind: str, role: str, subjects: list[JsonObject]) -> JsonObject:
    return {
        "apiVersion": f"{RBAC}/v1",
        "kind": kind,
        "metadata": {"name": name},
        "roleRef": {"apiGroup": RBAC, "kind": role_kind, "name": role},
        "subjects": subjects,
    }
