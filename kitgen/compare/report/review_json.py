"""Write what changes on a cluster as JSON: everything, with all the places that each change is in."""

from __future__ import annotations

from kitgen.compare.objects.difference import ABSENT, Difference, safe
from kitgen.compare.report.review_view import View, counts
from kitgen.compare.review.change import Hold, Reviewed
from kitgen.findings import pointer
from kitgen.kube.identity import ObjectId
from kitgen.report.documents import DocumentSchema, document
from kitgen.text.yaml import JsonObject


def as_json(view: View, names: tuple[str, str], *, failed: bool) -> str:
    """Tell every change to a program."""
    return document(
        DocumentSchema.DIFF,
        before=names[0],
        after=names[1],
        targets=list(view.scopes),
        summary=counts(view.changes),
        failed=failed,
        changes=listed(view),
    )


def listed(view: View) -> list[JsonObject]:
    """Return every change as it stands in documents."""
    return [_change(view, each) for each in view.changes]


def _change(view: View, each: Reviewed) -> JsonObject:
    change = each.change
    return {
        "rule": change.rule.id,
        "risk": change.risk.value,
        "subject": view.subject(each),
        "field": change.path or None,
        "message": change.message,
        "reason": change.reason,
        "feltBy": change.felt_by,
        "hint": change.hint or None,
        "accepted": change.accepted or None,
        "targets": list(each.scopes),
        "places": [place for hold in each.holds for place in _places(view, hold)],
    }


def _places(view: View, hold: Hold) -> list[JsonObject]:
    """Return the differences in one object, or the object alone if another change has them."""
    origin = view.lined(hold.origin) if hold.origin else None
    where = {
        "target": hold.scope or None,
        "component": hold.component or None,
        "file": origin.file if origin else None,
        "line": (origin.line or None) if origin else None,
        "specPointer": pointer(origin.path) if origin else None,
    }
    found = [{**where, **_object(each.object), **_values(each)} for each in hold.differences]
    return found or [{**where, **_object(hold.object), **NOTHING}]


def _object(name: ObjectId) -> JsonObject:
    return {
        "group": name.group,
        "kind": name.kind,
        "namespace": name.namespace or None,
        "name": name.name,
    }


NOTHING: JsonObject = {
    "field": None,
    "pointer": None,
    "inBefore": None,
    "inAfter": None,
    "before": None,
    "after": None,
    "order": False,
    "equal": False,
}


def _values(each: Difference) -> JsonObject:
    """Return what both sides have; of a whole object only that it is there."""
    now, was = safe(each) if each.field else (None, None)
    return {
        "field": each.field or None,
        "pointer": pointer(each.path) if each.field else None,
        "inBefore": each.right is not ABSENT,
        "inAfter": each.left is not ABSENT,
        "before": was,
        "after": now,
        "order": each.order,
        "equal": each.equal,
    }
