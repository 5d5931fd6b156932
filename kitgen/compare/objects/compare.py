"""Compare two sets of objects: matched by identity, then field by field.

What does not count, because a cluster cannot see it or it is only a wording: the order of objects and keys;
empty things in metadata; status; descriptions in CRDs and the version of their generator; the wording of
alerts; how rules are grouped; layout and comments of YAML and JSON in a ConfigMap; the hash behind the name
of a generated ConfigMap; a namespace on SecurityContextConstraints; the order of webhooks, volumes, mounts
and ports. Quantities count by their amount.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial

from msgspec import Struct
from msgspec.msgpack import encode

from kitgen.compare.change import limit_results
from kitgen.compare.object_match import index_objects
from kitgen.compare.objects.crds import SchemaComparison, compare_crd_specs
from kitgen.compare.objects.difference import ABSENT, Difference, ObjectPlace, PlacedDifference
from kitgen.compare.objects.permissions import compare_csv_permissions, compare_rules
from kitgen.compare.objects.values import TIMESTAMP, compare_texts, compare_values
from kitgen.kube.definitions import list_minors
from kitgen.kube.identity import ObjectId, split_api_version
from kitgen.kube.manifest import Manifest
from kitgen.kube.merge_keys import DefinitionField, definition_of
from kitgen.kube.names import HASHED
from kitgen.text.values import map_at, value_at
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


def compare_object_sets(left: Iterable[JsonObject], right: Iterable[JsonObject]) -> Comparison:
    """Compare two sets of objects, each of which stands once on its side."""
    mine, other = index_objects(list(left), list(right))
    return Comparison(
        both=len(mine.keys() & other.keys()),
        differences=tuple(limit_results(_find_differences(mine, other), MAX_DIFFERENCES, "differences")),
    )


def _find_differences(
    mine: Mapping[ObjectId, JsonObject], other: Mapping[ObjectId, JsonObject]
) -> Iterator[Difference]:
    schemas = SchemaComparison()
    for key in sorted(
        mine.keys() | other.keys(), key=lambda name: (name.kind, name.name, name.namespace, name.group)
    ):
        if key in mine and key in other:
            name, found = ObjectId.of(mine[key]), compare_objects(mine[key], other[key], schemas)
            yield from (each.to_difference(name) for each in found if not each.equal)
        else:
            yield Difference(
                object=ObjectId.of(mine.get(key) or other[key]),
                left=mine.get(key, ABSENT),
                right=other.get(key, ABSENT),
            )


def compare_objects(
    left: JsonObject, right: JsonObject, schemas: SchemaComparison | None = None
) -> Iterator[PlacedDifference]:
    """Yield the differences between two states of one object.

    `schemas` remembers what types of CRDs differ in, from one object to the next.
    """
    if is_identical(left, right):
        return
    kind = left.get("kind")
    crd = kind == CRD
    spot = ObjectPlace(
        type=None if crd else _find_definition(text_of(left.get("apiVersion")), str(kind)), plain=crd
    )
    yield from compare_values(_normalize_metadata(left), _normalize_metadata(right), spot.below("metadata"))
    mine, other = (
        {key: value for key, value in body.items() if key not in ("metadata", "status")}
        for body in (left, right)
    )
    match kind:
        case "CustomResourceDefinition":
            comparer = partial(compare_crd_specs, schemas=schemas or SchemaComparison())
            yield from _compare_section(mine, other, "spec", spot, comparer)
        case "Role" | "ClusterRole":
            rules = [each.pop("rules", ABSENT) for each in (mine, other)]
            yield from compare_rules(rules[0], rules[1], spot.below("rules"))
        case "ConfigMap":
            mine, other = ({**each, "data": each.get("data") or {}} for each in (mine, other))
            yield from _compare_section(mine, other, "data", spot, compare_texts)
        case "ClusterServiceVersion":
            yield from compare_csv_permissions(mine, other)
        case "PrometheusRule":
            mine, other = _drop_alert_wording(mine), _drop_alert_wording(other)
    yield from compare_values(mine, other, spot)


def is_identical(left: JsonObject, right: JsonObject) -> bool:
    """Return whether two objects are certainly one, as most are: much quicker than to look at each place."""
    if left.keys() != right.keys():
        return False
    # Targets share most of what is large, such as the spec of a CRD.
    parts = [(value, right[key]) for key, value in left.items() if value is not right[key]]
    try:
        return all(
            encode(mine, order="deterministic") == encode(other, order="deterministic")
            for mine, other in parts
        )
    except (OverflowError, RecursionError, TypeError, UnicodeError):  # numbers and nesting that are too large
        return False


def is_same_state(left: Sequence[Manifest], right: Sequence[Manifest]) -> bool:
    """Return whether two states have the same objects in one order."""
    return len(left) == len(right) and all(
        is_identical(one.body, other.body) for one, other in zip(left, right, strict=True)
    )


def _compare_section(
    left: JsonObject,
    right: JsonObject,
    key: str,
    spot: ObjectPlace,
    comparer: Callable[[JsonObject, JsonObject, ObjectPlace], Iterator[PlacedDifference]],
) -> Iterator[PlacedDifference]:
    """Compare a section in its own way, and take it out of both; one that is no mapping stays."""
    if isinstance(left.get(key), dict) and isinstance(right.get(key), dict):
        yield from comparer(left.pop(key), right.pop(key), spot.below(key))


def _normalize_metadata(body: JsonObject) -> JsonObject:
    """Return the metadata without what says nothing."""
    meta = {
        key: value
        for key, value in map_at(body, "metadata").items()
        if value not in (None, {}, []) and key != TIMESTAMP
    }
    if isinstance(notes := meta.pop("annotations", None), dict):
        notes = {key: value for key, value in notes.items() if key != GENERATOR}
    if notes:
        meta["annotations"] = notes
    if body.get("kind") == "ConfigMap" and isinstance(meta.get("name"), str):
        meta["name"] = HASHED.sub("", meta["name"])
    if body.get("kind") == "SecurityContextConstraints":
        meta.pop("namespace", None)
    return meta


@cache
def _find_definition(api_version: str, kind: str) -> DefinitionField | None:
    """Return how the newest Kubernetes that we know defines a kind, for the keys of its lists."""
    group = split_api_version(api_version)[0]
    if "." in group and not group.endswith(".k8s.io"):
        return None  # not one of its own, so there is no need to look through all minors
    return definition_of({"apiVersion": api_version, "kind": kind}, max(list_minors()))


def _drop_alert_wording(body: JsonObject) -> JsonObject:
    """Return alerts without what they say to people."""
    if not isinstance(groups := value_at(body, "spec", "groups"), list):
        return body
    quiet = [
        {**group, "rules": [_drop_rule_wording(rule) for rule in group["rules"]]}
        if isinstance(value_at(group, "rules"), list)
        else group
        for group in groups
    ]
    return {**body, "spec": {**body["spec"], "groups": quiet}}


def _drop_rule_wording(rule: Json) -> Json:
    notes = map_at(rule, "annotations")
    worded = dict.fromkeys(WORDING & notes.keys(), "")
    return {**rule, "annotations": {**notes, **worded}} if worded else rule
