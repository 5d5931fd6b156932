"""Places that two fields of a migration go to, or that cannot both be filled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kitgen.check.migration.rules import MIGRATION_MAPPING
from kitgen.check.migration.schemas import fields_of
from kitgen.findings import Finding
from kitgen.migrating.fields import ITEM
from kitgen.model.migration import MovedField, written
from kitgen.yamlio import Json


def clashes(fields: Sequence[MovedField], schema: Json) -> Iterator[Finding]:
    """Yield fields that are named twice, or go where another one goes; the schema is that of the old kind."""
    said: dict[tuple[str, ...], MovedField] = {}
    taken: dict[tuple[str, ...], MovedField] = {}
    for each in fields:
        if said.setdefault(each.field, each) is not each:
            message = f"found {written(each.field)} a second time, expected it once"
            yield MIGRATION_MAPPING(message).at(each.origin.at("from"))
        elif each.to and (first := taken.setdefault(each.to, each)) is not each:
            message = f"found {written(each.to)}, where {written(first.field)} goes already"
            yield MIGRATION_MAPPING(message, hint="two fields need two places").at(each.origin.at("to"))
    for each in taken.values():
        for size in range(1, len(each.to)):
            above = taken.get(each.to[:size])
            if above and (why := _taken(each, above, said, schema)):
                message = f"found {written(each.to)}, {why}"
                yield MIGRATION_MAPPING(message, hint=f"see {written(above.field)}, which brings it").at(
                    each.origin.at("to")
                )


def _taken(each: MovedField, above: MovedField, said: dict[tuple[str, ...], MovedField], schema: Json) -> str:
    """Return why a place is not free that stands below another one's; empty if it is."""
    rest = each.to[len(above.to) :]
    same = (*above.field, *rest)
    within = each.field[: len(above.field)] == above.field
    if rest[0] == ITEM and not within:
        return f"which is within the list that {written(above.field)} goes to as a whole"
    # What has a rule of its own, or one between, goes elsewhere; of what is moved in part, nobody knows.
    own = any(same[:size] in said for size in range(len(above.field) + 1, len(same) + 1))
    part = any(len(field) > len(same) and field[: len(same)] == same for field in said)
    if own or part or not _names(schema, same):
        return ""
    return f"where {written(same)} goes already"


def _names(schema: Json, steps: tuple[str, ...]) -> bool:
    """Tell whether a schema names a field, and does not only take anything there."""
    for step in steps:
        if step == ITEM:
            schema = schema.get("items") if isinstance(schema, dict) else None
        else:
            schema = fields_of(schema).get(step)
    return schema is not None
