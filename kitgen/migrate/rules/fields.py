"""Fields that a migration names, held to the schemas of both sides and to each other.

Places that two fields of a migration go to, or that cannot both be filled.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kitgen.findings import Finding, Origin
from kitgen.kit.model.migration import KindName, MovedField, written
from kitgen.migrate.kinds import MovingKind
from kitgen.migrate.resources.fields import ASIDE, ITEM, FieldTree, tree_of
from kitgen.migrate.rules.rules import MIGRATION_MAPPING, MIGRATION_UNSAID
from kitgen.migrate.rules.schemas import Looked, fields_of, look_up, type_name, type_of
from kitgen.text.wording import TYPES, choice
from kitgen.text.yaml import Json


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
            yield MIGRATION_UNSAID(message, hint=hint).at(each.said.origin.at("fields"))


def _held(field: MovedField, moving: MovingKind) -> Iterator[Finding]:
    """Yield what is wrong with one field, on the side that it is wrong on."""
    origin, said = field.origin, moving.said
    came = look_up(moving.old.schema, field.field)
    if aside := _aside(field.field, origin.at("from")):
        yield aside
    elif came.expected:
        yield _unknown(field.field, came, said.before, origin.at("from"))
    if not field.to:
        return
    goes = look_up(moving.new.schema, field.to)
    if aside := _aside(field.to, origin.at("to")):
        yield aside
    elif goes.expected:
        yield _unknown(field.to, goes, said.after, origin.at("to"))
    elif not came.expected:
        yield from _unfit(field, came.schema, goes.schema)


def _aside(steps: tuple[str, ...], origin: Origin) -> Finding | None:
    if steps[0] not in ASIDE:
        return None
    message = f"found {written(steps)}, expected a field of the spec"
    return MIGRATION_MAPPING(message, hint=ALONG).at(origin)


def _unknown(steps: tuple[str, ...], looked: Looked, kind: KindName, origin: Origin) -> Finding:
    named = f"{looked.expected} that {kind} has" if looked.missing else looked.expected
    return MIGRATION_MAPPING(f"found {written(steps)}, expected {named}", hint=looked.hint).at(origin)


def _unfit(field: MovedField, old: Json, new: Json) -> Iterator[Finding]:
    """Yield that a value is put where another type is asked for."""
    was, now = (type_of(each) if isinstance(each, dict) else "" for each in (old, new))
    known = was in TYPES and now in TYPES
    if known and was != now and (was, now) != ("integer", "number"):
        message = f"found {type_name(was)} that goes to {written(field.to)}, expected {type_name(now)}"
        yield MIGRATION_MAPPING(message, hint="no value is changed on the way").at(field.origin.at("to"))


def _unsaid(schema: Json, tree: FieldTree, path: tuple[str, ...]) -> Iterator[str]:
    """Yield the fields of a schema of which nothing is said, the uppermost alone."""
    if tree.said:
        return
    if path and not tree.below:
        yield written(path)
        return
    if ITEM in tree.below and isinstance(schema, dict):
        yield from _unsaid(schema.get("items"), tree.below[ITEM], (*path, ITEM))
    for name, inner in fields_of(schema).items():
        if path or name not in ASIDE:
            yield from _unsaid(inner, tree.below.get(name, FieldTree()), (*path, name))
