"""Tell changes once: what holds in all targets without naming them, and equal ones together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

from msgspec.structs import replace

from kitgen.diff.risk import Risk
from kitgen.notes.model import Told
from kitgen.objects.rbac.access import Holder
from kitgen.objects.rbac.rules import One
from kitgen.report.reviews import View
from kitgen.review import HELD, Reviewed
from kitgen.review.access import GAINED, LOST, said
from kitgen.review.change import Permitted

Subject: TypeAlias = Callable[[Reviewed], str]
OWN = "its own namespace"


def only(scopes: Iterable[str], targets: tuple[str, ...]) -> tuple[str, ...]:
    """Return the targets that something holds in, or none if it holds in all."""
    found = {*scopes}
    return () if not found or found >= {*targets} else tuple(each for each in targets if each in found)


def told(changes: Iterable[Reviewed], targets: tuple[str, ...], subject: Subject) -> tuple[Told, ...]:
    """Tell changes in their order; those that say the same of several subjects are one."""
    single = (
        Told(
            risk=each.risk.value,
            rule=each.change.rule.id,
            subjects=(subject(each),),
            text=each.change.message,
            reason=each.change.reason,
            hint=each.change.hint or None,
            only=only(each.scopes, targets),
        )
        for each in changes
    )
    return together(single)


def together(single: Iterable[Told]) -> tuple[Told, ...]:
    """Join what says the same of several subjects."""
    groups: dict[Told, list[str]] = {}
    for each in single:
        groups.setdefault(replace(each, subjects=()), []).extend(each.subjects)
    return tuple(replace(each, subjects=tuple(dict.fromkeys(found))) for each, found in groups.items())


def told_any(changes: Iterable[Reviewed], targets: tuple[str, ...], view: View) -> tuple[Told, ...]:
    """Tell any changes of objects; those of permissions by who has them."""
    listed = list(changes)
    held = [each for each in listed if each.change.rule.id in HELD]
    found = [*_permissions(held, targets), *told((e for e in listed if e not in held), targets, view.subject)]
    return tuple(sorted(found, key=lambda each: Risk(each.risk).rank))


def _permissions(changes: Iterable[Reviewed], targets: tuple[str, ...]) -> tuple[Told, ...]:
    """Tell what somebody may do, once for all targets that he may do it in, whatever his namespace is."""
    groups: dict[tuple[str, str, Holder, str | None], dict[One, dict[str, None]]] = {}
    first: dict[tuple[str, str, Holder, str | None], Reviewed] = {}
    for each in changes:
        for hold in each.holds:
            if (permitted := hold.permitted) is not None:
                key = (each.risk.value, each.change.rule.id, *_anywhere(permitted))
                first.setdefault(key, each)
                for one in permitted.ones:
                    groups.setdefault(key, {}).setdefault(one, {})[hold.scope] = None
    return together(
        _permission(first[key], key[2], key[3], ones, reach)
        for key, found in groups.items()
        for reach, ones in _by_reach(found, targets)
    )


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


def _permission(
    each: Reviewed, who: Holder, where: str | None, ones: tuple[One, ...], reach: tuple[str, ...]
) -> Told:
    word = LOST if each.change.message.startswith(LOST) else GAINED
    text = said(Permitted(holder=who, where=where, ones=ones))
    return Told(
        risk=each.risk.value,
        rule=each.change.rule.id,
        subjects=(str(who),),
        text=f"{word} {text}",
        reason=each.change.reason,
        hint=each.change.hint or None,
        only=reach,
    )
