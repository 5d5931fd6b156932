"""What two things would both own on one cluster, and why that does not go well."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice, product
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from kitgen.compare.objects.compare import compare_objects
from kitgen.compare.objects.difference import PlacedDifference
from kitgen.findings import Origin, Path
from kitgen.kube.identity import ObjectId
from kitgen.kube.manifest import Manifest
from kitgen.kube.rbac.access import BINDINGS, BUNDLED, ROLES
from kitgen.kube.services import WebhookServers
from kitgen.report.text import format_object_name
from kitgen.text.values import entries_at, list_at, value_at
from kitgen.text.wording import join_words, text_of
from kitgen.text.yaml import Json, JsonObject

CRD = "CustomResourceDefinition"
HOOKS = {
    "MutatingWebhookConfiguration": "MutatingAdmissionWebhook",
    "ValidatingWebhookConfiguration": "ValidatingAdmissionWebhook",
}
WIDE = frozenset({"*", "*/*"})
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
RANKS = (CRD, *HOOKS, "SecurityContextConstraints", *reversed(ROLES), *reversed(BINDINGS))
"""Kinds whose conflicts are worst, the worst first."""
Place: TypeAlias = tuple[Manifest, Path]
Hook: TypeAlias = tuple[str, str, str]
"""The type and the name of a webhook, and the Deployment that answers, or the Service if none is known."""
Words: TypeAlias = dict[str, None]
"""Words in their order, each once."""


class Conflict(Struct, frozen=True, kw_only=True):
    """One thing that both sides would own."""

    subject: str
    """An object, or requests."""
    kind: str
    reason: str
    places: tuple[Place, Place]
    """Where each side says it."""

    @property
    def origins(self) -> tuple[Origin, Origin]:
        """Return where the specs or manifests of each side say it."""
        (one, path), (other, where) = self.places
        return one.find_origin(path), other.find_origin(where)


class _HookRule(NamedTuple):
    """One rule of a webhook."""

    place: Place
    hook: Hook
    words: tuple[Words, ...]
    """Groups, resources and operations."""


def list_conflicts(one: Sequence[Manifest], other: Sequence[Manifest]) -> list[Conflict]:
    """Return what two things would both own, worst first."""
    theirs = _collect_owned_objects(other)
    found = [
        Conflict(
            subject=format_object_name(name),
            kind=name.kind,
            reason=f"{_describe_difference(mine, theirs[name])}; {REMOVED.get(name.kind, TAKEN)}",
            places=(mine, theirs[name]),
        )
        for name, mine in _collect_owned_objects(one).items()
        if name in theirs
    ]
    found += _find_webhook_conflicts(
        islice(_collect_hook_rules(one), LOOKED_AT), islice(_collect_hook_rules(other), LOOKED_AT)
    )
    ranks = {kind: rank for rank, kind in enumerate(RANKS)}
    return sorted(found, key=lambda each: (ranks.get(each.kind, len(ranks)), each.kind, each.subject))


def _collect_owned_objects(manifests: Iterable[Manifest]) -> dict[ObjectId, Place]:
    """Return every object by what a cluster calls it; a bundle owns the CRDs that it lists too."""
    path = ("spec", "customresourcedefinitions", "owned")
    listed = {
        ObjectId("apiextensions.k8s.io", CRD, "", text_of(entry.get("name"))): (each, (*path, index))
        for each in manifests
        if (each.id.group, each.id.kind) == BUNDLED
        for index, entry in entries_at(each.body, *path)
    }
    return {**listed, **{each.id: (each, ()) for each in manifests if each.id.name}}


def _describe_difference(one: Place, other: Place) -> str:
    """Say in what two forms of an object differ."""
    (mine, listed), (its, also_listed) = one, other
    if listed or also_listed:
        return "both own it, and one lists it without its content"
    if mine.body == its.body:
        return "identical; both own it"
    found = compare_objects(mine.body, its.body)
    topics = list(dict.fromkeys(_find_topic(mine.id, each) for each in found if not each.equal))
    said = join_words(topics, last="and", most=MOST)
    if not set(topics) - METADATA:
        return f"identical but for {said if topics else 'wording'}; both own it"
    if mine.id.kind in HOOKS and SERVICE in topics:
        return f"they differ in {said}, and requests reach the service of whichever wrote last"
    if mine.id.kind in BINDINGS and ROLE in topics:
        return f"they differ in {said}, and whichever comes second is refused: a binding keeps its role"
    return f"they differ in {said}, and each writes its own over the other's"


def _find_topic(name: ObjectId, found: PlacedDifference) -> str:
    """Return what a place of an object is about: a word for some kinds, or else the field."""
    path = [str(step) for step in found.path]
    if path[:1] == ["metadata"]:
        return path[:2][-1]
    fitting = (word for kinds, steps, word in TOPICS if name.kind in kinds and {*path}.issuperset(steps))
    return next(fitting, found.field)


def _find_webhook_conflicts(one: Iterable[_HookRule], other: Iterable[_HookRule]) -> Iterable[Conflict]:
    """Return requests that the same program answers twice: configurations of one name are told already."""
    kinds = {type_: kind for kind, type_ in HOOKS.items()}
    found: dict[tuple[str, str], Conflict] = {}
    for mine, its in product(one, other):
        type_, name, server = mine.hook
        same = mine.hook == its.hook and mine.place[0].id != its.place[0].id
        if same and (type_, name) not in found and (shared := _describe_overlap(mine.words, its.words)):
            found[type_, name] = Conflict(
                subject=f"requests for {shared}",
                kind=kinds[type_],
                reason=f"{name} of both answers them, each for its own {server}",
                places=(mine.place, its.place),
            )
    return found.values()


def _describe_overlap(one: tuple[Words, ...], other: tuple[Words, ...]) -> str:
    """Return what requests two rules have in common; empty if there are none."""
    groups, resources, operations = map(_intersect_words, one, other)
    return f"{groups[0] or 'core'}/{', '.join(resources)}" if groups and resources and operations else ""


def _intersect_words(one: Words, other: Words) -> list[str]:
    """Return the words that both have; a star stands for those of the other."""
    if WIDE & one.keys():
        return list(other)
    wide = bool(WIDE & other.keys())
    return [each for each in one if wide or each in other]


def _collect_hook_rules(manifests: Sequence[Manifest]) -> Iterator[_HookRule]:
    """Yield the rules of all webhooks: of configurations, and of those that OLM is to make."""
    servers = WebhookServers(manifests)
    for each in manifests:
        if type_ := HOOKS.get(each.id.kind):
            for index, hook in entries_at(each.body, "webhooks"):
                named = (
                    type_,
                    text_of(hook.get("name")),
                    _find_server_name(servers, hook.get("clientConfig")),
                )
                yield from _build_hook_rules((each, ("webhooks", index)), hook, named)
        elif (each.id.group, each.id.kind) == BUNDLED:
            for index, hook in entries_at(each.body, "spec", "webhookdefinitions"):
                if (type_ := str(hook.get("type"))) in HOOKS.values():
                    named = (type_, text_of(hook.get("generateName")), text_of(hook.get("deploymentName")))
                    yield from _build_hook_rules((each, ("spec", "webhookdefinitions", index)), hook, named)


def _find_server_name(servers: WebhookServers, config: Json) -> str:
    service = servers.find_service(config)
    deployment = servers.find_deployment(service) if service is not None else None
    return text_of(value_at(deployment, "metadata", "name") or value_at(config, "service", "name"))


def _build_hook_rules(place: Place, hook: JsonObject, named: Hook) -> Iterator[_HookRule]:
    manifest, path = place
    for index, rule in entries_at(hook, "rules"):
        words = (
            dict.fromkeys(map(text_of, list_at(rule, key)))
            for key in ("apiGroups", "resources", "operations")
        )
        yield _HookRule((manifest, (*path, "rules", index)), named, tuple(words))
