"""Write what changes on a cluster as a unified diff: each object that is different, CRDs as outlines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kitgen.compare.review.change import ReviewedChange
from kitgen.crd.definition import crd_faults, is_crd
from kitgen.crd.outline import outline
from kitgen.findings import Origin
from kitgen.kube.manifest import Manifest
from kitgen.text.secrets import redacted
from kitgen.text.unified_diff import TextDiffs
from kitgen.text.wording import printable
from kitgen.text.yaml import JsonObject, dump

Sides = Mapping[str, tuple[Sequence[Manifest], Sequence[Manifest]]]
"""The objects of both sides, by target."""
LONGEST = 20_000
"""How many lines of an object are shown."""


def as_unified(changes: Iterable[ReviewedChange], sides: Sides) -> str:
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
            was, now = (_text(side[name]) if name in side else [] for side in (old, new))
            labels = (
                f"a/{path}" if name in old else "/dev/null",
                f"b/{path}" if name in new else "/dev/null",
            )
            lines += diffs.lines(was, now, *labels)
    return "".join(f"{printable(line)}\n" for line in lines)


def _text(body: JsonObject) -> list[str]:
    """Return an object as people read it, without what may be a secret."""
    if is_crd(body) and not any(crd_faults(body, Origin(""))):
        meta = {key: (body.get("metadata") or {}).get(key) for key in ("labels", "annotations")}
        return [*dump({"metadata": redacted(meta)}).splitlines(), *outline(body).splitlines()]
    return dump(redacted(body)).splitlines()[:LONGEST]
