"""Write how downstreams differ, and why: as text, JSON, or the table that their maintainers discuss."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from kitgen.compare.drift import Drift, ExplainedDifference
from kitgen.compare.objects.difference import ABSENT, format_sides, redact_sides
from kitgen.compare.report.differences import format_row, format_values
from kitgen.compare.report.review_markdown import LIMIT, SPARE, fit_rows
from kitgen.findings import Finding
from kitgen.report.documents import (
    Count,
    FindingEntry,
    LineNumber,
    ResultDocument,
    safe_json,
    to_finding_entries,
)
from kitgen.report.text import (
    Lined,
    Read,
    format_file_line,
    format_object_name,
    format_place_suffix,
    locate_findings,
    locate_origins,
)
from kitgen.text.wording import escape_markdown, escape_unprintable, format_code, format_count
from kitgen.text.yaml import Json

SHOWN = 2_000
"""How many differences of two sides are worth a line each."""


def _locate_origins(pairs: Iterable[Drift], read: Read) -> Lined:
    """Return all places that are named, with their lines."""
    return locate_origins(
        (place for pair in pairs for each in pair.found for place in (each.said, each.origin)), read
    )


def as_text(pairs: Sequence[Drift], read: Read, *, quiet: bool) -> str:
    """Tell what nobody says is meant, and how much is, by its reasons."""
    lined = _locate_origins(pairs, read)
    lines: list[str] = []
    for pair in pairs:
        lines.append(f"{pair.names[0]} and {pair.names[1]}: {format_summary([pair])}")
        lines += [
            f"  {_format_line(each, pair.names)}"
            f"{format_place_suffix(format_file_line(lined.get(each.origin)))}"
            for each in pair.undeclared_differences[:SHOWN]
        ]
        if len(pair.undeclared_differences) > SHOWN:
            lines.append(f"  and {len(pair.undeclared_differences) - SHOWN} more, which --output json has")
        lines += [] if quiet else list(_format_reasons(pair, lined))
    return "".join(f"{escape_unprintable(line)}\n" for line in lines)


def format_summary(pairs: Sequence[Drift]) -> str:
    """Say in a line how much is meant, and how much is not."""
    drifted = sum(len(each.undeclared_differences) for each in pairs)
    meant = sum(len(each.found) for each in pairs) - drifted
    if not (drifted or meant):
        return "no differences"
    return f"{format_count(drifted, 'difference')} not declared, {meant} declared"


def _format_reasons(pair: Drift, lined: Lined) -> Iterator[str]:
    """Yield how many differences each reason is for."""
    found = Counter(each.reason for each in pair.found if each.reason)
    said = {each.reason: each.said for each in reversed(pair.found)}
    for reason, count in found.most_common():
        yield f"  {count} declared: {reason}{format_place_suffix(format_file_line(lined.get(said[reason])))}"


def _format_line(each: ExplainedDifference, names: tuple[str, str]) -> str:
    difference = each.difference
    where = f"{format_object_name(difference.object)} {difference.field}".rstrip()
    alone = ABSENT in (difference.left, difference.right)
    if alone and (not difference.field or "true" in format_sides(difference)):
        return f"{where}: only {names[difference.left is ABSENT]}"
    return f"{where}: {format_values(difference, names)}"


class DriftCounts(Struct, frozen=True, kw_only=True):
    """How many differences there are."""

    undeclared: Count
    """Differences that nobody says are meant."""
    declared: Count
    """Differences that are meant."""


class DriftEntry(Struct, frozen=True, kw_only=True, rename="camel"):
    """A difference between two sides."""

    component: str | None
    """The component that the object is of, if a kit says so."""
    group: str
    """Of the object; empty for Kubernetes' core."""
    kind: str
    """Of the object."""
    namespace: str | None
    """Of the object on the left, if it has one."""
    name: str
    """Of the object."""
    field: str | None
    """The place in words; permissions one verb each; null for the whole object."""
    in_left: bool
    """Whether the left side has it."""
    in_right: bool
    """Whether the right side has it."""
    left: Json
    """What the left side has, without secrets."""
    right: Json
    """What the right side has, without secrets."""
    order: bool
    """Whether only the order of the items is different."""
    declared: str | None
    """Why it is meant; null for drift."""
    declared_in: str | None
    """The file that says so."""
    declared_line: LineNumber | None
    """The line there, if it is known."""
    file: str | None
    """The spec or manifest that makes it."""
    line: LineNumber | None
    """The line there, if it is known."""


class DriftPair(Struct, frozen=True, kw_only=True):
    """Two sides, and how they differ."""

    left: str
    """One side."""
    right: str
    """The other one."""
    differences: tuple[DriftEntry, ...]
    """Every difference, by object and place."""


class DriftReport(ResultDocument, frozen=True, kw_only=True, tag="kitgen/drift/v1"):
    """How downstreams differ: kitgen drift."""

    summary: DriftCounts
    """How many differences there are."""
    pairs: tuple[DriftPair, ...]
    """What was held against what."""
    findings: Sequence[FindingEntry]
    """What is wrong with declarations, stale ones included."""


def as_json(pairs: Sequence[Drift], findings: Iterable[Finding], read: Read) -> str:
    """Tell every difference to a program."""
    lined = _locate_origins(pairs, read)
    return safe_json(
        DriftReport(
            summary=DriftCounts(
                undeclared=sum(len(each.undeclared_differences) for each in pairs),
                declared=sum(len(each.found) - len(each.undeclared_differences) for each in pairs),
            ),
            pairs=tuple(
                DriftPair(
                    left=pair.names[0],
                    right=pair.names[1],
                    differences=tuple(_to_drift_entry(each, lined) for each in pair.found),
                )
                for pair in pairs
            ),
            findings=to_finding_entries(locate_findings(findings, read)),
        )
    )


def _to_drift_entry(each: ExplainedDifference, lined: Lined) -> DriftEntry:
    difference, name = each.difference, each.difference.object
    left, right = redact_sides(difference) if difference.field else (None, None)
    said, origin = lined.get(each.said), lined.get(each.origin)
    return DriftEntry(
        component=each.component or None,
        group=name.group,
        kind=name.kind,
        namespace=name.namespace or None,
        name=name.name,
        field=difference.field or None,
        in_left=difference.left is not ABSENT,
        in_right=difference.right is not ABSENT,
        left=left,
        right=right,
        order=difference.order,
        declared=each.reason or None,
        declared_in=said.file if said else None,
        declared_line=(said.line or None) if said else None,
        file=origin.file if origin else None,
        line=(origin.line or None) if origin else None,
    )


def as_markdown(pairs: Sequence[Drift], read: Read) -> str:
    """Write the table that the maintainers of forks discuss: what is not declared comes first."""
    lined = _locate_origins(pairs, read)
    lines: list[str] = []
    room = LIMIT - SPARE
    for pair in pairs:
        ordered = sorted(pair.found, key=lambda each: bool(each.reason))
        lines += [
            "",
            (
                f"**{format_code(pair.names[0])} and {format_code(pair.names[1])}: "
                f"{escape_markdown(format_summary([pair]))}**"
            ),
        ]
        if ordered:
            sides = " | ".join(format_code(each) for each in pair.names)
            lines += ["", f"| object | field | {sides} | declared |", "|---|---|---|---|---|"]
        rows, room = fit_rows([_format_row(each, lined) for each in ordered], room)
        lines += rows
        lines += ["", f"and {len(ordered) - len(rows)} more"] if len(rows) < len(ordered) else []
    return "".join(f"{line}\n" for line in lines[1:])


def _format_row(each: ExplainedDifference, lined: Lined) -> str:
    declared = (
        f"{each.reason}{format_place_suffix(format_file_line(lined.get(each.said)))}"
        if each.reason
        else "**no**"
    )
    return format_row(each.difference, escape_markdown(declared))
