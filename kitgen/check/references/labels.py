"""Selectors and the labels that they match."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from kitgen.check.index import below
from kitgen.yamlio import Json

SET_LATER = frozenset(
    {
        *("apps.kubernetes.io/pod-index", "batch.kubernetes.io/controller-uid"),
        *(
            "batch.kubernetes.io/job-completion-index",
            "batch.kubernetes.io/job-name",
            "controller-revision-hash",
        ),
        *("controller-uid", "job-name", "pod-template-generation", "pod-template-hash"),
        *("rollouts-pod-template-hash", "statefulset.kubernetes.io/pod-name"),
    }
)
"""Labels that controllers give the pods that they make; no template has them."""
OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")


class Term(NamedTuple):
    """One thing that a selector asks of a label."""

    key: str
    operator: str
    values: tuple[str, ...]

    @property
    def is_pair(self) -> bool:
        """Tell whether it asks for one value."""
        return self.operator == "In" and len(self.values) == 1

    def holds(self, labels: Mapping[str, Json]) -> bool:
        """Tell whether labels have what is asked for."""
        value = labels.get(self.key)
        match self.operator:
            case "In":
                return isinstance(value, str) and value in self.values
            case "NotIn":
                return value not in self.values
            case "Exists":
                return self.key in labels
            case _:
                return self.key not in labels


Selector = tuple[Term, ...]
"""All of its terms must hold; without any it matches everything."""


def pairs(value: Json) -> Selector | None:
    """Read a selector that is a map of labels; None if it is none that a cluster takes."""
    if not isinstance(value, dict) or not all(isinstance(each, str) for each in value.values()):
        return None
    return tuple(Term(key, "In", (each,)) for key, each in value.items() if key not in SET_LATER)


def selector(value: Json) -> Selector | None:
    """Read a label selector, with expressions; None if it is none that a cluster takes."""
    if not isinstance(value, dict):
        return None
    labels = value.get("matchLabels")
    terms = pairs({} if labels is None else labels)
    expressions = value.get("matchExpressions")
    expressions = [] if expressions is None else expressions
    if terms is None or not isinstance(expressions, list):
        return None
    more = [_term(each) for each in expressions]
    known = (each for each in more if each and each.key not in SET_LATER)
    return None if None in more else (*terms, *known)


def _term(value: Json) -> Term | None:
    key, operator = below(value, "key"), below(value, "operator")
    values = below(value, "values")
    values = [] if values is None else values
    if not (isinstance(key, str) and operator in OPERATORS and isinstance(values, list)):
        return None
    return Term(key, operator, tuple(each for each in values if isinstance(each, str)))


def matches(terms: Selector, labels: Mapping[str, Json]) -> bool:
    """Tell whether labels have everything that a selector asks for."""
    return all(term.holds(labels) for term in terms)
