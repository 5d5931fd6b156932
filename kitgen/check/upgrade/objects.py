"""Hold the objects of each target against those that are there before them."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.check.context import Context, Hit
from kitgen.check.index import below
from kitgen.check.upgrade.rules import (
    DECLARED,
    UPGRADE_DATA,
)  # the rules are known even where nothing is upgraded
from kitgen.crds.schema.crd import is_crd
from kitgen.model.moves import declared_in
from kitgen.yamlio import JsonObject


def check(context: Context) -> Iterator[Hit]:
    """Yield what stops the upgrade of a target, and what it loses."""
    for target, before in context.before.items():
        if target in context.targets:
            from kitgen.check.upgrade.target import upgraded  # most checks are of no upgrade

            yield from upgraded(context, target, before)


def declared(hit: Hit, context: Context) -> str:
    """Return why what an upgrade breaks in a CRD is accepted: a migration says that its kind moves."""
    body = hit.manifest.body
    if not context.moves or hit.problem.rule not in DECLARED or not is_crd(body):
        return ""
    group, kind = _kind(body)
    file = declared_in(group, kind, context.moves)
    if hit.problem.rule is UPGRADE_DATA:  # it may go only while what it becomes is there
        heir = context.moves.get((group, kind))
        there = (_kind(each.body) for each in context.targets[hit.target] if is_crd(each.body))
        file = heir.file if heir and (heir.group, heir.kind) in there else ""
    return f"declared in {file}" if file else ""


def _kind(crd: JsonObject) -> tuple[str, str]:
    return str(below(crd, "spec", "group")), str(below(crd, "spec", "names", "kind"))
