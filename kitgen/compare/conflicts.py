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


class _Hook(NamedTuple):
    """One rule of a webhook."""

    manifest: Manifest
    path: Path
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
    both = [name for name in owned if name in theirs]
    found = [_conflict(name, owned[name], theirs[name]) for name in both]
    same = {(name.kind, name.name) for name in both}
    hooks, others = (islice(_hooks(each), LOOKED_AT) for each in (one, other))
    found += _answered(hooks, others, same)
    return sorted(found, key=lambda each: (_rank(each.kind), each.kind, each.subject))


def _rank(kind: str) -> int:
    return RANKS.index(kind) if kind in RANKS else len(RANKS)


def _owned(manifests: Iterable[Manifest]) -> dict[ObjectId, tuple[Manifest, Path]]:
    """Return every object by what a cluster calls it; a bundle owns the CRDs that it lists too."""
    found: dict[ObjectId, tuple[Manifest, Path]] = {}
    listed: dict[ObjectId, tuple[Manifest, Path]] = {}
    for each in manifests:
        if (each.id.group, each.id.kind) == BUNDLE:
            path: Path = ("spec", "customresourcedefinitions", "owned")
            for index, entry in _entries(_at(each.body, path)):
                name = ObjectId("apiextensions.k8s.io", CRD, "", text_of(entry.get("name")))
                listed[name] = (each, (*path, index))
        if each.id.name:
            found[each.id] = (each, ())
    return {**listed, **found}


def _conflict(name: ObjectId, one: tuple[Manifest, Path], other: tuple[Manifest, Path]) -> Conflict:
    subject = f"{name} in {name.namespace}" if name.namespace else str(name)
    reason = f"{_difference(one, other)}; {REMOVED.get(name.kind, TAKEN)}"
    return Conflict(subject=subject, kind=name.kind, reason=reason, places=(one, other))


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


def _answered(one: Iterable[_Hook], other: Iterable[_Hook], same: set[tuple[str, str]]) -> Iterator[Conflict]:
    """Yield requests that the same program answers twice: configurations of one name are told already."""
    told: set[tuple[str, str, str]] = set()
    theirs = list(other)
    for mine in one:
        for each in theirs:
            key = (mine.type, mine.name, each.name)
            named = (mine.manifest.id.kind, mine.manifest.id.name)
            if key in told or (named in same and each.manifest.id == mine.manifest.id):
                continue
            shared = _shared(mine, each)
            if not shared:
                continue
            told.add(key)
            yield Conflict(
                subject=f"requests for {shared}",
                kind=next(kind for kind, word in HOOKS.items() if word == mine.type),
                reason=f"{mine.name} of both answers them, each for its own {mine.server}",
                places=((mine.manifest, mine.path), (each.manifest, each.path)),
            )


def _shared(one: _Hook, other: _Hook) -> str:
    """Return what requests two rules of one type have in common; empty if there are none."""
    same = (one.type, one.name, one.server) == (other.type, other.name, other.server)
    if not same or not _common(one.operations, other.operations):
        return ""
    groups, resources = _common(one.groups, other.groups), _common(one.resources, other.resources)
    return f"{groups[0] or 'core'}/{', '.join(resources)}" if groups and resources else ""


def _common(one: Words, other: Words) -> list[str]:
    """Return the words that both have; a star stands for those of the other."""
    if ANY in one or f"{ANY}/{ANY}" in one:
        return list(other)
    if ANY in other or f"{ANY}/{ANY}" in other:
        return list(one)
    return [each for each in one if each in other]


def _hooks(manifests: Iterable[Manifest]) -> Iterator[_Hook]:
    """Yield the rules of all webhooks: of configurations, and of those that OLM is to make."""
    manifests = list(manifests)
    servers = WebhookServers(manifests)
    for each in manifests:
        if each.id.kind in HOOKS:
            for index, hook in _entries(each.body.get("webhooks")):
                server = _server(servers, hook.get("clientConfig"))
                yield from _rules(each, ("webhooks", index), hook, (HOOKS[each.id.kind], "name", server))
        elif (each.id.group, each.id.kind) == BUNDLE:
            path: Path = ("spec", "webhookdefinitions")
            for index, hook in _entries(_at(each.body, path)):
                if hook.get("type") in HOOKS.values():
                    said = (str(hook["type"]), "generateName", text_of(hook.get("deploymentName")))
                    yield from _rules(each, (*path, index), hook, said)


def _server(servers: WebhookServers, config: Json) -> str:
    service = servers.service(config)
    deployment = servers.deployment(service) if service is not None else None
    if deployment is not None:
        return str(deployment["metadata"]["name"])
    return text_of(_at(config, ("service", "name")))


def _rules(manifest: Manifest, path: Path, hook: JsonObject, said: tuple[str, str, str]) -> Iterator[_Hook]:
    kind, key, server = said
    for index, rule in _entries(hook.get("rules")):
        yield _Hook(
            manifest,
            (*path, "rules", index),
            kind,
            text_of(hook.get(key)),
            server,
            _words(rule, "apiGroups"),
            _words(rule, "resources"),
            _words(rule, "operations"),
        )


def _words(rule: JsonObject, key: str) -> Words:
    found = rule.get(key)
    return dict.fromkeys(map(text_of, found)) if isinstance(found, list) else {}


def _at(body: Json, path: Path) -> Json:
    for step in path:
        body = body.get(str(step)) if isinstance(body, dict) else None
    return body


def _entries(value: Json) -> Iterator[tuple[int, JsonObject]]:
    for index, each in enumerate(value if isinstance(value, list) else ()):
        if isinstance(each, dict):
            yield index, each
