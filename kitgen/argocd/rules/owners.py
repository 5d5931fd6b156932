"""Owners: targets that bring the same objects to one cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from kitgen.argocd.layers import find_synced_target
from kitgen.argocd.rules.applications import list_applications
from kitgen.argocd.synced_folders import list_rendered_folders
from kitgen.check.context import CheckContext
from kitgen.check.hits import LocatedHit, format_place
from kitgen.findings import make_problem
from kitgen.findings.records import origin_from_record, origin_to_record
from kitgen.kube.identity import ObjectId
from kitgen.text.values import group_pairs
from kitgen.text.wording import format_count, quote_text
from kitgen.text.yaml import Json

if TYPE_CHECKING:
    from kitgen.render.plan import TargetPlan

DESTINATION = ("spec", "destination")


def collect_owned(plan: TargetPlan) -> Json:
    """Return what the Applications of a plan own, by cluster, and whether labels choose the clusters."""
    if (synced := find_synced_target(plan)) is None:
        return []
    extra = plan.extras["argocd"].apart
    context = CheckContext(
        targets={extra.name: extra.objects}, minors=(), folders=list_rendered_folders([plan])
    )
    said = plan.target.argocd
    chosen = said is not None and not said.says_destination and bool(synced.fleet)
    return [
        [
            *(plan.target.name, extra.name, app.cluster, chosen, format_place(app.manifest.id, DESTINATION)),
            origin_to_record(app.manifest.find_origin(DESTINATION)),
            [[each.id.group, each.id.kind, each.id.namespace, each.id.name] for each in app.brought],
        ]
        for app in list_applications(context)
        if app.cluster
    ]


def check_owners(targets: Sequence[Json]) -> Iterator[LocatedHit]:
    """Yield targets that go to one cluster and own the same objects there, once for each pair."""
    apps = [each for target in targets for each in target]
    for cluster, on_cluster in group_pairs((app[2], app) for app in apps).items():
        by_target = group_pairs((app[0], app) for app in on_cluster)
        chosen = {name for name, some in by_target.items() if some[0][3]}
        for one, other in combinations(by_target, 2):
            if not {one, other} <= chosen:
                yield from _check_shared_objects(one, other, cluster, by_target[one], by_target[other])


def _check_shared_objects(
    one: str, other: str, cluster: str, first: Sequence[Json], second: Sequence[Json]
) -> Iterator[LocatedHit]:
    """Yield that two targets do not get on on a cluster, since both own some objects."""
    owned = {ObjectId(*each) for app in first for each in app[-1]}
    both = [identity for app in second for each in app[-1] if (identity := ObjectId(*each)) in owned]
    if not both:
        return
    # Releases hold more or fewer of them, and it is one thing to say.
    message = f"found that {one} and {other} both go to {quote_text(cluster)}, and own the same objects"
    example = next((each for each in both if each.kind == "CustomResourceDefinition"), both[0])
    hint = (
        f"both own {format_count(len(both), 'object')}, such as {example}: "
        f"kitgen conflicts {one} {other} lists them"
    )
    _, named, _, _, place, origin, _ = second[0]
    wrong = make_problem("argocd-cluster", message, hint=hint)
    yield LocatedHit(wrong.to_finding(origin_from_record(origin)), named, place)
