"""Owners: targets that bring the same objects to one cluster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from kitgen.argocd.layers import find_synced_target
from kitgen.argocd.rules.applications import App
from kitgen.check.context import CheckContext, CheckHit
from kitgen.files.root import ARGOCD
from kitgen.findings import make_problem
from kitgen.text.values import group_pairs
from kitgen.text.wording import format_count, quote_text

if TYPE_CHECKING:
    from kitgen.render.plan import TargetPlan


def check_owners(context: CheckContext, apps: Sequence[App]) -> Iterator[CheckHit]:
    """Yield targets that go to one cluster and own the same objects there, once for each pair."""
    chosen = {plan.target.name for plan in context.plans if _is_chosen_by_labels(plan)}
    for on_cluster in group_pairs((app.cluster, app) for app in apps if app.target and app.cluster).values():
        targets = group_pairs((app.target.removesuffix(f"/{ARGOCD}"), app) for app in on_cluster)
        for one, other in combinations(targets, 2):
            if not {one, other} <= chosen:
                yield from _check_shared_objects(f"{one} {other}", targets[one], targets[other])


def _is_chosen_by_labels(plan: TargetPlan) -> bool:
    """Tell whether labels of clusters choose a target, and it says no cluster of its own beside that."""
    said, synced = plan.target.argocd, find_synced_target(plan)
    return said is not None and not said.says_destination and bool(synced and synced.fleet)


def _check_shared_objects(names: str, one: Sequence[App], other: Sequence[App]) -> Iterator[CheckHit]:
    """Yield that two targets do not get on on a cluster, since both own some objects."""
    owned = {each.id for app in one for each in app.brought}
    both = [each.id for app in other for each in app.brought if each.id in owned]
    if not both:
        return
    # Releases hold more or fewer of them, and it is one thing to say.
    message = (
        f"found that {names.replace(' ', ' and ')} both go to {quote_text(other[0].cluster)}, "
        "and own the same objects"
    )
    first = next((each for each in both if each.kind == "CustomResourceDefinition"), both[0])
    hint = (
        f"both own {format_count(len(both), 'object')}, such as {first}: kitgen conflicts {names} lists them"
    )
    yield CheckHit(
        other[0].target,
        other[0].manifest,
        make_problem("argocd-cluster", message, ("spec", "destination"), hint),
    )
