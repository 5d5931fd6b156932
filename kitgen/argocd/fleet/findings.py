"""What is wrong with the plan of a fleet: clusters without a target or with two, names that cannot be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from kitgen.argocd.fleet.plan import FleetMember, FleetPlan
from kitgen.findings import MAX_ERRORS, Finding, make_problem, suggest_or_list
from kitgen.kit.model import Cluster
from kitgen.kube.names import LONGEST_NAME
from kitgen.kube.selectors import LabelOperator, matches_labels
from kitgen.text.values import group_pairs
from kitgen.text.wording import join_words, quote_text


def check_fleet(plan: FleetPlan, members: Sequence[FleetMember], *, leaves_others: bool) -> list[Finding]:
    """Return clusters that get nothing or two targets, and names that Argo CD cannot use.

    Clusters whose labels no target knows may be left alone. More than anybody reads is not looked for.
    """
    found = (
        _check_duplicate_targets(plan),
        _check_names(plan),
        _check_unmatched_clusters(plan, members, leaves_others=leaves_others),
    )
    return [finding for some in found for finding in islice(some, MAX_ERRORS)]


def _check_duplicate_targets(plan: FleetPlan) -> Iterator[Finding]:
    for some in group_pairs((id(each.cluster), each) for each in plan.placed).values():
        if len(some) > 1:
            names = join_words([each.target for each in some], last="and")
            cluster = some[0].cluster
            yield make_problem(
                "fleet-twice",
                f"found labels of the targets {names} on {_format_cluster(cluster)}, expected those of one",
            ).to_finding(cluster.origin)


def _check_names(plan: FleetPlan) -> Iterator[Finding]:
    first: dict[str, Cluster] = {}
    for placed in plan.placed:
        for each in placed.applications:
            yield from _check_name(each.name, placed.cluster, first)


def _check_name(name: str, cluster: Cluster, first: dict[str, Cluster]) -> Iterator[Finding]:
    if len(name) > LONGEST_NAME:
        yield make_problem(
            "fleet-name",
            f"found an Application with a name of {len(name)} characters, expected {LONGEST_NAME} at most",
            hint="call the cluster otherwise in Argo CD",
        ).to_finding(cluster.origin)
    elif (other := first.setdefault(name, cluster)) is not cluster:
        yield make_problem(
            "fleet-name",
            f"found a second Application {name}, expected one of each name",
            hint=f"the first is for {_format_cluster(other)}",
        ).to_finding(cluster.origin)


def _check_unmatched_clusters(
    plan: FleetPlan, members: Sequence[FleetMember], *, leaves_others: bool
) -> Iterator[Finding]:
    asked = [each for member in members for each in member.said.clusters]
    values = group_pairs(
        (each.key, value) for each in asked if each.operator is LabelOperator.IN for value in each.values
    )
    for cluster in plan.unmatched:
        if (found := _check_label_values(cluster, values)) is not None:
            yield found
        elif not leaves_others:
            yield _report_missing_label(cluster, members)


def _check_label_values(cluster: Cluster, values: Mapping[str, Sequence[str]]) -> Finding | None:
    """Return that a label has a value which no target asks for, if one has."""
    for key, known in values.items():
        if (found := cluster.labels.get(key)) is not None and found not in known:
            return make_problem(
                "fleet-unmatched",
                f"found {key} {found!r} on {_format_cluster(cluster)}, which no target is for",
                hint=suggest_or_list(found, sorted({*known})),
            ).to_finding(cluster.origin.at("labels", key))
    return None


def _report_missing_label(cluster: Cluster, members: Sequence[FleetMember]) -> Finding:
    """Tell which label keeps a cluster from the target that it is nearest to."""
    lacks = [
        (len(member.said.clusters) - len(failing), member.said.name, failing[0].key)
        for member in members
        if (failing := [each for each in member.said.clusters if not matches_labels((each,), cluster.labels)])
    ]
    met, name, key = max(lacks, key=lambda each: each[0], default=(0, "", ""))
    message = f"found no labels of a target on {_format_cluster(cluster)}"
    if met:
        said = f"{key} {cluster.labels[key]!r}" if key in cluster.labels else f"no {key}"
        message = f"found {said} on {_format_cluster(cluster)}, which else has the labels of {name}"
    keys = sorted({each.key for member in members for each in member.said.clusters})
    return make_problem(
        "fleet-unmatched",
        message,
        hint=f"targets ask for {join_words(keys, last='and')}; say others: leave if it is not for this kit",
    ).to_finding(cluster.origin)


def _format_cluster(cluster: Cluster) -> str:
    return f"the cluster {quote_text(cluster.name)}"
