"""Everything that changes in one target, or between one thing and another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from kitgen.compare.change import Risk, limit_results
from kitgen.compare.crd_match import Crds, find_moved_groups, select_changed_crds
from kitgen.compare.object_match import ObjectMatches, match_objects
from kitgen.compare.objects.compare import compare_objects, is_same_state
from kitgen.compare.objects.crds import SchemaComparison
from kitgen.compare.objects.difference import ABSENT, AbsentValue, Difference
from kitgen.compare.review import crds as schemas
from kitgen.compare.review.access import review_access, review_unknown_roles
from kitgen.compare.review.change import PlaceRanking, Pool, ReviewedChange, WordIndex, rank_problem
from kitgen.compare.review.fields import rule_of
from kitgen.compare.review.live_objects import is_server_default
from kitgen.compare.review.object_rules import describe_pod_violations, rank_object_changes
from kitgen.compare.review.scope import ReviewScope, format_before_after, format_path
from kitgen.compare.review.selectors import review_selectors
from kitgen.compare.review.webhooks import build_narrowing_check
from kitgen.compare.review.whole_objects import rank_added_object, rank_removed_object
from kitgen.compare.upgrade.permissions import compare_permissions, is_access_unchanged
from kitgen.compare.upgrade.removed_objects import report_namespace_moves, report_rename
from kitgen.compare.upgrade.webhooks import check_failing_webhooks
from kitgen.findings import Path
from kitgen.kube.identity import ObjectId
from kitgen.kube.manifest import Manifest
from kitgen.kube.pods import CONTAINERS
from kitgen.kube.rbac.access import BINDINGS, ROLES
from kitgen.report.text import format_object_name
from kitgen.text.values import group_pairs, value_at
from kitgen.text.yaml import dump_yaml

CRD = "CustomResourceDefinition"
NAME, NAMESPACE = ("metadata", "name"), ("metadata", "namespace")
HOLDERS = frozenset((each,) for each in CONTAINERS)
"""The last step but one on the way to a container."""
MAX_DIFFERENCES = 30_000
"""Each becomes a change with its place and its words."""
BY_OTHERS = frozenset({*ROLES, *BINDINGS})
"""Kinds that nobody calls by name but each other: what a new name permits is told of those who hold it."""


def review_scope(scope: ReviewScope) -> list[ReviewedChange]:
    """Return every change in a scope, before equal ones are joined."""
    if is_same_state(scope.before, scope.after):
        return []
    known = select_changed_crds(scope.before, scope.after, scope.moves)
    matched = match_objects(scope.before, scope.after, find_moved_groups(*known, scope.moves))
    pool = Pool(_collect_differences(matched))
    return [
        *_review_permissions(scope, matched, pool),
        *_review_moved(scope, matched, pool),
        *_review_crds(scope, known, pool),
        *review_selectors(scope, matched, pool),
        *(each for old, new in matched.kept for each in _review_pair(scope, old, new, pool, kept=True)),
        *(each for old, new in matched.pairs for each in _review_pair(scope, old, new, pool)),
        *_review_added_removed(scope, matched, known),
        # That webhooks came on which requests depend now is told beside it.
        *(
            _build_reviewed_change(scope, one, rank_problem(each), "", each.path, [])
            for one, each in check_failing_webhooks(matched)
        ),
        *_review_nameless(scope),
    ]


def _review_permissions(scope: ReviewScope, matched: ObjectMatches, pool: Pool) -> Iterator[ReviewedChange]:
    """Yield what somebody may do that he could not, or no longer."""
    if not is_access_unchanged(scope.before, scope.after, matched):
        access = compare_permissions(scope.before, scope.after, matched, {})
        yield from review_access(scope, access, matched, pool)
        yield from review_unknown_roles(scope, access, pool)


def _collect_differences(matched: ObjectMatches) -> dict[ObjectId, list[Difference]]:
    """Return what is not the same in objects that are there still, at the places of now."""
    schemas = SchemaComparison()
    every = (
        each.to_difference(new.id)
        for old, new in matched.pairs
        for each in compare_objects(new.body, old.body, schemas)
    )
    return group_pairs((each.object, each) for each in limit_results(every, MAX_DIFFERENCES, "differences"))


def _review_nameless(scope: ReviewScope) -> Iterator[ReviewedChange]:
    """Yield objects that get their names on the cluster: nothing tells which of them is which."""
    before, after = ([each for each in side if not each.id.name] for side in (scope.before, scope.after))
    for some, others, gone in ((after, before, False), (before, after, True)):
        known = {dump_yaml(each.body) for each in others}
        yield from (
            _review_object(scope, each, gone=gone) for each in some if dump_yaml(each.body) not in known
        )


def _review_pair(
    scope: ReviewScope, old: Manifest, new: Manifest, pool: Pool, *, kept: bool = False
) -> Iterator[ReviewedChange]:
    """Yield the changes of an object: what rules say, each with its differences, then all that is left."""
    if new.id not in pool:
        return
    every = list(enumerate(rank_object_changes(old.body, new.body, scope.minor, kept=kept)))
    first, others = WordIndex(every), WordIndex(each for each in every if each[1].rule != "pod-weaker")
    # That a container came is told beside what is wrong with it.
    told = group_pairs(
        ((others if each.path[-2:-1] in HOLDERS else first).find(each.path), each)
        for each in pool.take(new.id)
    )
    for number, judged in every:
        some = told.get(number, [])
        said = some[0].field if some else format_path(new.body, judged.path)
        yield _build_reviewed_change(scope, new, judged, said, judged.path, some)
    is_narrowed = build_narrowing_check(old.body, new.body, lambda: scope.served_versions)
    yield from (_review_difference(scope, new, each, is_narrowed) for each in told.get(None, []))


def _review_difference(
    scope: ReviewScope, one: Manifest, each: Difference, is_narrowed: Callable[[int], bool]
) -> ReviewedChange:
    narrowed = each.path[::2][:2] == ("webhooks", "rules") and is_narrowed(int(each.path[1]))
    rule = "default-written" if _is_server_filled(one, each) else rule_of(each, narrowed=narrowed)
    return _build_reviewed_change(scope, one, PlaceRanking(rule), each.field, each.path, [each])


def _is_server_filled(one: Manifest, each: Difference) -> bool:
    """Return whether one side says what servers fill in on the other."""
    if (each.left is ABSENT) is (each.right is ABSENT) or each.path[:1] == ("metadata",):
        return False
    value = each.right if each.left is ABSENT else each.left
    return not isinstance(value, AbsentValue) and is_server_default(
        one.id, each.path, value, value_at(one.body, *each.path[:-1])
    )


def _build_reviewed_change(
    scope: ReviewScope,
    one: Manifest,
    judged: PlaceRanking,
    said: str,
    path: Path,
    told: Sequence[Difference],
    *,
    gone: bool = False,
) -> ReviewedChange:
    return ReviewedChange(
        change=judged.build_change(
            format_object_name(one.id), said, judged.message or format_before_after(told[0])
        ),
        holds=(scope.build_location(one, path, told, gone=gone),),
    )


def _review_crds(scope: ReviewScope, known: tuple[Crds, Crds], pool: Pool) -> Iterator[ReviewedChange]:
    """Yield the changes of CRDs, and what of their schemas no rule has a word for."""
    changes = [
        *limit_results(schemas.find_crd_changes(*known, scope.moves), MAX_DIFFERENCES, "changes of CRDs")
    ]
    former, owners = (
        {each.id.name: each for each in side if each.id.kind == CRD and each.id.name in crds}
        for side, crds in zip((scope.before, scope.after), known, strict=True)
    )
    # Rules of CRDs speak of the spec, and of the name that has the group.
    raw = [
        each
        for one in owners.values()
        for each in pool.take(one.id, lambda path: path[:1] == ("spec",) or path == NAME)
    ]
    told, left = schemas.assign_differences(changes, raw)
    numbers = schemas.index_crd_versions(known[1])
    for index, change in enumerate(changes):
        holds = []
        for name, path in schemas.locate_in_crds(change, known[1], numbers):
            gone = name not in owners
            one = (former if gone else owners)[name]
            some = [each for each in told.get(index, ()) if each.object.name == name]
            whole = (
                [_build_object_difference(one, gone=gone)]
                if change.rule.id in ("crd-added", "crd-removed")
                else []
            )
            # A feature that changes a keyword of a field is behind it, and not who declares the field.
            exact = next((each.path for each in some if each.path[: len(path)] == path), path)
            holds.append(scope.build_location(one, exact, [*whole, *some], gone=gone))
        yield ReviewedChange(change=change, holds=tuple(holds))
    yield from (
        ReviewedChange(
            change=change,
            holds=tuple(
                scope.build_location(owners[each.object.name], each.path, [each]) for each in details
            ),
        )
        for change, details in schemas.group_details(left)
    )


def _review_moved(scope: ReviewScope, matched: ObjectMatches, pool: Pool) -> Iterator[ReviewedChange]:
    """Yield objects that have another name, or are in another namespace."""
    for old, new in matched.renamed:
        judged = rank_problem(
            report_rename(old.body, new.body), Risk.BEHAVIOUR if new.id.kind in BY_OTHERS else None
        )
        yield _build_reviewed_change(
            scope, new, judged, "metadata.name", NAME, pool.take(new.id, lambda path: path == NAME)
        )
    for some, problem in report_namespace_moves(matched.moved):
        holds = tuple(
            scope.build_location(new, NAMESPACE, pool.take(new.id, lambda path: path == NAMESPACE))
            for _, new in some
        )
        change = rank_problem(problem).build_change(
            format_object_name(min(new.id for _, new in some)), "metadata.namespace", problem.message
        )
        yield ReviewedChange(change=change, holds=holds)


def _review_added_removed(
    scope: ReviewScope, matched: ObjectMatches, known: tuple[Crds, Crds]
) -> Iterator[ReviewedChange]:
    """Yield objects that came or went; CRDs among them are told by their own rules."""
    for gone, some, crds in ((False, matched.added, known[1]), (True, matched.gone, known[0])):
        others = (each for each in some if not (each.id.kind == CRD and each.id.name in crds))
        yield from (_review_object(scope, each, gone=gone) for each in others)


def _review_object(scope: ReviewScope, one: Manifest, *, gone: bool) -> ReviewedChange:
    judged = rank_removed_object(one.body) if gone else rank_added_object(one.body)
    if not gone and (said := describe_pod_violations(one.body, scope.minor)):
        judged = PlaceRanking("pod-weaker", f"{judged.message}, and has {said}")
    return _build_reviewed_change(
        scope, one, judged, "", (), [_build_object_difference(one, gone=gone)], gone=gone
    )


def _build_object_difference(one: Manifest, *, gone: bool) -> Difference:
    return Difference(object=one.id, left=ABSENT if gone else one.body, right=one.body if gone else ABSENT)
