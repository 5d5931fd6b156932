"""Label selectors: what they match, and those that match all that others leave over.

Each stands for a set of clusters: all of its requirements hold. What two have in common is the two together;
what one leaves over is several, no two of which match the same cluster.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from kitgen.kit.model import LabelOperator, Requirement, Selector
from kitgen.text.yaml import JsonObject

MAX_SELECTORS = 100
"""More than anybody can read; labels of many waves could make any number of them."""
OPPOSITE = {
    LabelOperator.IN: LabelOperator.NOT_IN,
    LabelOperator.NOT_IN: LabelOperator.IN,
    LabelOperator.EXISTS: LabelOperator.ABSENT,
    LabelOperator.ABSENT: LabelOperator.EXISTS,
}


def matches(selector: Selector, labels: Mapping[str, str]) -> bool:
    """Tell whether labels are as a selector wants them."""
    return all(_holds(each, labels) for each in selector)


def _holds(wanted: Requirement, labels: Mapping[str, str]) -> bool:
    match wanted.operator:
        case LabelOperator.IN:
            return labels.get(wanted.key) in wanted.values
        case LabelOperator.NOT_IN:
            return labels.get(wanted.key) not in wanted.values
        case LabelOperator.EXISTS:
            return wanted.key in labels
        case LabelOperator.ABSENT:
            return wanted.key not in labels


def simplified(selector: Selector) -> Selector | None:
    """Return a selector in its shortest form, sorted by label; None if it matches nothing."""
    found: list[Requirement] = []
    for key in sorted({each.key for each in selector}):
        short = _of_label(key, [each for each in selector if each.key == key])
        if short is None:
            return None
        found += short
    return tuple(found)


def _of_label(key: str, some: Iterable[Requirement]) -> list[Requirement] | None:
    """Return what some requirements of one label come to."""
    allowed: set[str] | None = None
    refused: set[str] = set()
    there = absent = False
    for each in some:
        match each.operator:
            case LabelOperator.IN:
                allowed = set(each.values) if allowed is None else allowed & set(each.values)
            case LabelOperator.NOT_IN:
                refused |= set(each.values)
            case LabelOperator.EXISTS:
                there = True
            case LabelOperator.ABSENT:
                absent = True
    if allowed is not None:
        left = tuple(sorted(allowed - refused))
        return [Requirement(key, LabelOperator.IN, left)] if left and not absent else None
    if absent:
        return None if there else [Requirement(key, LabelOperator.ABSENT)]
    values = [Requirement(key, LabelOperator.NOT_IN, tuple(sorted(refused)))] if refused else []
    return [*([Requirement(key, LabelOperator.EXISTS)] if there else ()), *values]


def both(one: Selector, other: Selector) -> Selector | None:
    """Return what matches where both do; None if nothing can."""
    return simplified((*one, *other))


def without(selector: Selector, others: Iterable[Selector]) -> list[Selector] | None:
    """Return selectors that match all that one matches and none of the others does, each cluster once.

    None if there are too many.
    """
    short = simplified(selector)
    left = [] if short is None else [short]
    for other in others:
        rest = (found for each in left for one in _rest(other) if (found := both(each, one)) is not None)
        left = list(islice(rest, MAX_SELECTORS + 1))
        if len(left) > MAX_SELECTORS:
            return None
    return left


def _rest(selector: Selector) -> Iterator[Selector]:
    """Yield selectors for all that one does not match, no two of which match the same."""
    for index, each in enumerate(selector):
        yield (*selector[:index], Requirement(each.key, OPPOSITE[each.operator], each.values))


def as_label_selector(selector: Selector) -> JsonObject:
    """Return a selector as Kubernetes reads it."""
    single = [each for each in selector if each.operator is LabelOperator.IN and len(each.values) == 1]
    labels = {each.key: each.values[0] for each in single}
    more = [each for each in selector if each not in single]
    return {
        **({"matchLabels": labels} if labels else {}),
        **({"matchExpressions": [_expression(each) for each in more]} if more else {}),
    }


def _expression(wanted: Requirement) -> JsonObject:
    values = {"values": list(wanted.values)} if wanted.values else {}
    return {"key": wanted.key, "operator": wanted.operator.value, **values}


def from_label_selector(body: JsonObject) -> Selector:
    """Return a selector that is written as Kubernetes reads it."""
    labels = (
        Requirement(key, LabelOperator.IN, (value,)) for key, value in body.get("matchLabels", {}).items()
    )
    more = (
        Requirement(each["key"], LabelOperator(each["operator"]), tuple(each.get("values", ())))
        for each in body.get("matchExpressions", ())
    )
    return (*labels, *more)
