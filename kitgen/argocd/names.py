"""Names of Applications, sets of them and projects: those of all targets stand in one Argo CD."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from kitgen.argocd.layers import find_synced_target
from kitgen.check.hits import LocatedHit
from kitgen.findings import Origin, make_problem
from kitgen.findings.records import origin_from_record, origin_to_record
from kitgen.kube.identity import ObjectId
from kitgen.text.yaml import Json

if TYPE_CHECKING:
    from kitgen.render.plan import TargetPlan

NAME = ("metadata", "name")


def collect_names(plan: TargetPlan) -> Json:
    """Return the identities of what Argo CD is told of a plan, with the origins of object and name."""
    synced = find_synced_target(plan)
    return [
        [
            *(each.id.group, each.id.kind, each.id.namespace, each.id.name),
            *(origin_to_record(each.find_origin(path)) for path in ((), NAME)),
        ]
        for each in (synced.argocd_objects if synced else ())
    ]


def check_names(targets: Sequence[Json]) -> Iterator[LocatedHit]:
    """Yield names that come twice, or that Argo CD has itself."""
    first: dict[ObjectId, Origin] = {}
    for group, kind, namespace, name, *places in (each for target in targets for each in target):
        identity = ObjectId(group, kind, namespace, name)
        whole, at = map(origin_from_record, places)
        if kind == "AppProject" and name == "default":
            wrong = make_problem(
                "argocd-name",
                "found the project 'default', which Argo CD brings itself, expected another name",
                hint="leave it out, and it is called after kit and target",
            )
            yield LocatedHit(wrong.to_finding(at))
        elif (other := first.setdefault(identity, whole)) is not whole:
            wrong = make_problem(
                "argocd-name",
                f"found a second {identity} in the namespace {namespace}",
                hint=f"the first comes from {other}",
            )
            yield LocatedHit(wrong.to_finding(at))
