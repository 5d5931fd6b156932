"""Check the fields of a migration against the schemas of both kinds and against each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kitgen.findings import Finding, Origin, problem
from kitgen.kit.model.migration import MovedField, written
from kitgen.migrate.kinds import MovingKind, ServedKind
from kitgen.migrate.resources.fields import ASIDE, FieldTree, tree_of
from kitgen.migrate.resources.schemas import ITEM, SchemaLookup, fields_of, look_up, type_name, type_of
from kitgen.text.values import value_at
from kitgen.text.wording import TYPES, choice
from kitgen.text.yaml import Json


def clashes(fields: Sequence[MovedField], schema: Json) -> Iterator[Finding]:
    """Yield fields that are named twice, or go where another one goes; the schema is that of the old kind."""
    said: dict[tuple[str, ...], MovedField] = {}
    taken: dict[tuple[str, ...], MovedField] = {}
    for each in fields:
        if said.setdefault(each.field, each) is not each:
            message = f"found {written(each.field)} a second time, expected it once"
            yield problem("migration-mapping", message).at(each.origin.at("from"))
        elif each.to and (first := taken.setdefault(each.to, each)) is not each:
            message = f"found {written(each.to)}, where {written(first.field)} goes already"
            yield problem("migration-mapping", message, hint="two fields need two places").at(
                each.origin.at("to")
            )
    for each in taken.values():
        for size in range(1, len(each.to)):
            above = taken.get(each.to[:size])
            if above and (why := _taken(each, above, said, schema)):
                message = f"found {written(each.to)}, {why}"
                yield problem(
                    "migration-mapping", message, hint=f"see {written(above.field)}, which brings it"
                ).at(each.origin.at("to"))


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
    return "" if own or part or not _names(schema, same) else f"where {written(same)} goes already"


def _names(schema: Json, steps: tuple[str, ...]) -> bool:
    """Return whether a schema names a field, and does not only take anything there."""
    for step in steps:
        schema = value_at(schema, "items") if step == ITEM else fields_of(schema).get(step)
    return schema is not None


MOST = 12
"""How many fields that nothing is said of are named."""
ALONG = "name, labels and annotations go along by themselves, and a status does not"


def wrong_fields(some: Iterable[MovingKind]) -> Iterator[Finding]:
    """Yield what cannot be of the fields that kinds name, and once a kind, what they leave out."""
    for each in some:
        fields, old = each.said.fields, each.old.schema
        for field in fields:
            yield from _held(field, each)
        yield from clashes(fields, old)
        if fields and (left := [*_unsaid(old, tree_of(fields), ())]):
            what = f"found nothing said of {choice(left, last='and', most=MOST)}"
            message = f"{what}, which {each.said.before} has: resources with any of them are not moved"
            hint = "say where each goes, or that it is lost; a field above them stands for all of them"
            yield problem("migration-unsaid", message, hint=hint).at(each.said.origin.at("fields"))


def _held(field: MovedField, moving: MovingKind) -> Iterator[Finding]:
    """Yield what is wrong with one field, on the side that it is wrong on."""
    came = look_up(moving.old.schema, field.field)
    yield from _unknown(field.field, came, moving.old, field.origin.at("from"))
    if not field.to:
        return
    goes = look_up(moving.new.schema, field.to)
    wrong = [*_unknown(field.to, goes, moving.new, field.origin.at("to"))]
    yield from wrong
    if not (wrong or came.expected):
        yield from _unfit(field, came.schema, goes.schema)


def _unknown(
    steps: tuple[str, ...], looked: SchemaLookup, side: ServedKind, origin: Origin
) -> Iterator[Finding]:
    named = f"{looked.expected} that {side.name} has" if looked.missing else looked.expected
    if steps[0] in ASIDE:
        message = f"found {written(steps)}, expected a field of the spec"
        yield problem("migration-mapping", message, hint=ALONG).at(origin)
    elif named:
        yield problem("migration-mapping", f"found {written(steps)}, expected {named}", hint=looked.hint).at(
            origin
        )


def _unfit(field: MovedField, old: Json, new: Json) -> Iterator[Finding]:
    """Report that a value is put where another type is required."""
    was, now = (type_of(each) if isinstance(each, dict) else "" for each in (old, new))
    known = was in TYPES and now in TYPES
    if known and was != now and (was, now) != ("integer", "number"):
        message = f"found {type_name(was)} that goes to {written(field.to)}, expected {type_name(now)}"
        yield problem("migration-mapping", message, hint="no value is changed on the way").at(
            field.origin.at("to")
        )


def _unsaid(schema: Json, tree: FieldTree, path: tuple[str, ...]) -> Iterator[str]:
    """Yield the fields of a schema of which nothing is said, the uppermost alone."""
    if tree.said:
        return
    if path and not tree.below:
        yield written(path)
        return
    if ITEM in tree.below:
        yield from _unsaid(value_at(schema, "items"), tree.below[ITEM], (*path, ITEM))
    for name, inner in fields_of(schema).items():
        if path or name not in ASIDE:
            yield from _unsaid(inner, tree.below.get(name, FieldTree()), (*path, name))
