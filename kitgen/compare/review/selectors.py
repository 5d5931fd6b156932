"""What no longer finds what it selects, or finds something else: labels changed, or a selector did."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from kitgen.compare.object_match import ObjectMatches, Pair
from kitgen.compare.objects.difference import Difference
from kitgen.compare.review.change import PlaceRanking, Pool, ReviewedChange
from kitgen.compare.review.scope import ReviewScope, format_before_after
from kitgen.findings import Path
from kitgen.kube.identity import ObjectId
from kitgen.kube.manifest import Manifest
from kitgen.kube.pods import TEMPLATES
from kitgen.kube.selectors import LabelSelector, matches_labels, read_pod_selector
from kitgen.report.text import format_object_name
from kitgen.text.values import group_pairs, map_at, value_at
from kitgen.text.wording import join_words
from kitgen.text.yaml import Json

LABELS: Path = ("metadata", "labels")
SERVICE = ("", "Service")
POLICY = ("networking.k8s.io", "NetworkPolicy")
MONITOR = ("monitoring.coreos.com", "ServiceMonitor")
WORKLOADS = frozenset(("apps", each) for each in ("DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"))
SELECTORS: Mapping[tuple[str, str], Path] = {
    SERVICE: ("spec", "selector"),
    POLICY: ("spec", "podSelector"),
    MONITOR: ("spec", "selector"),
    ("monitoring.coreos.com", "PodMonitor"): ("spec", "selector"),
    ("policy", "PodDisruptionBudget"): ("spec", "selector"),
    **dict.fromkeys(WORKLOADS, ("spec", "selector")),
}
"""Group and kind → where an object says what it selects in its namespace."""
LABELLED: Mapping[tuple[str, str], Path] = {kind: (*path, *LABELS) for kind, path in TEMPLATES.items()}
"""Group and kind → where an object has the labels of the pods that it makes."""
MOST, LOOKED_AT = 1_000, 200_000
"""How many things are looked at: of all that one selector may find, and by all selectors."""
NAMED = 3
Asked: TypeAlias = tuple[LabelSelector | None, LabelSelector | None]
"""What something asks for, as it was and as it is."""


class SelectionSide(Struct, frozen=True, kw_only=True):
    """Something that selects or is selected, as it was and as it is."""

    old: Manifest
    new: Manifest
    path: Path
    """Where its selector is, or its labels."""
    changed: bool
    """Whether that is not as it was."""

    @property
    def group_and_kind(self) -> tuple[str, str]:
        """Return its group and kind."""
        return self.new.id.group, self.new.id.kind

    @property
    def before_and_after(self) -> tuple[Json, Json]:
        """Return its selector or labels, as they were and as they are."""
        return value_at(self.old.body, *self.path), value_at(self.new.body, *self.path)


Labelled: TypeAlias = Mapping[tuple[str, ...], Sequence[SelectionSide]]
"""A namespace, alone or with a label and its value → things."""


class SelectorMatch(NamedTuple):
    """That one thing finds another no longer, or finds it now."""

    by: SelectionSide
    what: SelectionSide
    lost: bool

    @property
    def cause(self) -> SelectionSide:
        """Return the one of both that changed."""
        return self.by if self.by.changed else self.what


def review_selectors(scope: ReviewScope, matched: ObjectMatches, pool: Pool) -> Iterator[ReviewedChange]:
    """Yield what is selected otherwise, with the differences of labels and selectors behind it."""
    every = (
        SelectorMatch(by, what, lost=was)
        for by, asked, what in islice(_find_candidates(matched.pairs), LOOKED_AT)
        for was, now in [map(_matches_selector, asked, what.before_and_after)]
        if was is not now
    )
    groups = group_pairs(((each.cause.new.id, each.lost), each) for each in every)
    behind: dict[ObjectId, Difference] = {}
    for (name, _), some in sorted(groups.items(), key=lambda group: not group[0][1]):
        told = pool.take(name, _build_path_filter(some))
        if first := behind.setdefault(name, told[0]) if told else behind.get(name):
            yield _build_reviewed_change(scope, some, first, told)


def _find_candidates(matched: Sequence[Pair]) -> Iterator[tuple[SelectionSide, Asked, SelectionSide]]:
    """Yield what selects, what it asks for and what it may find, where one of both changed."""
    pods, services = (
        _sides_by_label(_collect_sides(matched, LABELLED)),
        _sides_by_label(_collect_sides(matched, {SERVICE: LABELS})),
    )
    for by in _collect_sides(matched, SELECTORS):
        asked = (
            _parse_selector(by.group_and_kind, by.before_and_after[0]),
            _parse_selector(by.group_and_kind, by.before_and_after[1]),
        )
        near = _find_selectable(services if by.group_and_kind == MONITOR else pods, by, asked)
        if by.group_and_kind in WORKLOADS:  # no update may change its selector, and that is told
            near = () if by.changed else _collect_sides([(by.old, by.new)], LABELLED)
        for what in near:
            if (by.changed or what.changed) and by.old.id.namespace == what.old.id.namespace:
                yield by, asked, what


def _collect_sides(
    matched: Sequence[Pair], places: Mapping[tuple[str, str], Path]
) -> Iterator[SelectionSide]:
    for old, new in matched:
        if path := places.get((new.id.group, new.id.kind)):
            yield SelectionSide(
                old=old, new=new, path=path, changed=value_at(old.body, *path) != value_at(new.body, *path)
            )


def _sides_by_label(things: Iterable[SelectionSide]) -> Labelled:
    """Return things by their namespaces, and by each pair of labels there, as it was or is."""
    return group_pairs(
        ((each.new.id.namespace, *pair), each) for each in things for pair in ((), *_collect_labels(each))
    )


def _find_selectable(
    things: Labelled, by: SelectionSide, asked: Iterable[LabelSelector | None]
) -> Iterable[SelectionSide]:
    """Return what something may select: some of it, if it is much."""
    found: dict[int, SelectionSide] = {}
    for terms in asked:
        if terms is not None:
            pair = next(((each.key, *each.values) for each in terms if each.is_pair), ())
            found |= {id(each): each for each in islice(things.get((by.new.id.namespace, *pair), ()), MOST)}
    return found.values()


def _collect_labels(thing: SelectionSide) -> set[tuple[str, str]]:
    """Return the labels of something, as they were and as they are."""
    every = (pair for labels in thing.before_and_after for pair in map_at(labels).items())
    return {(key, value) for key, value in every if isinstance(value, str)}


def _parse_selector(kind: tuple[str, str], said: Json) -> LabelSelector | None:
    if kind == SERVICE:  # without a selector, somebody else says where it leads
        return read_pod_selector({"matchLabels": said}) or None
    return read_pod_selector(said)


def _matches_selector(terms: LabelSelector | None, labels: Json) -> bool:
    return terms is not None and matches_labels(terms, map_at(labels))


def _build_path_filter(some: Sequence[SelectorMatch]) -> Callable[[Path], bool]:
    """Return what tells the differences of a selector, or of the labels that are asked for."""
    cause, own = some[0].cause, some[0].by.changed
    depth = len(cause.path)
    asked = {
        term.key
        for each in some
        for said in each.by.before_and_after
        for term in _parse_selector(each.by.group_and_kind, said) or ()
    }

    def meant(path: Path) -> bool:
        if len(path) <= depth:
            return bool(path) and path == cause.path[: len(path)]
        return path[:depth] == cause.path and (own or path[depth] in asked)

    return meant


def _build_reviewed_change(
    scope: ReviewScope, some: Sequence[SelectorMatch], first: Difference, told: Sequence[Difference]
) -> ReviewedChange:
    cause, own, lost = some[0].cause, some[0].by.changed, some[0].lost
    names = list(dict.fromkeys(str((each.what if own else each.by).new.id) for each in some))
    named, several = join_words(names, last="and", most=NAMED), len(names) > 1
    if own:
        effect = f"it does not find {named} any more" if lost else f"it finds {named} too"
    elif lost:
        effect = f"{named} {'do' if several else 'does'} not find it any more"
    else:
        effect = f"{named} {'find' if several else 'finds'} it too"
    return ReviewedChange(
        change=PlaceRanking(_find_worst_rule(some)).build_change(
            format_object_name(cause.new.id), first.field, f"{format_before_after(first)}: {effect}"
        ),
        holds=(scope.build_location(cause.new, first.path, told),),
    )


def _find_worst_rule(some: Sequence[SelectorMatch]) -> str:
    """Return the rule that ranks what is selected otherwise, the worst one."""
    kinds = {each.by.group_and_kind for each in some}
    if some[0].lost and kinds & {SERVICE, *WORKLOADS}:
        return "selection-lost"
    return "policy-changed" if POLICY in kinds else "selection-changed"
