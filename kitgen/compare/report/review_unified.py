"""Write what changes on a cluster as a unified diff: each object that is different, CRDs as outlines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from kitgen.compare.review.change import Reviewed
from kitgen.crd.definition import crd_faults, is_crd
from kitgen.crd.outline import outline
from kitgen.findings import Origin
from kitgen.kube.identity import ObjectId
from kitgen.kube.manifest import Manifest
from kitgen.text.secrets import redacted
from kitgen.text.unified_diff import TextDiffs
from kitgen.text.wording import printable
from kitgen.text.yaml import JsonObject, dump

Sides = Mapping[str, tuple[Sequence[Manifest], Sequence[Manifest]]]
"""The objects of both sides, by target."""
LONGEST = 20_000
"""How many lines of an object are shown."""


def as_unified(changes: Iterable[Reviewed], sides: Sides) -> str:
    """Write every object that is different, by target, with the lines that are."""
    ids = {
        (hold.scope, each.object) for change in changes for hold in change.holds for each in hold.differences
    }
    diffs, lines = TextDiffs(), list[str]()
    for scope, (before, after) in sides.items():
        old, new = ({each.id: each.body for each in side} for side in (before, after))
        names = sorted(name for at, name in ids if at in (scope, ""))
        for name in names:
            called = _called(scope if len(sides) > 1 else "", name)
            lines += _object(diffs, called, old.get(name), new.get(name))
    return "".join(f"{printable(line)}\n" for line in lines)


def _called(scope: str, name: ObjectId) -> str:
    return "/".join(filter(None, (scope, name.namespace, name.kind, name.name)))


def _object(diffs: TextDiffs, called: str, old: JsonObject | None, new: JsonObject | None) -> Iterator[str]:
    was, now = (_text(body) if body is not None else [] for body in (old, new))
    return diffs.lines(was, now, f"a/{called}" if old else "/dev/null", f"b/{called}" if new else "/dev/null")


def _text(body: JsonObject) -> list[str]:
    """Return an object as people read it, without what may be a secret."""
    if is_crd(body) and not any(crd_faults(body, Origin(""))):
        meta = {key: (body.get("metadata") or {}).get(key) for key in ("labels", "annotations")}
        return [*dump({"metadata": redacted(meta)}).splitlines(), *outline(body).splitlines()]
    return dump(redacted(body)).splitlines()[:LONGEST]
