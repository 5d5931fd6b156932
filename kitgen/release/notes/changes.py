"""Tell changes once: what holds in all targets without naming them, and equal ones together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from msgspec.structs import replace

from kitgen.compare.change import About
from kitgen.compare.report.review_view import View
from kitgen.compare.review.access import GAINED, LOST, said
from kitgen.compare.review.change import HELD, Permitted, Reviewed
from kitgen.compare.upgrade.rules import UPGRADE_NAMESPACE, UPGRADE_RENAMED, UPGRADE_WEBHOOK
from kitgen.kube.rbac.access import Holder
from kitgen.kube.rbac.rules import One
from kitgen.release.notes.model import NotedChange, ReasonedChanges

Subject: TypeAlias = Callable[[Reviewed], str]
Single: TypeAlias = tuple[Reviewed, str, str, tuple[str, ...]]
"""A change, what it is about, its words, and the targets if it does not hold in all."""
ELSEWHERE = (UPGRADE_NAMESPACE.id, UPGRADE_RENAMED.id)
"""Rules about objects that have another name or namespace, which all are named."""
OWN = "its own namespace"
FOUND = "found "
"""How findings begin, which changes of upgrades are told as."""
BEFORE = ", which they did not before"


def only(scopes: Iterable[str], targets: tuple[str, ...]) -> tuple[str, ...]:
    """Return the targets that something holds in, or none if it holds in all."""
    found = {*scopes}
    return () if not found or found >= {*targets} else tuple(each for each in targets if each in found)


def told(
    changes: Iterable[Reviewed], targets: tuple[str, ...], subject: Subject
) -> tuple[ReasonedChanges, ...]:
    """Tell changes in their order: those of one reason together."""
    return together(
        (each, name, _words(each), only(each.scopes, targets))
        for each in changes
        for name in (map(str, each.objects) if each.change.rule.id in ELSEWHERE else (subject(each),))
    )


def _words(each: Reviewed) -> str:
    """Say what changed; findings of upgrades have words for those who make a release, not who take it."""
    change = each.change
    if change.rule.id == UPGRADE_NAMESPACE.id:
        ways = ((one.right, one.left) for hold in each.holds for one in hold.differences)
        return "; ".join(dict.fromkeys(f"now in the namespace {now}, was in {was}" for was, now in ways))
    if change.rule.id == UPGRADE_RENAMED.id:
        names = (one.right for hold in each.holds for one in hold.differences)
        return "; ".join(dict.fromkeys(f"was called {name}" for name in names)) or change.message
    said = change.message.removeprefix(FOUND)
    if change.rule.id == UPGRADE_WEBHOOK.id:
        said = said.removesuffix(BEFORE).replace(" that fail while ", " fail while ", 1)
    return said


def together(single: Iterable[Single]) -> tuple[ReasonedChanges, ...]:
    """Join what has the same reason, and in that what says the same of several subjects."""
    groups: dict[ReasonedChanges, dict[tuple[str, tuple[str, ...]], list[str]]] = {}
    for each, subject, text, reach in single:
        change = each.change
        # Others are for those who make the release; whoever takes it is told what to do.
        hint = change.hint if change.path and change.rule.about is not About.UPGRADE else ""
        reason = ReasonedChanges(risk=each.risk, rule=change.rule.id, reason=change.reason, hint=hint or None)
        groups.setdefault(reason, {}).setdefault((text, reach), []).append(subject)
    return tuple(replace(reason, changes=tuple(_joined(found))) for reason, found in groups.items())


def _joined(found: dict[tuple[str, tuple[str, ...]], list[str]]) -> Iterator[NotedChange]:
    for (text, reach), subjects in found.items():
        yield NotedChange(subjects=tuple(dict.fromkeys(subjects)), text=text, only=reach)


def told_any(
    changes: Iterable[Reviewed], targets: tuple[str, ...], view: View
) -> tuple[ReasonedChanges, ...]:
    """Tell any changes of objects; those of permissions by who has them."""
    listed = list(changes)
    held = [each for each in listed if each.change.rule.id in HELD]
    others = [each for each in listed if each.change.rule.id not in HELD]
    found = [*together(_permissions(held, targets)), *told(others, targets, view.subject)]
    return tuple(sorted(found, key=lambda each: each.risk.rank))


def _permissions(changes: Iterable[Reviewed], targets: tuple[str, ...]) -> Iterator[Single]:
    """Yield what somebody may do, once for all targets that he may do it in, whatever his namespace is."""
    groups: dict[tuple[str, Holder, str | None], dict[One, dict[str, None]]] = {}
    first: dict[tuple[str, Holder, str | None], Reviewed] = {}
    for each in changes:
        for hold in each.holds:
            if (permitted := hold.permitted) is not None:
                key = (each.change.rule.id, *_anywhere(permitted))
                first.setdefault(key, each)
                for one in permitted.ones:
                    groups.setdefault(key, {}).setdefault(one, {})[hold.scope] = None
    for key, found in groups.items():
        word = LOST if first[key].change.message.startswith(LOST) else GAINED
        _, who, where = key
        for reach, ones in _by_reach(found, targets):
            text = said(Permitted(holder=who, where=where, ones=ones))
            yield first[key], str(who), f"{word} {text}", reach


def _anywhere(permitted: Permitted) -> tuple[Holder, str | None]:
    """Return somebody without his namespace, which each target chooses, and where he may do it."""
    who = permitted.holder
    home = permitted.where == who.namespace != ""
    return replace(who, namespace=""), OWN if home else permitted.where


def _by_reach(
    found: dict[One, dict[str, None]], targets: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], tuple[One, ...]]]:
    """Yield permissions by the targets that they hold in, those of all targets first."""
    groups: dict[tuple[str, ...], list[One]] = {}
    for one, scopes in found.items():
        groups.setdefault(only(filter(None, scopes), targets), []).append(one)
    for reach in sorted(groups, key=lambda each: (len(each) > 0, each)):
        yield reach, tuple(groups[reach])
