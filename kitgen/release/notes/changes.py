"""Tell changes once: what holds in all targets without naming them, and equal ones together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias, TypeVar

from msgspec.structs import replace

from kitgen.compare.change import About, Risk
from kitgen.compare.report.review_view import View
from kitgen.compare.review.access import GAINED, LOST, format_permissions
from kitgen.compare.review.change import HELD, PermissionChange, ReviewedChange
from kitgen.compare.upgrade.rules import UPGRADE_NAMESPACE, UPGRADE_RENAMED, UPGRADE_WEBHOOK
from kitgen.kube.rbac.access import RbacSubject
from kitgen.release.notes.model import NotedChange, ReasonedChanges, Topic, UpgradeStep
from kitgen.text.values import group_pairs

R = TypeVar("R", ReasonedChanges, Topic, UpgradeStep)
Subject: TypeAlias = Callable[[ReviewedChange], str]
Single: TypeAlias = tuple[ReviewedChange, str, str, tuple[str, ...]]
"""A change, what it is about, its words, and the targets if it does not hold in all."""
ELSEWHERE = (UPGRADE_NAMESPACE.id, UPGRADE_RENAMED.id)
"""Rules about objects that have another name or namespace, which all are named."""
OWN = "its own namespace"
FOUND = "found "
"""How findings begin, which changes of upgrades are told as."""
BEFORE = ", which they did not before"


def select_targets(scopes: Iterable[str], targets: tuple[str, ...]) -> tuple[str, ...]:
    """Return the targets that something holds in, or none if it holds in all."""
    found = {*scopes}
    return () if not found or found >= {*targets} else tuple(each for each in targets if each in found)


def sort_by_risk(found: Iterable[R]) -> tuple[R, ...]:
    """Return what has risks, the worst first."""
    return tuple(sorted(found, key=lambda each: each.risk.rank))


def find_worst_risk(changes: Iterable[ReviewedChange]) -> Risk:
    """Return the worst risk of some changes."""
    return min((each.risk for each in changes), key=lambda each: each.rank)


def group_by_reason(
    changes: Iterable[ReviewedChange], targets: tuple[str, ...], subject: Subject
) -> tuple[ReasonedChanges, ...]:
    """Tell changes in their order: those of one reason together."""
    return merge_by_reason(
        (each, name, _describe_change(each), select_targets(each.scopes, targets))
        for each in changes
        for name in (map(str, each.objects) if each.change.rule.id in ELSEWHERE else (subject(each),))
    )


def _describe_change(each: ReviewedChange) -> str:
    """Say what changed; findings of upgrades have words for those who make a release, not who take it."""
    rule, message = each.change.rule.id, each.change.message
    sides = [(one.right, one.left) for hold in each.holds for one in hold.differences]
    if rule == UPGRADE_NAMESPACE.id:
        return "; ".join(dict.fromkeys(f"now in the namespace {now}, was in {was}" for was, now in sides))
    if rule == UPGRADE_RENAMED.id:
        return "; ".join(dict.fromkeys(f"was called {was}" for was, _ in sides)) or message
    words = message.removeprefix(FOUND)
    if rule == UPGRADE_WEBHOOK.id:
        return words.removesuffix(BEFORE).replace(" that fail while ", " fail while ", 1)
    return words


def merge_by_reason(single: Iterable[Single]) -> tuple[ReasonedChanges, ...]:
    """Join what has the same reason, and in that what says the same of several subjects."""
    groups = group_pairs(
        (_reason_of(each), ((text, reach), subject)) for each, subject, text, reach in single
    )
    return tuple(
        replace(
            reason,
            changes=tuple(
                NotedChange(subjects=tuple(dict.fromkeys(subjects)), text=text, only=reach)
                for (text, reach), subjects in group_pairs(found).items()
            ),
        )
        for reason, found in groups.items()
    )


def _reason_of(each: ReviewedChange) -> ReasonedChanges:
    """Return the reason of a change; hints are for those who make a release, but for what shows the way."""
    change = each.change
    hint = change.hint if change.path and change.rule.about is not About.UPGRADE else ""
    return ReasonedChanges(risk=each.risk, rule=change.rule.id, reason=change.reason, hint=hint or None)


def group_object_changes(
    changes: Iterable[ReviewedChange], targets: tuple[str, ...], view: View
) -> tuple[ReasonedChanges, ...]:
    """Tell any changes of objects; those of permissions by who has them."""
    listed = list(changes)
    held = _describe_permissions((each for each in listed if each.change.rule.id in HELD), targets)
    others = (each for each in listed if each.change.rule.id not in HELD)
    return sort_by_risk((*merge_by_reason(held), *group_by_reason(others, targets, view.format_subject)))


def _describe_permissions(changes: Iterable[ReviewedChange], targets: tuple[str, ...]) -> Iterator[Single]:
    """Yield what somebody may do, once for all targets that he may do it in, whatever his namespace is."""
    groups = group_pairs(
        ((each.change.rule.id, *_drop_namespace(permitted)), (each, permitted.ones, hold.scope))
        for each in changes
        for hold in each.holds
        if (permitted := hold.permitted) is not None
    )
    for (_, who, where), found in groups.items():
        first = found[0][0]
        scopes = group_pairs((one, scope) for _, ones, scope in found for one in ones)
        by_reach = group_pairs(
            (select_targets(filter(None, some), targets), one) for one, some in scopes.items()
        )
        word = LOST if first.change.message.startswith(LOST) else GAINED
        for reach in sorted(by_reach):  # what holds in all targets is first
            permitted = PermissionChange(holder=who, where=where, ones=tuple(by_reach[reach]))
            yield first, str(who), f"{word} {format_permissions(permitted)}", reach


def _drop_namespace(permitted: PermissionChange) -> tuple[RbacSubject, str | None]:
    """Return somebody without his namespace, which each target chooses, and where he may do it."""
    who = permitted.holder
    home = permitted.where == who.namespace != ""
    return replace(who, namespace=""), OWN if home else permitted.where
