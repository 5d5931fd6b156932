"""Scheduling of pods: tolerations, affinities, topology spread."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.server import selectors
from kitgen.check.server.constraints import (
    LABEL_KEY,
    LABEL_VALUE,
    QUALIFIED,
    at_least,
    between,
    each_fits,
    forbidden,
    is_given,
    is_label_value,
    not_empty,
    one_of,
    refused,
)
from kitgen.check.server.list_constraints import find_duplicates
from kitgen.check.server.rule_tables import Fields, Rules, each_item, nested
from kitgen.check.server.rules import SERVER_INVALID, SERVER_REQUIRED
from kitgen.findings import Path, Problem, make_problem
from kitgen.kube.names import NameForm, is_qualified_name
from kitgen.text.values import entries_at, map_at, text_at, text_entries_at, texts_at
from kitgen.text.wording import describe_value, quote_text
from kitgen.text.yaml import JsonObject

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
COMPARED = ("Gt", "Lt")


def _check_toleration(value: JsonObject) -> Iterator[Problem]:
    operator, found = value.get("operator"), text_at(value, "value")
    if not value.get("key") and operator != "Exists":
        yield SERVER_INVALID("found no key, expected the operator Exists, which tolerates every taint")
    if value.get("tolerationSeconds") is not None and value.get("effect") != "NoExecute":
        yield SERVER_INVALID(
            f"found {describe_value(value.get('effect'))}, expected NoExecute beside tolerationSeconds",
            ("effect",) if "effect" in value else ("tolerationSeconds",),
        )
    if operator == "Exists" and found:
        yield make_problem(
            "server-forbidden", "found a value, expected none for the operator Exists", ("value",)
        )
    elif operator in ("Equal", "", None) and not is_label_value(found):
        yield SERVER_INVALID(f"found {quote_text(found)}, expected {LABEL_VALUE}", ("value",))


def _check_comparison(value: JsonObject) -> Iterator[Problem]:
    if value.get("operator") in COMPARED and len(texts_at(value, "values")) != 1:
        yield SERVER_REQUIRED(f"found no single value, expected one for {value['operator']}")


def _check_label_keys(value: JsonObject, field: str) -> Iterator[Problem]:
    """Report keys of labels that need a selector."""
    yield from each_fits(is_qualified_name, QUALIFIED)(value, field)
    if is_given(value.get(field)) and value.get("labelSelector") is None:
        yield make_problem("server-forbidden", f"found {field}, expected labelSelector beside it", (field,))


def _check_pod_term(value: JsonObject) -> Iterator[Problem]:
    for index, key in text_entries_at(value, "mismatchLabelKeys"):
        if key in texts_at(value, "matchLabelKeys"):
            yield make_problem(
                "server-duplicate",
                f"found {quote_text(key)} also in matchLabelKeys, expected it in one of them",
                ("mismatchLabelKeys", index),
            )


def _check_spread(value: JsonObject) -> Iterator[Problem]:
    taken = {*map_at(value, "labelSelector", "matchLabels")}
    taken |= {text_at(each, "key") for _, each in entries_at(value, "labelSelector", "matchExpressions")}
    for index, key in text_entries_at(value, "matchLabelKeys"):
        if key in taken:
            yield make_problem(
                "server-duplicate",
                f"found {quote_text(key)} also in labelSelector, expected it in one of them",
                ("matchLabelKeys", index),
            )


def check_topology_spreads(pod: JsonObject, field: str) -> Iterator[Problem]:
    """Report constraints with the topology and the answer of one before them."""
    found: Iterator[tuple[Path, tuple[str, str]]] = (
        ((field, index), (text_at(item, "topologyKey"), text_at(item, "whenUnsatisfiable")))
        for index, item in entries_at(pod, field)
    )
    for path, (key, answer), _ in find_duplicates(found):
        if key and answer:
            yield make_problem(
                "server-duplicate",
                f"found {quote_text(key)} and {answer} again, expected one such constraint",
                path,
            )


TOPOLOGY = (not_empty, LABEL_KEY)
WEIGHTED: Fields = {"weight": between(1, 100)}
HONORED = one_of("Honor", "Ignore")
OF_LABELS: Fields = {
    "key": (not_empty, LABEL_KEY),
    "operator": one_of(*selectors.SETS, *selectors.PRESENCE, *COMPARED),
}
OF_FIELDS: Fields = {
    "key": one_of("metadata.name"),
    "operator": one_of(*selectors.SETS),
    "values": each_fits(NameForm.SUBDOMAIN.matches, str(NameForm.SUBDOMAIN)),
}
OF_REQUIRED: Fields = {
    REQUIRED: nested(
        {"nodeSelectorTerms": each_item({"matchExpressions": each_item({"values": selectors.LABEL_VALUES})})}
    )
}
"""Values of required node affinity that can be no label's; preferred one may have them."""
RULES: Rules = {
    "core/v1.NodeSelector": {"nodeSelectorTerms": not_empty},
    "core/v1.NodeSelectorTerm": {
        "matchExpressions": each_item(OF_LABELS, selectors.check_operator, _check_comparison),
        "matchFields": each_item(
            OF_FIELDS,
            refused(
                SERVER_REQUIRED,
                "found no single value, expected one name of a node",
                when=lambda each: (
                    each.get("operator") in selectors.SETS and len(texts_at(each, "values")) != 1
                ),
            ),
        ),
    },
    "core/v1.PodAffinityTerm": (
        {
            "topologyKey": TOPOLOGY,
            "namespaces": each_fits(NameForm.LABEL.matches, str(NameForm.LABEL)),
            "matchLabelKeys": _check_label_keys,
            "mismatchLabelKeys": _check_label_keys,
        },
        _check_pod_term,
    ),
    "core/v1.PreferredSchedulingTerm": WEIGHTED,
    "core/v1.Toleration": (
        {
            "key": LABEL_KEY,
            "operator": one_of("Equal", "Exists", empty=True),
            "effect": one_of("NoSchedule", "PreferNoSchedule", "NoExecute", empty=True),
        },
        _check_toleration,
    ),
    "core/v1.TopologySpreadConstraint": (
        {
            "topologyKey": TOPOLOGY,
            "maxSkew": at_least(1),
            "minDomains": (
                at_least(1),
                forbidden(
                    "unless pods must not be scheduled",
                    when=lambda spread: spread.get("whenUnsatisfiable") == "ScheduleAnyway",
                ),
            ),
            "whenUnsatisfiable": one_of("DoNotSchedule", "ScheduleAnyway"),
            "nodeAffinityPolicy": HONORED,
            "nodeTaintsPolicy": HONORED,
            "matchLabelKeys": _check_label_keys,
        },
        _check_spread,
    ),
    "core/v1.WeightedPodAffinityTerm": WEIGHTED,
}
