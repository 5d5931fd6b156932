"""Compare two sets of objects: matched by identity, then field by field.

What does not count, because a cluster cannot see it or it is only a wording: the order of objects and keys;
empty things in metadata; status; descriptions in CRDs and the version of their generator; the wording of
alerts; how rules are grouped; layout and comments of YAML and JSON in a ConfigMap; the hash behind the name
of a generated ConfigMap; a namespace on SecurityContextConstraints; the order of webhooks, volumes, mounts
and ports. Quantities count by their amount.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from kitgen.diff.objects.crds import compare_specs
from kitgen.diff.objects.difference import ABSENT, Difference
from kitgen.diff.objects.permissions import compare_rules
from kitgen.diff.objects.spot import Spot, Told
from kitgen.diff.objects.values import compare_texts, compare_values
from kitgen.kubernetes import minors
from kitgen.kustomize.mergekeys import Field, definition_of
from kitgen.kustomize.ways import changed, places
from kitgen.objects import ObjectId
from kitgen.yamlio import Json, JsonObject

HASHED = re.compile(r"-[bcdfghkmt2456789]{10}$")
"""How kustomize marks the name of a ConfigMap that it generates."""
GENERATOR = "controller-gen.kubebuilder.io/version"
WORDING = {"summary", "description"}
PERMISSIONS = ("clusterPermissions", "permissions")


class Comparison(Struct, frozen=True, kw_only=True):
    """What is different, and how much was compared."""

    both: int
    """How many objects both sides have."""
    differences: tuple[Difference, ...]


def same_to_a_cluster(body: JsonObject) -> ObjectId:
    """Return what an object is matched by."""
    found = ObjectId.of(body)
    if found.kind == "ConfigMap" and not found.group:
        return replace(found, name=HASHED.sub("", found.name))
    if found.kind == "SecurityContextConstraints":
        return replace(found, namespace="")
    return found


def compare(left: Iterable[JsonObject], right: Iterable[JsonObject]) -> Comparison:
    """Compare two sets of objects, each of which stands once on its side."""
    mine, other = ({same_to_a_cluster(body): body for body in side} for side in (left, right))
    found: list[Difference] = []
    for key in sorted(mine.keys() | other.keys(), key=_order):
        if key in mine and key in other:
            told = compare_objects(mine[key], other[key])
            found += [
                Difference(
                    object=ObjectId.of(mine[key]),
                    field=spot.field,
                    path=spot.path,
                    left=a,
                    right=b,
                    order=order,
                )
                for spot, a, b, order in told
            ]
        else:
            whole = ObjectId.of(mine.get(key) or other[key])
            found.append(Difference(object=whole, left=mine.get(key, ABSENT), right=other.get(key, ABSENT)))
    return Comparison(both=len(mine.keys() & other.keys()), differences=tuple(found))


def _order(key: ObjectId) -> tuple[str, str, str, str]:
    return (key.kind, key.name, key.namespace, key.group)


def compare_objects(left: JsonObject, right: JsonObject) -> Iterator[Told]:
    """Yield the differences between two states of one object."""
    spot = Spot(type=_definition(str(left.get("apiVersion")), str(left.get("kind"))))
    yield from compare_values(_metadata(left), _metadata(right), spot.below("metadata"))
    mine, other = _plain(left), _plain(right)
    match left.get("kind"):
        case "CustomResourceDefinition":
            yield from _section(mine, other, "spec", Spot(), compare_specs)
        case "Role" | "ClusterRole":
            yield from compare_rules(mine.pop("rules", None), other.pop("rules", None), spot.below("rules"))
        case "ConfigMap":
            mine, other = ({**each, "data": each.get("data") or {}} for each in (mine, other))
            yield from _section(mine, other, "data", spot, compare_texts)
        case "ClusterServiceVersion":
            yield from _permissions(mine, other)
        case "PrometheusRule":
            mine, other = _unworded(mine), _unworded(other)
    yield from compare_values(mine, other, spot)


def _section(
    left: JsonObject,
    right: JsonObject,
    key: str,
    spot: Spot,
    comparer: Callable[[JsonObject, JsonObject, Spot], Iterator[Told]],
) -> Iterator[Told]:
    """Compare a section in its own way, and take it out of both; one that is no mapping stays."""
    if isinstance(left.get(key), dict) and isinstance(right.get(key), dict):
        yield from comparer(left.pop(key), right.pop(key), spot.below(key))


def _plain(body: JsonObject) -> JsonObject:
    return {key: value for key, value in body.items() if key not in ("metadata", "status")}


def _metadata(body: JsonObject) -> JsonObject:
    """Return the metadata without what says nothing."""
    given: Json = body.get("metadata")
    meta = {
        key: value
        for key, value in (given if isinstance(given, dict) else {}).items()
        if value not in (None, {}, []) and key != "creationTimestamp"
    }
    if isinstance(notes := meta.get("annotations"), dict):
        meta["annotations"] = {key: value for key, value in notes.items() if key != GENERATOR}
        if not meta["annotations"]:
            del meta["annotations"]
    if body.get("kind") == "ConfigMap" and isinstance(meta.get("name"), str):
        meta["name"] = HASHED.sub("", meta["name"])
    if body.get("kind") == "SecurityContextConstraints":
        meta.pop("namespace", None)
    return meta


@cache
def _definition(api_version: str, kind: str) -> Field | None:
    """Return how the newest Kubernetes that we know defines a kind, for the keys of its lists."""
    return definition_of({"apiVersion": api_version, "kind": kind}, max(minors()))


def _permissions(mine: JsonObject, other: JsonObject) -> Iterator[Told]:
    """Yield what a ClusterServiceVersion grants differently, by account, and take that out of both."""
    installs = [_install(each) for each in (mine, other)]
    spot = Spot().below("spec").below("install").below("spec")
    for key in PERMISSIONS:
        found = [each.get(key) if each is not None else None for each in installs]
        if not all(isinstance(each, list) for each in found):
            continue
        accounts = [_by_account(each) for each in found]
        for account in sorted(accounts[0].keys() & accounts[1].keys()):
            at = spot.below(key).item(-1, account)
            yield from compare_rules(accounts[0][account], accounts[1][account], at)
        for install, known in zip(installs, accounts, strict=True):
            if install is not None:
                install[key] = dict.fromkeys(known, True)


def _install(body: JsonObject) -> JsonObject | None:
    """Return the part of a copy that says what is installed, to be changed in place."""
    at = body
    for key in ("spec", "install", "spec"):
        inner: Json = at.get(key)
        if not isinstance(inner, dict):
            return None
        at[key] = dict(inner)
        at = at[key]
    return at


def _by_account(items: Json) -> Mapping[str, list[Json]]:
    found: dict[str, list[Json]] = {}
    for item in items:
        if isinstance(item, dict):
            rules: Json = item.get("rules")
            found.setdefault(str(item.get("serviceAccountName")), []).extend(
                rules if isinstance(rules, list) else []
            )
    return found


def _unworded(body: JsonObject) -> JsonObject:
    """Return alerts without what they say to people."""
    for path, _ in list(places(body, "spec/groups[]/rules[]/annotations")):
        body = changed(body, path, _quiet)
    return body


def _quiet(notes: Json) -> Json:
    return {**notes, **dict.fromkeys(WORDING & notes.keys(), "")} if isinstance(notes, dict) else notes
