"""Write the differences between what a kit builds and the real thing: as text, JSON or Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from msgspec import Struct

from kitgen.compare.change import Change
from kitgen.compare.crd_wording import list_parent_fields, schema_place_of, select_unmentioned
from kitgen.compare.objects.compare import Comparison
from kitgen.compare.objects.difference import ABSENT, Difference, format_sides, redact_sides
from kitgen.compare.report.changes import format_subject as where_changed
from kitgen.findings import Origin, format_pointer
from kitgen.report.documents import Count, LineNumber, ResultDocument, safe_json
from kitgen.report.text import Read, format_file_line, format_object_name, format_place_suffix, locate_origins
from kitgen.text.wording import escape_markdown, escape_unprintable, format_code, format_count
from kitgen.text.yaml import Json

SHOWN = 1_000
"""How many lines one object is worth."""
Origins = Sequence[Origin | None]
"""Of each difference where the specs say what it is about, or could say it, if they do."""
Names = tuple[str, str]
"""What the two sides are called."""
SIDES = ("the kit", "the real thing")


def as_text(
    found: Comparison,
    origins: Origins,
    changes: Mapping[str, Sequence[Change]],
    read: Read,
    names: Names = SIDES,
) -> str:
    """Tell the differences object by object; schemas of CRDs as `crd diff` does."""
    lines: list[str] = []
    told = zip(found.differences, _format_locations(origins, read), strict=True)
    for each, some in groupby(told, key=lambda item: item[0].object):
        here = list(some)
        if not here[0][0].field:
            side = names[here[0][0].left is ABSENT]
            lines.append(f"{format_object_name(each)}: only in {side}{format_place_suffix(here[0][1])}")
            continue
        lines.append(format_object_name(each))
        known = changes.get(each.name, ()) if each.kind == "CustomResourceDefinition" else ()
        below = list(_format_lines(here, known, names))
        lines += [f"  {line}" for line in below[:SHOWN]]
        lines += [f"  and {len(below) - SHOWN} more"] if len(below) > SHOWN else []
    return "".join(f"{escape_unprintable(line)}\n" for line in lines)


def format_summary(found: Comparison) -> str:
    """Count in one line."""
    count = format_count(len(found.differences), "difference")
    return f"{format_count(found.both, 'object')} in both, {count if found.differences else 'no differences'}"


def _format_lines(
    here: list[tuple[Difference, str]], changes: Sequence[Change], names: Names
) -> Iterator[str]:
    told = [each for each in changes if each.versions]  # others are no longer than what they stand for
    shown = {
        id(each) for each in select_unmentioned([(each, schema_place_of(each)) for each, _ in here], told)
    }
    yield from (
        f"{each.field}: {format_values(each, names)}{format_place_suffix(place)}"
        for each, place in here
        if id(each) in shown
    )
    if len(shown) == len(here):
        return
    at = {of.field: place for each, place in here if (of := schema_place_of(each))}
    for change in told:
        field = next((field for field in (change.path, *list_parent_fields(change.path)) if field in at), "")
        where = where_changed(change).removeprefix(here[0][0].object.name).strip()
        yield f"{where}: {change.message}{format_place_suffix(at.get(field, ''))}"


def format_values(difference: Difference, names: Names) -> str:
    """Write what the two sides have at a place."""
    said, missing = format_sides(difference), difference.left is ABSENT
    if ABSENT in (difference.left, difference.right):
        return f"only {names[missing]} has {said[missing]}"
    return f"{names[0]} has {'the order ' * difference.order}{said[0]}, {names[1]} {said[1]}"


def _format_locations(origins: Origins, read: Read) -> list[str]:
    return [format_file_line(each) for each in _locate_origins(origins, read)]


def _locate_origins(origins: Origins, read: Read) -> list[Origin | None]:
    lined = locate_origins(origins, read)
    return [lined.get(each) for each in origins]


class DifferenceCounts(Struct, frozen=True, kw_only=True):
    """How much there is."""

    both: Count
    """Objects that both sides have."""
    differences: Count
    """How many differences there are."""


class DifferenceEntry(Struct, frozen=True, kw_only=True, rename="camel"):
    """A difference between the kit and the real thing."""

    kind: str
    """Kind of the object."""
    group: str
    """API group of the object; empty for the core one."""
    namespace: str | None
    """Namespace of the object; null if it has none."""
    name: str
    """Name of the object, as SOURCE has it if it has the object."""
    field: str | None
    """The place in the object, with items of lists by their names; null for the whole object."""
    pointer: str | None
    """The same place as a JSON pointer into what SOURCE has, or as near as it goes; null for the whole
    object."""
    in_source: bool
    """Whether SOURCE has it."""
    in_real: bool
    """Whether REAL has it."""
    source: Json
    """What SOURCE has, without secrets; null if nothing, and for whole objects."""
    real: Json
    """What REAL has, without secrets; null if nothing, and for whole objects."""
    order: bool
    """Both have the same items, in another order."""
    file: str | None
    """The spec that is about it; null if SOURCE comes from none."""
    line: LineNumber | None
    """The line in that spec, if it is known."""
    spec_pointer: str | None
    """Where in that spec it is, as a JSON pointer."""


class Differences(ResultDocument, frozen=True, kw_only=True, tag="kitgen/differences/v1"):
    """What differs from the real thing: kitgen compare."""

    summary: DifferenceCounts
    """How much there is."""
    differences: tuple[DifferenceEntry, ...]
    """Every difference, by object and place."""


def as_json(found: Comparison, origins: Origins, read: Read) -> str:
    """Tell every difference to a program."""
    return safe_json(
        Differences(
            summary=DifferenceCounts(both=found.both, differences=len(found.differences)),
            differences=tuple(map(_to_difference_entry, found.differences, _locate_origins(origins, read))),
        )
    )


def _to_difference_entry(each: Difference, origin: Origin | None) -> DifferenceEntry:
    left, right = redact_sides(each) if each.field else (None, None)
    return DifferenceEntry(
        kind=each.object.kind,
        group=each.object.group,
        namespace=each.object.namespace or None,
        name=each.object.name,
        field=each.field or None,
        pointer=format_pointer(each.path) if each.field else None,
        in_source=each.left is not ABSENT,
        in_real=each.right is not ABSENT,
        source=left,
        real=right,
        order=each.order,
        file=origin.file if origin else None,
        line=(origin.line or None) if origin else None,
        spec_pointer=format_pointer(origin.path) if origin else None,
    )


def as_markdown(found: Comparison, origins: Origins, read: Read, names: Names = SIDES) -> str:
    """Tell the differences in a review: one table."""
    lines = [f"**{format_summary(found)}**"]
    if found.differences:
        sides = (escape_markdown(each.removeprefix("the ")) for each in names)
        lines += ["", f"| object | field | {' | '.join(sides)} | spec |", "|---|---|---|---|---|"]
        shown, places = found.differences[:SHOWN], _format_locations(origins[:SHOWN], read)
        lines += map(format_row, shown, map(escape_markdown, places))
    if len(found.differences) > SHOWN:
        lines += ["", f"and {len(found.differences) - SHOWN} more"]
    return "".join(f"{line}\n" for line in lines)


def format_row(each: Difference, last: str) -> str:
    """Write a difference as a row of a table, whose last cell is given."""
    left, right = format_sides(each) if each.field else ("there", "there")
    sides = [
        escape_markdown("absent" if side is ABSENT else said)
        for side, said in ((each.left, left), (each.right, right))
    ]
    field = format_code(each.field) if each.field else ""
    return f"| {' | '.join((format_code(format_object_name(each.object)), field, *sides, last))} |"
