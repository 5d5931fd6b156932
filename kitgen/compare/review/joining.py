"""Tell the same change once: over all objects and targets that it holds in, the worst first."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from msgspec.structs import replace

from kitgen.compare.change import About
from kitgen.compare.review.change import Reviewed
from kitgen.text.values import collect

WORST = (
    *("upgrade-data", "crd-removed", "stored-version-removed", "crd-moved", "crd-moved-declared"),
    *(
        "version-removed",
        "upgrade-immutable",
        "scope-changed",
        "upgrade-namespace",
        "upgrade-permission-lost",
    ),
    *("access-everybody", "upgrade-permission-gained", "role-aggregated", "webhook-gone", "webhook-weaker"),
)
"""Rules whose changes stand before others of the same risk."""
AT = " in {}"
HELD = frozenset({"access-everybody", "upgrade-permission-gained", "upgrade-permission-lost"})
"""Rules about people and accounts, of whom several may gain or lose the same."""


def joined(found: Iterable[Reviewed]) -> tuple[Reviewed, ...]:
    """Return every change once, with all that it holds in; the worst come first."""
    groups = collect((_key(each), each) for each in found)
    return tuple(sorted((_one(group) for group in groups.values()), key=_order))


def _key(each: Reviewed) -> Hashable:
    """Return what makes two changes the same: in another target, or at the same field of another object."""
    change = each.change
    same = (change.rule.id, change.risk, change.message, change.detail, change.accepted)
    if change.type_name:
        return (*same, change.type_name, change.type_path)
    if change.rule.id == "schema-detail" or change.rule.id in HELD:
        return same
    field = change.path
    if field and each.holds[0].differences and change.rule.about is not About.UPGRADE and not change.versions:
        return (*same, field)
    if change.object.endswith(AT.format(each.holds[0].object.namespace)):  # targets have their own
        return (*same, str(each.holds[0].object), field)
    return (*same, change.object, change.versions, field)


def _one(group: list[Reviewed]) -> Reviewed:
    if len(group) == 1:
        return group[0]
    places = tuple(dict.fromkeys(place for each in group for place in each.change.places))
    return Reviewed(
        change=replace(group[0].change, places=places),
        holds=tuple(hold for each in group for hold in each.holds),
    )


def _order(each: Reviewed) -> tuple[object, ...]:
    change = each.change
    return (
        change.risk.rank,
        WORST.index(change.rule.id) if change.rule.id in WORST else len(WORST),
        change.rule.id,
        each.component,
        change.object,
        change.path,
        change.message,
    )
