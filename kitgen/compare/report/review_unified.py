"""Write what changes on a cluster as a unified diff: each object that is different, CRDs as outlines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kitgen.compare.review.change import ReviewedChange
from kitgen.crd.definition import check_crd_shape, is_crd
from kitgen.crd.outline import render_outline
from kitgen.findings import Origin
from kitgen.kube.manifest import Manifest
from kitgen.text.secrets import redact_value
from kitgen.text.unified_diff import TextDiffs
from kitgen.text.wording import escape_unprintable
from kitgen.text.yaml import JsonObject, dump_yaml

Sides = Mapping[str, tuple[Sequence[Manifest], Sequence[Manifest]]]
"""The objects of both sides, by target."""
LONGEST = 20_000
"""How many lines of an object are shown."""


def as_unified_diff(changes: Iterable[ReviewedChange], sides: Sides) -> str:
    """Write every object that is different, by target, with the lines that are."""
    ids = {
        (hold.scope, each.object) for change in changes for hold in change.holds for each in hold.differences
    }
    diffs, lines = TextDiffs(), list[str]()
    for scope, (before, after) in sides.items():
        old, new = ({each.id: each.body for each in side} for side in (before, after))
        for name in sorted(name for at, name in ids if at in (scope, "")):
            above = scope if len(sides) > 1 else ""
            path = "/".join(filter(None, (above, name.namespace, name.kind, name.name)))
            was, now = (_render_object(side[name]) if name in side else [] for side in (old, new))
            labels = (
                f"a/{path}" if name in old else "/dev/null",
                f"b/{path}" if name in new else "/dev/null",
            )
            lines += diffs.diff_lines(was, now, *labels)
    return "".join(f"{escape_unprintable(line)}\n" for line in lines)


def _render_object(body: JsonObject) -> list[str]:
    """Return an object as people read it, without what may be a secret."""
    if is_crd(body) and not any(check_crd_shape(body, Origin(""))):
        meta = {key: (body.get("metadata") or {}).get(key) for key in ("labels", "annotations")}
        return [*dump_yaml({"metadata": redact_value(meta)}).splitlines(), *render_outline(body).splitlines()]
    return dump_yaml(redact_value(body)).splitlines()[:LONGEST]
