"""Family of permissions: roles with the readable shorthand, each bound to the operator or another account."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from kitgen.compile.context import Context
from kitgen.compile.family import Family, Objects
from kitgen.compile.layers import Touch, fold, source
from kitgen.compile.rbac import (
    NONE,
    OPERATOR,
    role_binding,
    subject,
    subject_sources,
    unbound,
    unknown_account,
)
from kitgen.compile.withholding import WITHHELD, left_of, missing, takes_from, through_wildcard
from kitgen.findings import Chapter, Finding, Rule, near
from kitgen.model import Item
from kitgen.objects import RBAC, Manifest, Source
from kitgen.yamlio import JsonObject

ROLE_URL = Rule(
    id="role-url",
    chapter=Chapter.TARGET,
    checks="Only roles that are not namespaced permit URLs. Kubernetes refuses them in others.",
    fix="Move the URL to a role that is not namespaced.",
)

WITHHOLD_NOTHING = Rule(
    id="withhold-nothing",
    chapter=Chapter.TARGET,
    checks="What a target withholds is granted by a role of the component, and not by way of a `*`.",
    fix="Name what the role grants, or remove it.",
)

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


def roles(context: Context) -> Iterator[Manifest]:
    """Make each role and its binding to a service account."""
    for item in context.part["roles"]:
        folded = fold(item.layers)
        data = folded.data
        scope = "" if data.get("namespaced") else "Cluster"
        name = context.name(item.name)
        meta: JsonObject = {"name": name}
        if data.get("labels"):
            meta["labels"] = data["labels"]
        rules, sources = _withheld(context, item, *_rules(item))
        body = {"apiVersion": f"{RBAC}/v1", "kind": f"{scope}Role", "metadata": meta, "rules": rules}
        whole = source(folded.touches[0], (), "roles")
        yield Manifest(body=body, sources=(whole, *sources))
        if (account := data.get("bind", OPERATOR)) != NONE:
            bound = data.get("binding") or f"{item.name}binding"
            to = f"{scope}Role", name
            body = role_binding(f"{scope}RoleBinding", context.name(bound), to, [subject(context, account)])
            said = folded.exact(("bind",))
            whom = subject_sources(context, account, said, ("subjects", 0), "roles")
            yield Manifest(body=body, sources=(whole, *whom))


def problems(context: Context, _: Objects) -> Iterator[Finding]:
    """Yield a finding for roles of nobody, and for URLs in a role of one namespace: they are refused."""
    yield from unbound(context, "roles")
    yield from _not_granted(context)
    for item in context.part["roles"]:
        whole = fold(item.layers)
        yield from unknown_account(context, whole.data.get("bind", OPERATOR), whole.exact(("bind",)).origin)
        for layer in item.layers if whole.data.get("namespaced") else ():
            for key in layer.data.get("permissions", {}):
                if key.startswith("/"):
                    message = f"found the URL {key!r} in a namespaced role, expected resources only"
                    at = layer.origin.at("permissions", key)
                    hint = "put it into a role that is not namespaced"
                    yield ROLE_URL(message, hint=hint).at(at)


def _withheld(
    context: Context, item: Item, rules: list[JsonObject], sources: list[Source]
) -> tuple[list[JsonObject], list[Source]]:
    """Take from a role what the target withholds, and say why."""
    for withheld in (each for each in context.settings.withheld if each.role in ("", item.name)):
        for key, verbs in withheld.permissions.items():
            gone, made = permission(key, verbs), list[tuple[JsonObject, Source]]()
            for rule, old in zip(rules, sources, strict=True):
                hit = takes_from(gone, rule)
                cause = {"cause": WITHHELD, "why": withheld.why, "origin": withheld.origin, "asked": None}
                new = replace(old, **cause) if hit else old
                made += [(each, new) for each in left_of(rule, gone)]
            rules = [rule for rule, _ in made]
            sources = [replace(each, path=("rules", index)) for index, (_, each) in enumerate(made)]
    return rules, sources


def _not_granted(context: Context) -> Iterator[Finding]:
    """Yield a finding for what a target withholds and no role grants."""
    known = {item.name: _rules(item)[0] for item in context.part["roles"]}
    for withheld in context.settings.withheld:
        if withheld.role and withheld.role not in known:
            message = f"found no role {withheld.role!r} to withhold from"
            at = withheld.origin.at("role")
            yield WITHHOLD_NOTHING(message, hint=near(withheld.role, list(known))).at(at)
            continue
        rules = [rule for name, some in known.items() if withheld.role in ("", name) for rule in some]
        for key, verbs in withheld.permissions.items():
            gone, at = permission(key, verbs), withheld.origin.at("permissions", key)
            for what in missing(gone, rules):
                yield WITHHOLD_NOTHING(f"found {what}, which no role grants", hint="remove it").at(at)
            if any(through_wildcard(gone, rule) for rule in rules):
                message = f"found {key!r}, which a role grants by '*' too, so that it is not withheld"
                yield WITHHOLD_NOTHING(message, hint="write out what the role grants").at(at)


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


FAMILY = Family(key="roles", objects=roles, problems=problems)
