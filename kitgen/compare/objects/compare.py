"""Compare two sets of objects: matched by identity, then field by field.

What does not count, because a cluster cannot see it or it is only a wording: the order of objects and keys;
empty things in metadata; status; descriptions in CRDs and the version of their generator; the wording of
alerts; how rules are grouped; layout and comments of YAML and JSON in a ConfigMap; the hash behind the name
of a generated ConfigMap; a namespace on SecurityContextConstraints; the order of webhooks, volumes, mounts
and ports. Quantities count by their amount.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache

from msgspec import Struct
from msgspec.msgpack import encode
from msgspec.structs import replace

from kitgen.compare.change import limited
from kitgen.compare.objects.crds import compare_specs
from kitgen.compare.objects.difference import ABSENT, Difference, ObjectPlace, PlacedDifference
from kitgen.compare.objects.permissions import compare_accounts, compare_rules
from kitgen.compare.objects.values import TIMESTAMP, compare_texts, compare_values
from kitgen.kube.definitions import minors
from kitgen.kube.identity import ObjectId, split_api_version
from kitgen.kube.merge_keys import DefinitionField, definition_of
from kitgen.kube.names import HASHED
from kitgen.text.wording import text_of
from kitgen.text.yaml import Json, JsonObject

GENERATOR = "controller-gen.kubebuilder.io/version"
WORDING = {"summary", "description"}
CRD = "CustomResourceDefinition"
MAX_DIFFERENCES = 20_000
"""Each may hold much: all verbs that a role grants on a resource, or a whole object."""


class Comparison(Struct, frozen=True, kw_only=True):
    """What is different, and how much was compared."""

    both: int
    """How many objects both sides have."""
    differences: tuple[Difference, ...]


def identity(body: JsonObject) -> ObjectId:
    """Return what an object is matched by."""
    found = ObjectId.of(body)
    match found.kind:
        case "ConfigMap":
            return replace(found, name=HASHED.sub("", found.name))
        case "SecurityContextConstraints":
            return replace(found, namespace="")
    return found


def compare(left: Iterable[JsonObject], right: Iterable[JsonObject]) -> Comparison:
    """Compare two sets of objects, each of which stands once on its side."""
    mine, other = _matchable(list(left), list(right))
    found = limited(_differences(mine, other), MAX_DIFFERENCES, "differences")
    return Comparison(both=len(mine.keys() & other.keys()), differences=tuple(found))


def _differences(
    mine: Mapping[ObjectId, JsonObject], other: Mapping[ObjectId, JsonObject]
) -> Iterator[Difference]:
    for key in sorted(mine.keys() | other.keys(), key=_order):
        if key in mine and key in other:
            yield from (
                Difference(
                    object=ObjectId.of(mine[key]),
                    field=spot.field,
                    path=spot.path,
                    left=a,
                    right=b,
                    order=order,
                )
                for spot, a, b, order, equal in compare_objects(mine[key], other[key])
                if not equal
            )
        else:
            whole = ObjectId.of(mine.get(key) or other[key])
            yield Difference(object=whole, left=mine.get(key, ABSENT), right=other.get(key, ABSENT))


def _matchable(*sides: list[JsonObject]) -> Iterator[dict[ObjectId, JsonObject]]:
    """Yield the objects of each side by what matches them; where several would, by their whole names."""
    counts = [Counter(map(identity, side)) for side in sides]
    several = {key for count in counts for key, number in count.items() if number > 1}
    for side in sides:
        yield {ObjectId.of(body) if (key := identity(body)) in several else key: body for body in side}


def _order(key: ObjectId) -> tuple[str, str, str, str]:
    return (key.kind, key.name, key.namespace, key.group)


def compare_objects(left: JsonObject, right: JsonObject) -> Iterator[PlacedDifference]:
    """Yield the differences between two states of one object."""
    if _alike(left, right):
        return
    kind = left.get("kind")
    crd = kind == CRD
    spot = ObjectPlace(
        type=None if crd else _definition(text_of(left.get("apiVersion")), str(kind)), plain=crd
    )
    yield from compare_values(_metadata(left), _metadata(right), spot.below("metadata"))
    mine, other = _plain(left), _plain(right)
    match kind:
        case "CustomResourceDefinition":
            yield from _section(mine, other, "spec", spot, compare_specs)
        case "Role" | "ClusterRole":
            rules = [each.pop("rules", ABSENT) for each in (mine, other)]
            yield from compare_rules(rules[0], rules[1], spot.below("rules"))
        case "ConfigMap":
            mine, other = ({**each, "data": each.get("data") or {}} for each in (mine, other))
            yield from _section(mine, other, "data", spot, compare_texts)
        case "ClusterServiceVersion":
            yield from compare_accounts(mine, other)
        case "PrometheusRule":
            mine, other = _unworded(mine), _unworded(other)
    yield from compare_values(mine, other, spot)


def _alike(left: JsonObject, right: JsonObject) -> bool:
    """Tell whether two objects are certainly one, as most are: much quicker than to look at each place."""
    try:
        return encode(left, order="deterministic") == encode(right, order="deterministic")
    except (OverflowError, RecursionError, TypeError, UnicodeError):  # numbers and nesting that are too large
        return False


def _section(
    left: JsonObject,
    right: JsonObject,
    key: str,
    spot: ObjectPlace,
    comparer: Callable[[JsonObject, JsonObject, ObjectPlace], Iterator[PlacedDifference]],
) -> Iterator[PlacedDifference]:
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
        if value not in (None, {}, []) and key != TIMESTAMP
    }
    notes = meta.pop("annotations", None)
    if isinstance(notes, dict):
        notes = {key: value for key, value in notes.items() if key != GENERATOR}
    if notes:
        meta["annotations"] = notes
    if body.get("kind") == "ConfigMap" and isinstance(meta.get("name"), str):
        meta["name"] = HASHED.sub("", meta["name"])
    if body.get("kind") == "SecurityContextConstraints":
        meta.pop("namespace", None)
    return meta


@cache
def _definition(api_version: str, kind: str) -> DefinitionField | None:
    """Return how the newest Kubernetes that we know defines a kind, for the keys of its lists."""
    group = split_api_version(api_version)[0]
    if "." in group and not group.endswith(".k8s.io"):
        return None  # not one of its own, so there is no need to look through all minors
    return definition_of({"apiVersion": api_version, "kind": kind}, max(minors()))


def _unworded(body: JsonObject) -> JsonObject:
    """Return alerts without what they say to people."""
    spec: Json = body.get("spec")
    if not isinstance(spec, dict) or not isinstance(spec.get("groups"), list):
        return body
    groups = [
        {**group, "rules": [_quiet(rule) for rule in group["rules"]]}
        if isinstance(group, dict) and isinstance(group.get("rules"), list)
        else group
        for group in spec["groups"]
    ]
    return {**body, "spec": {**spec, "groups": groups}}


def _quiet(rule: Json) -> Json:
    notes: Json = rule.get("annotations") if isinstance(rule, dict) else None
    if not isinstance(notes, dict):
        return rule
    return {**rule, "annotations": {**notes, **dict.fromkeys(WORDING & notes.keys(), "")}}
