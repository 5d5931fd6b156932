"""Changes of objects: where each holds, what rules say before that is known, and differences that none tells.

The same change is reported once, over all objects and targets that it holds in (`join_changes`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from kitgen.compare.change import About, Change, ChangePlace, Risk, build_change
from kitgen.compare.objects.difference import Difference
from kitgen.findings import Finding, Origin, Path, Problem
from kitgen.kube.identity import ObjectId
from kitgen.kube.manifest import Manifest
from kitgen.kube.rbac.access import RbacSubject
from kitgen.kube.rbac.rules import SinglePermission
from kitgen.text.values import group_pairs


class PermissionChange(Struct, frozen=True, kw_only=True):
    """What somebody may do that he could not, or no longer."""

    holder: RbacSubject
    where: str | None
    """The namespace; None for the whole cluster."""
    ones: tuple[SinglePermission, ...]


class ChangeLocation(Struct, frozen=True, kw_only=True):
    """Where a change holds: a target, an object, the differences in it and the spec behind them."""

    scope: str = ""
    """The target; empty where only one thing is compared with another."""
    object: ObjectId
    component: str = ""
    """Of the kit, or what else the object belongs to."""
    origin: Origin | None = None
    """The place in the specs that caused it."""
    differences: tuple[Difference, ...] = ()
    """What is not the same, from now (left) to before (right); none where others hold them."""
    permitted: PermissionChange | None = None
    """Where it is about what somebody may do."""


class ReviewedChange(Struct, frozen=True, kw_only=True):
    """One change, with all the places that it holds in."""

    change: Change
    holds: tuple[ChangeLocation, ...]

    @property
    def risk(self) -> Risk:
        """Return how bad it is."""
        return self.change.risk

    @property
    def scopes(self) -> tuple[str, ...]:
        """Return the targets that it reaches."""
        return tuple(dict.fromkeys(each.scope for each in self.holds if each.scope))

    @property
    def objects(self) -> tuple[ObjectId, ...]:
        """Return the objects that it is in."""
        return tuple(dict.fromkeys(each.object for each in self.holds))

    @property
    def is_move(self) -> bool:
        """Return whether it is a move that a migration declares, which even short reports show."""
        return self.change.rule.id == "crd-moved-declared"

    @property
    def component(self) -> str:
        """Return the component of the first place."""
        return self.holds[0].component


class ReviewResult(Struct, frozen=True, kw_only=True):
    """What changes."""

    names: tuple[str, str]
    """What the two sides are called."""
    changes: tuple[ReviewedChange, ...]
    scopes: tuple[str, ...]
    """The targets that were compared, if they are several."""
    sides: Mapping[str, tuple[Sequence[Manifest], Sequence[Manifest]]]
    """The objects of both sides, by target."""
    texts: Mapping[str, str]
    """What was read, for the lines of origins."""
    remarks: tuple[str, ...] = ()
    """What was not compared."""
    unread: tuple[Finding, ...] = ()
    """Migrations that do not count, since they are wrong."""


class PlaceRanking(Struct, frozen=True):
    """What a rule says of a place of an object, before it is known which differences are in that place."""

    rule: str
    message: str = ""
    """Empty if the two values say enough."""
    path: Path = ()
    hint: str = ""
    risk: Risk | None = None
    """This, the reason and who feels it are those of the rule, unless the circumstances say otherwise."""
    reason: str = ""
    felt_by: str = ""

    def build_change(self, what: str, field: str, message: str) -> Change:
        """Return it as a change of an object."""
        return build_change(
            ChangePlace(what, path=field),
            self.rule,
            message,
            risk=self.risk,
            reason=self.reason,
            felt_by=self.felt_by,
            hint=self.hint,
        )


class WordIndex:
    """Which of many words is the first on a place: one on it, on what it is in, or on something in it."""

    def __init__(self, said: Iterable[tuple[int, PlaceRanking]]) -> None:
        """Take words with their numbers, the lowest first."""
        numbered = [*said][::-1]  # so that the first is set last
        self._at = {each.path: number for number, each in numbered if each.path}
        self._around = {
            each.path[:size]: number for number, each in numbered for size in range(1, len(each.path))
        }

    def find(self, path: Path) -> int | None:
        """Return the number of the first word on a place, if there is one."""
        starts = (path[:size] for size in range(1, len(path) + 1))
        found = [self._at[each] for each in starts if each in self._at]
        return min([*found, *([self._around[path]] if path in self._around else [])], default=None)


def rank_problem(problem: Problem, risk: Risk | None = None) -> PlaceRanking:
    """Return what a rule of upgrades says, as `kitgen check --baseline` has it."""
    return PlaceRanking(problem.rule.id, problem.message, problem.path, problem.hint, risk)


class Pool:
    """Differences that no change tells of yet, by object."""

    def __init__(self, found: Mapping[ObjectId, list[Difference]]) -> None:
        """Take all that there are."""
        self._found = dict(found)

    def __contains__(self, name: ObjectId) -> bool:
        return bool(self._found.get(name))

    def take(self, name: ObjectId, meant: Callable[[Path], bool] = lambda _: True) -> list[Difference]:
        """Return the differences of an object at places that are meant, and have them no more."""
        found = self._found.get(name, [])
        taken = [each for each in found if meant(each.path)]
        self._found[name] = [each for each in found if not meant(each.path)]
        return taken


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


def join_changes(found: Iterable[ReviewedChange]) -> tuple[ReviewedChange, ...]:
    """Return every change once, with all that it holds in; the worst come first."""
    groups = group_pairs((_equality_key(each), each) for each in found)
    return tuple(sorted((_join_group(group) for group in groups.values()), key=_sort_key))


def _equality_key(each: ReviewedChange) -> Hashable:
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


def _join_group(group: list[ReviewedChange]) -> ReviewedChange:
    places = tuple(dict.fromkeys(place for each in group for place in each.change.places))
    return ReviewedChange(
        change=replace(group[0].change, places=places),
        holds=tuple(hold for each in group for hold in each.holds),
    )


def _sort_key(each: ReviewedChange) -> tuple[object, ...]:
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
