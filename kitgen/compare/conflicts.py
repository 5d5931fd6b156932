"""What two things would both own on one cluster, and why that does not go well."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from kitgen.compare.objects.compare import compare_objects
from kitgen.compare.objects.difference import ObjectPlace
from kitgen.findings import Path
from kitgen.kube.identity import ObjectId
from kitgen.kube.manifest import Manifest
from kitgen.kube.services import WebhookServers
from kitgen.report.text import object_name
from kitgen.text.values import entries_at, list_at, value_at
from kitgen.text.wording import choice, text_of
from kitgen.text.yaml import Json, JsonObject

CRD = "CustomResourceDefinition"
HOOKS = {
    "MutatingWebhookConfiguration": "MutatingAdmissionWebhook",
    "ValidatingWebhookConfiguration": "ValidatingAdmissionWebhook",
}
BUNDLE = ("operators.coreos.com", "ClusterServiceVersion")
BINDINGS = ("ClusterRoleBinding", "RoleBinding")
ROLES = ("ClusterRole", "Role")
ANY = "*"
SERVICE, ROLE = "service", "role"
METADATA = {"annotations", "labels"}
TOPICS: tuple[tuple[Collection[str], tuple[str, ...], str], ...] = (
    ((CRD,), ("versions", "schema"), "schema"),
    ((CRD,), ("conversion",), "conversion"),
    ((CRD,), ("versions",), "versions"),
    (tuple(HOOKS), ("clientConfig", "caBundle"), "certificate"),
    (tuple(HOOKS), ("clientConfig",), SERVICE),
    (tuple(HOOKS), ("webhooks",), "webhooks"),
    (ROLES, ("rules",), "permissions"),
    (BINDINGS, ("subjects",), "subjects"),
    (BINDINGS, ("roleRef",), ROLE),
    (("SecurityContextConstraints",), ("users",), "accounts"),
    (("SecurityContextConstraints",), ("groups",), "accounts"),
)
"""Kinds, steps on the way to a place → what it is about; the first that fits counts."""
TAKEN = "whichever is removed takes it from the other"
REMOVED = {
    CRD: "whichever is removed takes all its custom resources along",
    "Namespace": "whichever is removed takes everything in it along",
}
"""Kind → what becomes of it when one of both is removed."""
MOST = 4
LOOKED_AT = 500
"""How many rules of webhooks are held against those of the other; the largest operators have fifty."""
RANKS = (CRD, *HOOKS, "SecurityContextConstraints", *ROLES, *BINDINGS)
"""Kinds whose conflicts are worst, the worst first."""


class Conflict(Struct, frozen=True, kw_only=True):
    """One thing that both sides would own."""

    subject: str
    """An object, or requests."""
    kind: str
    reason: str
    places: tuple[tuple[Manifest, Path], tuple[Manifest, Path]]
    """Where each side says it."""


Words: TypeAlias = dict[str, None]
"""Words in their order, each once."""


class _HookRule(NamedTuple):
    """One rule of a webhook."""

    place: tuple[Manifest, Path]
    type: str
    name: str
    server: str
    """The Deployment that answers, or the Service if none is known."""
    groups: Words
    resources: Words
    operations: Words


def conflicts(one: Sequence[Manifest], other: Sequence[Manifest]) -> list[Conflict]:
    """Return what two things would both own, worst first."""
    owned, theirs = _owned(one), _owned(other)
    found = [_conflict(name, owned[name], theirs[name]) for name in owned if name in theirs]
    found += _answered(islice(_hook_rules(one), LOOKED_AT), islice(_hook_rules(other), LOOKED_AT))
    ranks = {kind: rank for rank, kind in enumerate(RANKS)}
    return sorted(found, key=lambda each: (ranks.get(each.kind, len(ranks)), each.kind, each.subject))


def _owned(manifests: Iterable[Manifest]) -> dict[ObjectId, tuple[Manifest, Path]]:
    """Return every object by what a cluster calls it; a bundle owns the CRDs that it lists too."""
    path = ("spec", "customresourcedefinitions", "owned")
    listed = {
        ObjectId("apiextensions.k8s.io", CRD, "", text_of(entry.get("name"))): (each, (*path, index))
        for each in manifests
        if (each.id.group, each.id.kind) == BUNDLE
        for index, entry in entries_at(each.body, *path)
    }
    return {**listed, **{each.id: (each, ()) for each in manifests if each.id.name}}


def _conflict(name: ObjectId, one: tuple[Manifest, Path], other: tuple[Manifest, Path]) -> Conflict:
    reason = f"{_difference(one, other)}; {REMOVED.get(name.kind, TAKEN)}"
    return Conflict(subject=object_name(name), kind=name.kind, reason=reason, places=(one, other))


def _difference(one: tuple[Manifest, Path], other: tuple[Manifest, Path]) -> str:
    """Say in what two forms of an object differ."""
    (mine, listed), (its, also_listed) = one, other
    if listed or also_listed:
        return "both own it, and one lists it without its content"
    if mine.body == its.body:
        return "identical; both own it"
    found = (each.spot for each in compare_objects(mine.body, its.body) if not each.equal)
    topics = list(dict.fromkeys(_topic(mine.id, each) for each in found))
    said = choice(topics, last="and", most=MOST)
    if not set(topics) - METADATA:
        return f"identical but for {said if topics else 'wording'}; both own it"
    if mine.id.kind in HOOKS and SERVICE in topics:
        return f"they differ in {said}, and requests reach the service of whichever wrote last"
    if mine.id.kind in BINDINGS and ROLE in topics:
        return f"they differ in {said}, and whichever comes second is refused: a binding keeps its role"
    return f"they differ in {said}, and each writes its own over the other's"


def _topic(name: ObjectId, spot: ObjectPlace) -> str:
    """Return what a place of an object is about: a word for some kinds, or else the field."""
    path = [str(step) for step in spot.path]
    if path[:1] == ["metadata"]:
        return path[1] if len(path) > 1 else path[0]
    for kinds, steps, word in TOPICS:
        if name.kind in kinds and all(step in path for step in steps):
            return word
    return spot.field


def _answered(one: Iterable[_HookRule], other: Iterable[_HookRule]) -> Iterator[Conflict]:
    """Yield requests that the same program answers twice: configurations of one name are told already."""
    told: set[tuple[str, str]] = set()
    theirs = list(other)
    for mine in one:
        for each in theirs:
            same = mine.place[0].id == each.place[0].id
            if (mine.type, mine.name) in told or same or not (shared := _shared(mine, each)):
                continue
            told.add((mine.type, mine.name))
            yield Conflict(
                subject=f"requests for {shared}",
                kind=next(kind for kind, word in HOOKS.items() if word == mine.type),
                reason=f"{mine.name} of both answers them, each for its own {mine.server}",
                places=(mine.place, each.place),
            )


def _shared(one: _HookRule, other: _HookRule) -> str:
    """Return what requests two rules of one webhook have in common; empty if there are none."""
    same = (one.type, one.name, one.server) == (other.type, other.name, other.server)
    if not same or not _common(one.operations, other.operations):
        return ""
    groups, resources = _common(one.groups, other.groups), _common(one.resources, other.resources)
    return f"{groups[0] or 'core'}/{', '.join(resources)}" if groups and resources else ""


def _common(one: Words, other: Words) -> list[str]:
    """Return the words that both have; a star stands for those of the other."""
    if {ANY, f"{ANY}/{ANY}"} & one.keys():
        return list(other)
    wide = bool({ANY, f"{ANY}/{ANY}"} & other.keys())
    return [each for each in one if wide or each in other]


def _hook_rules(manifests: Sequence[Manifest]) -> Iterator[_HookRule]:
    """Yield the rules of all webhooks: of configurations, and of those that OLM is to make."""
    servers = WebhookServers(manifests)
    for each in manifests:
        if each.id.kind in HOOKS:
            for index, hook in entries_at(each.body, "webhooks"):
                server = _server(servers, hook.get("clientConfig"))
                named = (HOOKS[each.id.kind], text_of(hook.get("name")), server)
                yield from _rules((each, ("webhooks", index)), hook, named)
        elif (each.id.group, each.id.kind) == BUNDLE:
            for index, hook in entries_at(each.body, "spec", "webhookdefinitions"):
                if hook.get("type") in HOOKS.values():
                    server = text_of(hook.get("deploymentName"))
                    named = (str(hook["type"]), text_of(hook.get("generateName")), server)
                    yield from _rules((each, ("spec", "webhookdefinitions", index)), hook, named)


def _server(servers: WebhookServers, config: Json) -> str:
    service = servers.service(config)
    deployment = servers.deployment(service) if service is not None else None
    if deployment is not None:
        return str(deployment["metadata"]["name"])
    return text_of(value_at(config, "service", "name"))


def _rules(
    place: tuple[Manifest, Path], hook: JsonObject, named: tuple[str, str, str]
) -> Iterator[_HookRule]:
    manifest, path = place
    for index, rule in entries_at(hook, "rules"):
        words = (
            dict.fromkeys(map(text_of, list_at(rule, key)))
            for key in ("apiGroups", "resources", "operations")
        )
        yield _HookRule((manifest, (*path, "rules", index)), *named, *words)
