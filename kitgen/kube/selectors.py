"""Label selectors: how Kubernetes reads them, what they match, and their algebra.

A selector is a set of requirements that all apply; without any it matches everything. The intersection of two
is both together; a difference is several selectors, no two of which match the same labels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from itertools import islice
from typing import TypeAlias

from msgspec import Struct

from kitgen.text.values import group_pairs, texts_at, value_at
from kitgen.text.yaml import Json, JsonObject

MAX_SELECTORS = 100
"""More than anybody can read; labels of many waves could make any number of them."""
SET_LATER = frozenset(
    {
        *("apps.kubernetes.io/pod-index", "batch.kubernetes.io/controller-uid"),
        *("batch.kubernetes.io/job-completion-index", "batch.kubernetes.io/job-name"),
        *("controller-revision-hash", "controller-uid", "job-name", "pod-template-generation"),
        *("pod-template-hash", "rollouts-pod-template-hash", "statefulset.kubernetes.io/pod-name"),
    }
)
"""Labels that controllers give the pods that they make; no template has them."""


class LabelOperator(StrEnum):
    """What a label has to be, as Kubernetes calls it."""

    IN = "In"
    NOT_IN = "NotIn"
    EXISTS = "Exists"
    ABSENT = "DoesNotExist"


OPPOSITE = {
    LabelOperator.IN: LabelOperator.NOT_IN,
    LabelOperator.NOT_IN: LabelOperator.IN,
    LabelOperator.EXISTS: LabelOperator.ABSENT,
    LabelOperator.ABSENT: LabelOperator.EXISTS,
}


class Requirement(Struct, frozen=True, order=True):
    """What one label has to be."""

    key: str
    operator: LabelOperator
    values: tuple[str, ...] = ()

    @property
    def is_pair(self) -> bool:
        """Return whether it requires one value."""
        return self.operator is LabelOperator.IN and len(self.values) == 1

    def matches(self, labels: Mapping[str, Json]) -> bool:
        """Return whether labels have what is required."""
        match self.operator:
            case LabelOperator.IN:
                return labels.get(self.key) in self.values
            case LabelOperator.NOT_IN:
                return labels.get(self.key) not in self.values
            case LabelOperator.EXISTS:
                return self.key in labels
            case LabelOperator.ABSENT:
                return self.key not in labels


LabelSelector: TypeAlias = tuple[Requirement, ...]


def matches_labels(selector: LabelSelector, labels: Mapping[str, Json]) -> bool:
    """Return whether labels have everything that a selector requires."""
    return all(each.matches(labels) for each in selector)


def read_selector(value: Json) -> LabelSelector | None:
    """Read a label selector; None if it is none that a cluster takes."""
    if not isinstance(value, dict):
        return None
    labels, expressions = value.get("matchLabels"), value.get("matchExpressions")
    if not isinstance(labels, dict | None) or not isinstance(expressions, list | None):
        return None
    if not all(isinstance(each, str) for each in (labels or {}).values()):
        return None
    pairs = (Requirement(key, LabelOperator.IN, (each,)) for key, each in (labels or {}).items())
    more = [read_requirement(each) for each in expressions or ()]
    return None if None in more else (*pairs, *(each for each in more if each))


def read_requirement(value: Json) -> Requirement | None:
    """Read an expression of a selector; None if it is none that a cluster takes."""
    key, operator, values = (value_at(value, each) for each in ("key", "operator", "values"))
    known = isinstance(key, str) and isinstance(operator, str) and operator in OPPOSITE
    if not known or not isinstance(values, list | None):
        return None
    return Requirement(key, LabelOperator(operator), tuple(texts_at(value, "values")))


def read_pod_selector(value: Json) -> LabelSelector | None:
    """Read a label selector of pods, without labels that only running pods have."""
    found = read_selector(value)
    return None if found is None else tuple(each for each in found if each.key not in SET_LATER)


def simplify_selector(selector: LabelSelector) -> LabelSelector | None:
    """Return a selector in its shortest form, sorted by label; None if it matches nothing."""
    found: list[Requirement] = []
    for key in sorted({each.key for each in selector}):
        if (short := _simplify_label(key, [each for each in selector if each.key == key])) is None:
            return None
        found += short
    return tuple(found)


def _simplify_label(key: str, some: Iterable[Requirement]) -> list[Requirement] | None:
    """Return what some requirements of one label come to."""
    found = group_pairs((each.operator, set(each.values)) for each in some)
    there, absent = LabelOperator.EXISTS in found, LabelOperator.ABSENT in found
    refused = set[str]().union(*found.get(LabelOperator.NOT_IN, ()))
    if allowed := found.get(LabelOperator.IN):
        left = tuple(sorted(set.intersection(*allowed) - refused))
        return [Requirement(key, LabelOperator.IN, left)] if left and not absent else None
    if absent:
        return None if there else [Requirement(key, LabelOperator.ABSENT)]
    values = [Requirement(key, LabelOperator.NOT_IN, tuple(sorted(refused)))] if refused else []
    return [*([Requirement(key, LabelOperator.EXISTS)] if there else ()), *values]


def intersect_selectors(one: LabelSelector, other: LabelSelector) -> LabelSelector | None:
    """Return what matches where both do; None if nothing can."""
    return simplify_selector((*one, *other))


def subtract_selectors(
    selector: LabelSelector, others: Iterable[LabelSelector]
) -> list[LabelSelector] | None:
    """Return selectors that match all that one matches and none of the others does, each set of labels once.

    None if there are too many.
    """
    short = simplify_selector(selector)
    left = [] if short is None else [short]
    for other in others:
        rest = (
            found
            for each in left
            for one in _negate_selector(other)
            if (found := intersect_selectors(each, one)) is not None
        )
        if len(left := list(islice(rest, MAX_SELECTORS + 1))) > MAX_SELECTORS:
            return None
    return left


def _negate_selector(selector: LabelSelector) -> Iterator[LabelSelector]:
    """Yield selectors for all that one does not match, no two of which match the same."""
    for index, each in enumerate(selector):
        yield (*selector[:index], Requirement(each.key, OPPOSITE[each.operator], each.values))


def write_selector(selector: LabelSelector) -> JsonObject:
    """Return a selector as Kubernetes reads it."""
    labels = {each.key: each.values[0] for each in selector if each.is_pair}
    more: list[JsonObject] = [
        {
            "key": each.key,
            "operator": each.operator.value,
            **({"values": list(each.values)} if each.values else {}),
        }
        for each in selector
        if not each.is_pair
    ]
    return {**({"matchLabels": labels} if labels else {}), **({"matchExpressions": more} if more else {})}
