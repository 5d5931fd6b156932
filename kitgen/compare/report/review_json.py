"""Write what changes on a cluster as JSON: everything, with all the places that each change is in."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from kitgen.compare.change import Risk
from kitgen.compare.objects.difference import ABSENT, redact_sides
from kitgen.compare.report.changes import RiskCounts
from kitgen.compare.report.review_view import View, count_by_risk
from kitgen.compare.review.change import ChangeLocation
from kitgen.findings import format_pointer
from kitgen.kube.identity import ObjectId
from kitgen.report.documents import LineNumber, ResultDocument, safe_json
from kitgen.text.yaml import Json


class ClusterDifference(Struct, frozen=True, kw_only=True, rename="camel"):
    """A difference that a change is made of, or the object alone if another change has it."""

    target: str | None
    """The target that it holds in, if several were compared."""
    component: str | None
    """The component that the object is of, if a kit says so."""
    file: str | None
    """The spec or manifest that caused it; one of a revision has its name before it."""
    line: LineNumber | None
    """The line there, if it is known."""
    spec_pointer: str | None
    """Where in that file it is, as a JSON pointer."""
    group: str
    """Of the object; empty for Kubernetes' core."""
    kind: str
    """Of the object."""
    namespace: str | None
    """Of the object, if it has one."""
    name: str
    """Of the object."""
    field: str | None = None
    """The place in words: items of lists by their names; null for the whole object."""
    pointer: str | None = None
    """The place in the object as it is after, or where it would be."""
    in_before: bool | None = None
    """Whether it is there before; null if another change tells the difference."""
    in_after: bool | None = None
    """Whether it is there after; null if another change tells the difference."""
    before: Json = None
    """What was there, without secrets; null for nothing and for whole objects."""
    after: Json = None
    """What is there, without secrets; null for nothing and for whole objects."""
    order: bool = False
    """Whether only the order of the items is different."""
    equal: bool = False
    """Whether both are the same amount, written otherwise."""


class ClusterChange(Struct, frozen=True, kw_only=True, rename="camel"):
    """A change on a cluster."""

    rule: str
    """The id of the rule that ranks it."""
    risk: Risk
    """What it can do to those who use the state before."""
    subject: str
    """What changed, in words."""
    field: str | None
    """The place in words; null for whole objects and for people."""
    message: str
    """What was, and what is now."""
    reason: str
    """Why it is of this risk."""
    felt_by: str
    """Who feels it."""
    hint: str | None
    """What may help."""
    accepted: str | None
    """Why it is accepted; null if it stands."""
    targets: tuple[str, ...]
    """The targets that it reaches, if several were compared."""
    places: tuple[ClusterDifference, ...]
    """Every difference that it is made of."""


class ClusterDiff(ResultDocument, frozen=True, kw_only=True, tag="kitgen/diff/v1"):
    """What changes on a cluster: kitgen diff."""

    before: str
    """What is compared: the state before."""
    after: str
    """What it is compared with: the state after."""
    targets: tuple[str, ...]
    """The targets that were compared, if several were."""
    summary: RiskCounts
    """How many changes of each risk stand, and how many are accepted."""
    failed: bool
    """Whether the command fails, by --fail-on."""
    changes: tuple[ClusterChange, ...]
    """Every change, the worst first."""


def as_json(view: View, names: tuple[str, str], *, failed: bool) -> str:
    """Tell every change to a program."""
    return safe_json(
        ClusterDiff(
            before=names[0],
            after=names[1],
            targets=tuple(view.scopes),
            summary=RiskCounts(**count_by_risk(view.changes)),
            failed=failed,
            changes=tuple(to_cluster_changes(view)),
        )
    )


def to_cluster_changes(view: View) -> Iterator[ClusterChange]:
    """Yield every change as it stands in documents."""
    for each in view.changes:
        change = each.change
        yield ClusterChange(
            rule=change.rule.id,
            risk=change.risk,
            subject=view.format_subject(each),
            field=change.path or None,
            message=change.message,
            reason=change.reason,
            felt_by=change.felt_by,
            hint=change.hint or None,
            accepted=change.accepted or None,
            targets=tuple(each.scopes),
            places=tuple(place for hold in each.holds for place in _to_cluster_differences(view, hold)),
        )


def _to_cluster_differences(view: View, hold: ChangeLocation) -> Iterator[ClusterDifference]:
    """Yield the differences in one object, or the object alone if another change has them."""
    origin = view.locate_origin(hold.origin) if hold.origin else None
    where: dict[str, Json] = {
        "target": hold.scope or None,
        "component": hold.component or None,
        "file": origin.file if origin else None,
        "line": (origin.line or None) if origin else None,
        "spec_pointer": format_pointer(origin.path) if origin else None,
    }
    for each in hold.differences:
        now, was = redact_sides(each) if each.field else (None, None)
        yield ClusterDifference(
            **where,
            **_to_object_fields(each.object),
            field=each.field or None,
            pointer=format_pointer(each.path) if each.field else None,
            in_before=each.right is not ABSENT,
            in_after=each.left is not ABSENT,
            before=was,
            after=now,
            order=each.order,
            equal=each.equal,
        )
    if not hold.differences:
        yield ClusterDifference(**where, **_to_object_fields(hold.object))


def _to_object_fields(name: ObjectId) -> dict[str, Json]:
    return {
        "group": name.group,
        "kind": name.kind,
        "namespace": name.namespace or None,
        "name": name.name,
    }
