"""Strip from CRDs what their component adds on rendering: labels, and the names of its Services.

CRDs built by kustomize carry common labels, and the prefix and namespace in the name of the conversion
Service. A component declares those once; in a declaration they would be repeated, for one target.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct, field

from kitgen.crd import declaration as conversions
from kitgen.crd.declaration import SERVICE, ServiceNaming
from kitgen.findings import Problem, make_problem
from kitgen.text.values import map_at
from kitgen.text.yaml import JsonObject

PLACEHOLDER = "system"
"""The namespace that kubebuilder writes where kustomize is to put the real one."""
NEW = ("the new component.yaml",)
Pair = tuple[str, str]


class CrdMetadata(Struct, frozen=True, kw_only=True):
    """What a component puts on its CRDs."""

    home: ServiceNaming = conversions.NOWHERE
    """Where its Services are; nowhere if that is not known."""
    labels: Mapping[Pair, tuple[str, ...]] = field(default_factory=dict)
    """Each label that it gives, and the files that say so."""
    namespaces: frozenset[str] = frozenset()
    """Where it runs, in any target."""
    services: frozenset[str] = frozenset()
    """The names of the Services that it makes, in any target."""


class StrippedCrds(Struct, frozen=True, kw_only=True):
    """CRDs without what the component puts on, and what that was."""

    bodies: tuple[JsonObject, ...]
    labels: Mapping[Pair, tuple[str, ...]]
    """The labels that were taken out, and the files that give them again."""
    services: Mapping[str, str]
    """The converting Services that were named otherwise, and what each is now."""
    problems: tuple[Problem, ...]
    """What people should look at, each below the name of its CRD."""


def strip_component_metadata(bodies: Sequence[JsonObject], surroundings: CrdMetadata) -> StrippedCrds:
    """Return CRDs without the labels, the prefix and the namespace that their component gives."""
    unlabelled = [_strip_labels(body, surroundings) for body in bodies]
    moved = [_redirect_conversion(body, surroundings) for body, _ in unlabelled]
    return StrippedCrds(
        bodies=tuple(body for body, _ in moved),
        labels=dict(sorted((pair, who) for _, gone in unlabelled for pair, who in gone.items())),
        services={before: now for _, renamed in moved for before, now in renamed.items()},
        problems=tuple(wrong for body, _ in moved for wrong in _check_metadata(body, surroundings)),
    )


def _strip_labels(
    body: JsonObject, surroundings: CrdMetadata
) -> tuple[JsonObject, dict[Pair, tuple[str, ...]]]:
    labels = map_at(body, "metadata", "labels")
    gone = {pair: who for pair, who in surroundings.labels.items() if labels.get(pair[0]) == pair[1]}
    rest = {key: value for key, value in labels.items() if (key, value) not in gone}
    above = {key: value for key, value in body["metadata"].items() if key != "labels"}
    bare = {**body, "metadata": {**above, **({"labels": rest} if rest else {})}}
    return (bare if gone else body), gone


def _redirect_conversion(body: JsonObject, surroundings: CrdMetadata) -> tuple[JsonObject, dict[str, str]]:
    """Return a CRD whose conversion calls the component's Service where the component is."""
    conversion = body["spec"].get("conversion")
    service = conversions.service_of(conversion)
    if not isinstance(service.get("name"), str) or not surroundings.home.namespace:
        return body, {}
    meant = {
        **service,
        "name": _resolve_service_name(service, surroundings),
        "namespace": surroundings.home.namespace,
    }
    if meant == service or not _is_component_service(service, meant["name"], surroundings):
        return body, {}
    client = {**conversion["webhook"]["clientConfig"], "service": meant}
    made = {**conversion, "webhook": {**conversion["webhook"], "clientConfig": client}}
    shown = [f"{each.get('namespace', '')}/{each['name']}" for each in (service, meant)]
    return {**body, "spec": {**body["spec"], "conversion": made}}, {shown[0]: shown[1]}


def _resolve_service_name(service: JsonObject, surroundings: CrdMetadata) -> str:
    """Return what the component calls a Service; one that kustomize has yet to name has no prefix."""
    name = str(service["name"])
    full = surroundings.home.prefix + name
    unnamed = name == SERVICE and service.get("namespace") in (None, PLACEHOLDER)
    return full if name not in surroundings.services and (full in surroundings.services or unnamed) else name


def _is_component_service(service: JsonObject, name: str, surroundings: CrdMetadata) -> bool:
    """Return whether a Service is the component's: it makes one of that name, or runs where that one is."""
    places = {surroundings.home.namespace, *surroundings.namespaces, PLACEHOLDER, None}
    near = name.startswith(surroundings.home.prefix) and service.get("namespace") in places
    return near or name in surroundings.services


def _check_metadata(body: JsonObject, surroundings: CrdMetadata) -> Iterator[Problem]:
    """Yield what the component cannot be trusted to put on again."""
    crd, home = str(body["metadata"]["name"]), surroundings.home
    name = conversions.service_of(body["spec"].get("conversion")).get("name")
    if isinstance(name, str) and home.namespace and name not in surroundings.services:
        yield make_problem(
            "crd-service",
            f"found a conversion by the Service {name!r}, which the component does not make",
            (crd, "spec", "conversion", "webhook", "clientConfig", "service", "name"),
            "add webhooks or services to component.yaml, or correct its prefix",
        )
    places = tuple(f"{each}/" for each in {home.namespace, *surroundings.namespaces} if each)
    yield from (
        make_problem(
            "crd-namespace",
            f"found the annotation {key!r} that names a namespace, which stays as it is in every target",
            (crd, "metadata", "annotations", key),
            "a target that runs elsewhere needs another one",
        )
        for key, value in map_at(body, "metadata", "annotations").items()
        if isinstance(value, str) and value.startswith(places)
    )


def label_pairs(body: JsonObject) -> set[Pair]:
    """Return the labels of an object."""
    labels = map_at(body, "metadata", "labels")
    return {(key, value) for key, value in labels.items() if isinstance(value, str)}


def guess_metadata(bodies: Sequence[JsonObject], others: Sequence[JsonObject], component: str) -> CrdMetadata:
    """Return what all objects of a new component have in common: it is said once, in component.yaml."""
    carried = [label_pairs(body) for body in (*bodies, *others)]
    # One object alone has nothing in common with others.
    labels = sorted(set.intersection(*carried)) if len(carried) > 1 else []
    services = [conversions.service_of(body["spec"].get("conversion")) for body in bodies]
    called = {(str(each.get("name")), str(each.get("namespace"))) for each in services if each}
    home = ServiceNaming(namespace=component)  # where a component runs that does not say more
    if len(called) == 1:
        ((name, namespace),) = called
        prefix = name.removesuffix(SERVICE) if name.endswith(f"-{SERVICE}") else ""
        home = ServiceNaming(
            prefix=prefix, namespace=component if namespace in (PLACEHOLDER, "None") else namespace
        )
    return CrdMetadata(home=home, labels=dict.fromkeys(labels, NEW))
