"""Where pods run: tolerations, affinities, spread over a topology."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.server import selectors, values
from kitgen.check.server.rules import SERVER_DUPLICATE, SERVER_FORBIDDEN, SERVER_INVALID, SERVER_REQUIRED
from kitgen.check.server.walk import Validators
from kitgen.findings import Problem
from kitgen.kube.names import NameForm, is_qualified
from kitgen.text.values import entries_at, value_at
from kitgen.text.wording import cut, shown
from kitgen.text.yaml import JsonObject

EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
COMPARED = ("Gt", "Lt")
WEIGHTS = (1, 100)


def _toleration(value: JsonObject) -> Iterator[Problem]:
    operator, found = value.get("operator"), values.text(value.get("value"))
    yield from values.qualified(value, "key")
    yield from values.one_of(value, "operator", ("Equal", "Exists"))
    yield from values.one_of(value, "effect", EFFECTS)
    if not value.get("key") and operator != "Exists":
        yield SERVER_INVALID("found no key, expected the operator Exists, which tolerates every taint")
    if value.get("tolerationSeconds") is not None and value.get("effect") != "NoExecute":
        where = ("effect",) if "effect" in value else ("tolerationSeconds",)
        message = f"found {shown(value.get('effect'))}, expected NoExecute beside tolerationSeconds"
        yield SERVER_INVALID(message, where)
    if operator == "Exists" and found:
        yield SERVER_FORBIDDEN("found a value, expected none for the operator Exists", ("value",))
    elif operator in ("Equal", "", None) and not values.is_label_value(found):
        yield SERVER_INVALID(f"found {cut(found)}, expected {values.LABEL_VALUE}", ("value",))


def node_affinity(value: JsonObject) -> Iterator[Problem]:
    """Yield terms of required affinity whose values can be no label's; preferred ones may ask for them."""
    field = "requiredDuringSchedulingIgnoredDuringExecution"
    for place, term in entries_at(value, field, "nodeSelectorTerms"):
        for index, each in entries_at(term, "matchExpressions"):
            wrong = values.each_fitting(each, "values", values.is_label_value, values.LABEL_VALUE)
            path = (field, "nodeSelectorTerms", place, "matchExpressions", index)
            yield from values.below_path(wrong, *path)


def _node_selector(value: JsonObject) -> Iterator[Problem]:
    yield from values.not_empty(value, "nodeSelectorTerms")


def _node_term(value: JsonObject) -> Iterator[Problem]:
    for index, each in entries_at(value, "matchExpressions"):
        yield from values.below_path(_of_labels(each), "matchExpressions", index)
    for index, each in entries_at(value, "matchFields"):
        yield from values.below_path(_of_fields(each), "matchFields", index)


def _of_labels(value: JsonObject) -> Iterator[Problem]:
    known = (*selectors.SETS, *selectors.PRESENCE, *COMPARED)
    yield from values.not_empty(value, "key")
    yield from values.qualified(value, "key")
    yield from values.one_of(value, "operator", known, empty=False)
    yield from selectors.values_for_operator(value)
    if value.get("operator") in COMPARED and len(values.texts(value.get("values"))) != 1:
        yield SERVER_REQUIRED(f"found no single value, expected one for {value['operator']}")


def _of_fields(value: JsonObject) -> Iterator[Problem]:
    yield from values.one_of(value, "key", ("metadata.name",), empty=False)
    yield from values.one_of(value, "operator", selectors.SETS, empty=False)
    yield from values.each_fitting(value, "values", NameForm.SUBDOMAIN.fits, str(NameForm.SUBDOMAIN))
    if value.get("operator") in selectors.SETS and len(values.texts(value.get("values"))) != 1:
        yield SERVER_REQUIRED("found no single value, expected one name of a node")


def _weighted(value: JsonObject) -> Iterator[Problem]:
    yield from values.between(value, *WEIGHTS, "weight")


def _pod_term(value: JsonObject) -> Iterator[Problem]:
    yield from values.not_empty(value, "topologyKey")
    yield from values.qualified(value, "topologyKey")
    yield from values.each_fitting(value, "namespaces", NameForm.LABEL.fits, str(NameForm.LABEL))
    for field in ("matchLabelKeys", "mismatchLabelKeys"):
        yield from _keys(value, field)
    twice = {key for _, key in values.texts(value.get("matchLabelKeys"))}
    for index, key in values.texts(value.get("mismatchLabelKeys")):
        if key in twice:
            message = f"found {cut(key)} also in matchLabelKeys, expected it in one of them"
            yield SERVER_DUPLICATE(message, ("mismatchLabelKeys", index))


def _keys(value: JsonObject, field: str) -> Iterator[Problem]:
    """Yield keys of labels that need a selector, or that it has already."""
    yield from values.each_fitting(value, field, is_qualified, values.QUALIFIED)
    if values.is_given(value.get(field)) and value.get("labelSelector") is None:
        yield SERVER_FORBIDDEN(f"found {field}, expected labelSelector beside it", (field,))


def _spread(value: JsonObject) -> Iterator[Problem]:
    yield from values.not_empty(value, "topologyKey")
    yield from values.qualified(value, "topologyKey")
    yield from values.at_least(value, 1, "maxSkew", "minDomains")
    yield from values.one_of(value, "whenUnsatisfiable", ("DoNotSchedule", "ScheduleAnyway"), empty=False)
    if value.get("whenUnsatisfiable") == "ScheduleAnyway":
        yield from values.forbidden(value, "unless pods must not be scheduled", "minDomains")
    for field in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
        yield from values.one_of(value, field, ("Honor", "Ignore"), empty=False)
    yield from _keys(value, "matchLabelKeys")
    selector = value.get("labelSelector")
    taken = {*values.mapping(value_at(selector, "matchLabels"))}
    taken |= {values.text(each.get("key")) for _, each in entries_at(selector, "matchExpressions")}
    for index, key in values.texts(value.get("matchLabelKeys")):
        if key in taken:
            message = f"found {cut(key)} also in labelSelector, expected it in one of them"
            yield SERVER_DUPLICATE(message, ("matchLabelKeys", index))


def spread_twice(pod: JsonObject) -> Iterator[Problem]:
    """Yield constraints with the topology and the answer of one before them."""
    seen: set[tuple[str, str]] = set()
    for index, item in entries_at(pod, "topologySpreadConstraints"):
        what = (values.text(item.get("topologyKey")), values.text(item.get("whenUnsatisfiable")))
        if all(what) and what in seen:
            message = f"found {cut(what[0])} and {what[1]} again, expected one such constraint"
            yield SERVER_DUPLICATE(message, ("topologySpreadConstraints", index))
        seen.add(what)


VALIDATORS: Validators = {
    "core/v1.NodeSelector": _node_selector,
    "core/v1.NodeSelectorTerm": _node_term,
    "core/v1.PodAffinityTerm": _pod_term,
    "core/v1.PreferredSchedulingTerm": _weighted,
    "core/v1.Toleration": _toleration,
    "core/v1.TopologySpreadConstraint": _spread,
    "core/v1.WeightedPodAffinityTerm": _weighted,
}
