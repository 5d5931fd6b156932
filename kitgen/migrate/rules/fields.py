"""Check the fields of a migration against the schemas of both kinds and against each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from kitgen.findings import Finding, Origin, make_problem
from kitgen.kit.model.migration import MovedField, format_field_steps
from kitgen.migrate.kinds import MovingKind, ServedKind
from kitgen.migrate.resources.fields import ASIDE, FieldTree, build_field_tree
from kitgen.migrate.resources.schemas import ITEM, SchemaLookup, describe_type, fields_of, find_field, type_of
from kitgen.text.values import value_at
from kitgen.text.wording import TYPES, join_words
from kitgen.text.yaml import Json


def check_field_clashes(fields: Sequence[MovedField], schema: Json) -> Iterator[Finding]:
    """Yield fields that are named twice, or go where another one goes; the schema is that of the old kind."""
    said: dict[tuple[str, ...], MovedField] = {}
    taken: dict[tuple[str, ...], MovedField] = {}
    for each in fields:
        if said.setdefault(each.field, each) is not each:
            message = f"found {format_field_steps(each.field)} a second time, expected it once"
            yield make_problem("migration-mapping", message).to_finding(each.origin.at("from"))
        elif each.to and (first := taken.setdefault(each.to, each)) is not each:
            message = (
                f"found {format_field_steps(each.to)}, where {format_field_steps(first.field)} goes already"
            )
            yield make_problem("migration-mapping", message, hint="two fields need two places").to_finding(
                each.origin.at("to")
            )
    for each in taken.values():
        for size in range(1, len(each.to)):
            above = taken.get(each.to[:size])
            if above and (why := _describe_clash(each, above, said, schema)):
                message = f"found {format_field_steps(each.to)}, {why}"
                yield make_problem(
                    "migration-mapping",
                    message,
                    hint=f"see {format_field_steps(above.field)}, which brings it",
                ).to_finding(each.origin.at("to"))


def _describe_clash(
    each: MovedField, above: MovedField, said: dict[tuple[str, ...], MovedField], schema: Json
) -> str:
    """Return why a place is not free that stands below another one's; empty if it is."""
    rest = each.to[len(above.to) :]
    same = (*above.field, *rest)
    within = each.field[: len(above.field)] == above.field
    if rest[0] == ITEM and not within:
        return f"which is within the list that {format_field_steps(above.field)} goes to as a whole"
    # What has a rule of its own, or one between, goes elsewhere; of what is moved in part, nobody knows.
    own = any(same[:size] in said for size in range(len(above.field) + 1, len(same) + 1))
    part = any(len(field) > len(same) and field[: len(same)] == same for field in said)
    return (
        ""
        if own or part or not _has_named_field(schema, same)
        else f"where {format_field_steps(same)} goes already"
    )


def _has_named_field(schema: Json, steps: tuple[str, ...]) -> bool:
    """Return whether a schema names a field, and does not only take anything there."""
    for step in steps:
        schema = value_at(schema, "items") if step == ITEM else fields_of(schema).get(step)
    return schema is not None


MOST = 12
"""How many fields that nothing is said of are named."""
ALONG = "name, labels and annotations go along by themselves, and a status does not"


def check_moved_fields(some: Iterable[MovingKind]) -> Iterator[Finding]:
    """Yield what cannot be of the fields that kinds name, and once a kind, what they leave out."""
    for each in some:
        fields, old = each.said.fields, each.old.schema
        for field in fields:
            yield from _check_field(field, each)
        yield from check_field_clashes(fields, old)
        if fields and (left := [*_find_undeclared_fields(old, build_field_tree(fields), ())]):
            what = f"found nothing said of {join_words(left, last='and', most=MOST)}"
            message = f"{what}, which {each.said.before} has: resources with any of them are not moved"
            hint = "say where each goes, or that it is lost; a field above them stands for all of them"
            yield make_problem("migration-unsaid", message, hint=hint).to_finding(
                each.said.origin.at("fields")
            )


def _check_field(field: MovedField, moving: MovingKind) -> Iterator[Finding]:
    """Yield what is wrong with one field, on the side that it is wrong on."""
    came = find_field(moving.old.schema, field.field)
    yield from _check_field_steps(field.field, came, moving.old, field.origin.at("from"))
    if not field.to:
        return
    goes = find_field(moving.new.schema, field.to)
    wrong = [*_check_field_steps(field.to, goes, moving.new, field.origin.at("to"))]
    yield from wrong
    if not (wrong or came.expected):
        yield from _check_field_type(field, came.schema, goes.schema)


def _check_field_steps(
    steps: tuple[str, ...], looked: SchemaLookup, side: ServedKind, origin: Origin
) -> Iterator[Finding]:
    named = f"{looked.expected} that {side.name} has" if looked.missing else looked.expected
    if steps[0] in ASIDE:
        message = f"found {format_field_steps(steps)}, expected a field of the spec"
        yield make_problem("migration-mapping", message, hint=ALONG).to_finding(origin)
    elif named:
        yield make_problem(
            "migration-mapping", f"found {format_field_steps(steps)}, expected {named}", hint=looked.hint
        ).to_finding(origin)


def _check_field_type(field: MovedField, old: Json, new: Json) -> Iterator[Finding]:
    """Report that a value is put where another type is required."""
    was, now = (type_of(each) if isinstance(each, dict) else "" for each in (old, new))
    known = was in TYPES and now in TYPES
    if known and was != now and (was, now) != ("integer", "number"):
        message = (
            f"found {describe_type(was)} that goes to {format_field_steps(field.to)}, expected "
            f"{describe_type(now)}"
        )
        yield make_problem("migration-mapping", message, hint="no value is changed on the way").to_finding(
            field.origin.at("to")
        )


def _find_undeclared_fields(schema: Json, tree: FieldTree, path: tuple[str, ...]) -> Iterator[str]:
    """Yield the fields of a schema of which nothing is said, the uppermost alone."""
    if tree.said:
        return
    if path and not tree.below:
        yield format_field_steps(path)
        return
    if ITEM in tree.below:
        yield from _find_undeclared_fields(value_at(schema, "items"), tree.below[ITEM], (*path, ITEM))
    for name, inner in fields_of(schema).items():
        if path or name not in ASIDE:
            yield from _find_undeclared_fields(inner, tree.below.get(name, FieldTree()), (*path, name))
