"""The config.yaml of a version that is imported: a new one, or what changes in the older version's."""

from __future__ import annotations

from collections.abc import Sequence

from kitgen.compile.families.inverse.config import PLACE
from kitgen.compile.families.inverse.config_types import all_learnt, laid_over
from kitgen.crds.schema.intern import frozen
from kitgen.importer.crd_changes import changes_of
from kitgen.importer.taking import Taken
from kitgen.yamlio import JsonObject


def learnt_of(trees: Sequence[Taken], old: JsonObject | None) -> JsonObject:
    """Return what trees show of a configuration; it stays where it was as long as one has it there."""
    learnt = all_learnt([each.config_fields for each in trees])
    shown = [each.config_fields for each in trees if "config" in each.sections]
    stays = old is not None and any(not each.keys() & set(PLACE) for each in shown)
    return {name: value for name, value in learnt.items() if not stays or name not in PLACE}


def config_of(learnt: JsonObject, old: JsonObject | None) -> JsonObject | None:
    """Return what config.yaml has to say of fields and a header that a tree shows; None if that is nothing.

    In: all of a new one, or what the older one lacks and what it says otherwise.
    """
    if old is None or not learnt:
        return learnt or None
    fields: JsonObject = {"type": "object", "properties": old["fields"]}
    more: JsonObject = {"type": "object", "properties": learnt.get("fields", {})}
    whole = {**old, **learnt, "fields": laid_over(fields, more)["properties"]}
    if frozen(whole) == frozen(old):
        return None
    return changes_of(old, whole, "config") or whole
