"""Objects that were read from a cluster, without what servers and controllers set by themselves.

What a manifest does not say and a live object has is left out if it is a default, or if somebody else than
the manifest's author always fills it in. Anything else that only the cluster has is a difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from kitgen.compare.crd_match import group_and_kind, select_valid_crds, versions_by_name
from kitgen.compare.review.controller_defaults import drop_controller_defaults, find_scaled_objects
from kitgen.compare.review.server_fields import (
    SCHEMA,
    UNSAID,
    ServerFields,
    server_fields_below,
    server_fields_for,
)
from kitgen.compare.upgrade.immutable import is_live_object
from kitgen.compare.upgrade.values import EMPTY, default_pull_policy
from kitgen.crd.definition import schema_of
from kitgen.findings import Path
from kitgen.kube.identity import ObjectId
from kitgen.kube.manifest import Manifest
from kitgen.text.values import group_pairs, list_at, map_at, value_at
from kitgen.text.wording import text_of
from kitgen.text.yaml import Json, JsonObject

META = frozenset({"annotations", "labels", "name", "namespace"})
"""Of the metadata, what manifests are about."""
NOTES = (
    "argocd.argoproj.io/tracking-id",
    "batch.kubernetes.io/job-tracking",
    "deployment.kubernetes.io/",
    "deprecated.daemonset.template.generation",
    "kubectl.kubernetes.io/",
    "kubernetes.io/service-account.uid",
    "openshift.io/",
    "platform.opendatahub.io/",
    "pv.kubernetes.io/",
    "service.alpha.openshift.io/serving-cert-signed-by",
    "service.beta.openshift.io/serving-cert-signed-by",
    "volume.beta.kubernetes.io/storage-provisioner",
    "volume.kubernetes.io/",
)
LABELS = (
    "batch.kubernetes.io/",
    "controller-uid",
    "job-name",
    "kubernetes.io/legacy-token-",
    "kubernetes.io/metadata.name",
    "olm.",
    "operators.coreos.com/",
    "platform.opendatahub.io/",
    "pod-security.kubernetes.io/audit",
    "pod-security.kubernetes.io/warn",
)
KEYS = ("name", "mountPath", "containerPort", "port", "key", "ip", "devicePath", "type")
FOLLOWING = ("imagePullPolicy", "listKind", "policyTypes", "serviceAccount", "singular", "targetPort")
"""Fields that a server takes from those beside them."""
HELD = {("", "Secret"): ("data",), ("", "ServiceAccount"): ("secrets", "imagePullSecrets")}
"""Group and kind → what controllers write into objects that say nothing of it."""


class LiveListing(Struct, frozen=True, kw_only=True):
    """What a cluster has of what a target has, and what cannot be told."""

    target: tuple[Manifest, ...]
    """The objects of kinds that were listed."""
    live: tuple[Manifest, ...]
    """Those of the cluster that the target has too, without what servers set."""
    unlisted: tuple[str, ...] = ()
    """Kinds of the target that were not listed."""
    others: int = 0
    """How many objects of the cluster the target does not have."""


def has_live_objects(objects: Iterable[Manifest]) -> bool:
    """Return whether objects were read from a cluster."""
    return any(is_live_object(each.body) for each in objects)


def strip_cluster_fields(cluster: Sequence[Manifest]) -> tuple[Manifest, ...]:
    """Return the objects of a cluster without what is never the same on another, or on another day."""
    return tuple(
        Manifest(
            body={
                key: _strip_metadata(value, None) if key == "metadata" else value
                for key, value in each.body.items()
                if key != "status"
            },
            sources=each.sources,
        )
        for each in cluster
    )


def build_live_listing(target: Sequence[Manifest], cluster: Sequence[Manifest]) -> LiveListing:
    """Return what of a target and of a cluster can be held against each other."""
    kinds = {(each.id.group, each.id.kind) for each in cluster}
    wanted = {each.id: each for each in target}
    schemas, others = _collect_schemas(target), find_scaled_objects((*target, *cluster))
    live = [
        Manifest(
            body=strip_server_fields(each.body, wanted[each.id].body, schemas, others), sources=each.sources
        )
        for each in cluster
        if each.id in wanted
    ]
    return LiveListing(
        target=tuple(each for each in target if (each.id.group, each.id.kind) in kinds),
        live=tuple(live),
        unlisted=tuple(
            sorted({each.id.kind for each in target if (each.id.group, each.id.kind) not in kinds})
        ),
        others=len(cluster) - len(live),
    )


def _collect_schemas(target: Iterable[Manifest]) -> dict[tuple[str, str, str], JsonObject]:
    """Return the schemas of custom resources by group, version and kind; misshapen CRDs say nothing."""
    return {
        (group, name, kind): schema_of(version)
        for body in select_valid_crds(target).values()
        for group, kind in [group_and_kind(body)]
        for name, version in versions_by_name(body).items()
    }


def strip_server_fields(
    live: JsonObject,
    wanted: JsonObject,
    schemas: Mapping[tuple[str, str, str], JsonObject] | None = None,
    others: frozenset[ObjectId] = frozenset(),
) -> JsonObject:
    """Return a live object without what a manifest does not say and a cluster sets by itself.

    Others decide how many pods some objects have: what these say of it does not count.
    """
    name = ObjectId.of(live)
    version = text_of(live.get("apiVersion", "")).rpartition("/")[2]
    schema = (schemas or {}).get((name.group, version, name.kind), {})
    held = HELD.get((name.group, name.kind), ())
    known = server_fields_for(name.group, name.kind)
    live = drop_controller_defaults(live, wanted, is_scaled=name in others)
    found: JsonObject = {}
    for key, value in live.items():
        if key == "metadata":
            found[key] = _strip_metadata(value, wanted.get(key))
        elif key in wanted or not (
            key == "status"
            or key in held
            or _is_server_set("", key, value, live, _find_field_schema(schema, key), known)
        ):
            found[key] = _strip_value(value, wanted.get(key), key, _find_field_schema(schema, key), known)
    if "rules" in live and value_at(wanted, "aggregationRule"):  # a controller gathers them
        gathered = {"rules": wanted["rules"]} if "rules" in wanted else {}
        found = {key: value for key, value in found.items() if key != "rules"} | gathered
    return {**found, **_select_empty_fields(wanted, live, known)}


def _strip_metadata(live: Json, wanted: Json) -> Json:
    if not isinstance(live, dict):
        return live
    said = map_at(wanted)
    found = {key: value for key, value in live.items() if key in META or key in said}
    for key, own in (("annotations", NOTES), ("labels", LABELS)):
        if isinstance(pairs := found.get(key), dict):
            mine = map_at(said, key)
            found[key] = {
                name: value for name, value in pairs.items() if name in mine or not name.startswith(own)
            }
            if not found[key] and key not in said:
                del found[key]
    return found


def _strip_value(live: Json, wanted: Json, holder: str, schema: JsonObject, known: ServerFields) -> Json:
    """Return a value without what only the cluster says and sets by itself."""
    if isinstance(live, dict):
        said = map_at(wanted)
        if holder == "metadata" and known.typed and known.defaults:
            return _strip_metadata(live, said)
        kept = {
            key: _strip_value(
                value, said.get(key), key, _find_field_schema(schema, key), server_fields_below(known, key)
            )
            for key, value in live.items()
            if said.get(key) is not None
            or not _is_server_set(holder, key, value, live, _find_field_schema(schema, key), known)
        }
        return {**kept, **_select_empty_fields(said, live, known)}
    if isinstance(live, list):
        return [
            _strip_value(each, own, holder, schema.get("items") or {}, known)
            for each, own in zip(live, _match_items(live, list_at(wanted)), strict=True)
        ]
    return live


def _select_empty_fields(wanted: JsonObject, live: JsonObject, known: ServerFields) -> JsonObject:
    """Return what a manifest says and servers leave out, since it is empty."""
    return {
        key: value
        for key, value in wanted.items()
        if live.get(key) is None
        and (value is None or (known.typed and (value in ({}, [], "") or (key in UNSAID and not value))))
    }


def _is_server_set(
    holder: str, key: str, value: Json, around: JsonObject, schema: JsonObject, known: ServerFields
) -> bool:
    """Return whether a field that no manifest says is one that clusters fill in."""
    if key in known.others or value in (None, {}, [], "") or value == schema.get("default", ...):
        return True
    if known.defaults:
        if key == "metadata":
            return not _strip_metadata(value, None)
        if key in FOLLOWING:
            return _is_derived_value(key, value, around)
    defaults = known.defaults.get(holder, {})
    if key in defaults and defaults[key] == value:
        return True
    if isinstance(value, dict):
        return all(
            _is_server_set(key, inner, item, value, _find_field_schema(schema, inner), known)
            for inner, item in value.items()
        )
    return known.typed and key in EMPTY and not value


def is_server_default(name: ObjectId, path: Path, value: Json, around: Json) -> bool:
    """Return whether a value at a place is what servers fill in there where no manifest says it."""
    known = replace(server_fields_for(name.group, name.kind), others=frozenset())
    fields = [step for step in path if isinstance(step, str)]
    if not known.defaults or len(fields) < 2 or SCHEMA in fields or value in (None, {}, [], ""):
        return False
    holder = next((step for step in reversed(path[:-1]) if isinstance(step, str)), "")
    return _is_server_set(holder, fields[-1], value, around if isinstance(around, dict) else {}, {}, known)


def _is_derived_value(key: str, value: Json, around: JsonObject) -> bool:
    """Return whether a value is the one that follows from what stands beside it."""
    kind = text_of(around.get("kind", ""))
    expected: JsonObject = {
        "imagePullPolicy": default_pull_policy(around.get("image")),
        "listKind": f"{kind}List",
        "policyTypes": ["Ingress", *(["Egress"] if around.get("egress") else [])],
        "serviceAccount": around.get("serviceAccountName"),
        "singular": kind.lower(),
        "targetPort": around.get("port"),
    }
    return bool(value == expected[key])


def _match_items(live: list[Json], wanted: list[Json]) -> Iterator[Json]:
    """Yield the item of a manifest that each live one is: by its key, or else by its place."""
    known = group_pairs((key, each) for each in wanted for key in _list_item_keys(each))
    for at, item in enumerate(live):
        alike = (known[key][0] for key in _list_item_keys(item) if len(known.get(key, ())) == 1)
        yield next(alike, wanted[at] if at < len(wanted) else None)


def _list_item_keys(item: Json) -> list[tuple[str, Json]]:
    """Return what an item of a list may be known by, the best first."""
    return [(key, value) for key in KEYS if isinstance(value := value_at(item, key), str | int | float)]


def _find_field_schema(schema: JsonObject, key: str) -> JsonObject:
    return map_at(schema, "properties", key) or map_at(schema, "additionalProperties")
