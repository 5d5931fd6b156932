"""Write how downstreams differ, and why: as text, JSON, or the table that their maintainers discuss."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from kitgen.compare.drift import Drift, ExplainedDifference
from kitgen.compare.objects.difference import ABSENT, both_said, safe
from kitgen.compare.report.differences import row, values
from kitgen.compare.report.review_markdown import LIMIT, SPARE, fitting
from kitgen.findings import Finding
from kitgen.report.documents import Count, FindingEntry, LineNumber, ResultDocument, entries, safe_json
from kitgen.report.text import Lined, Read, at_place, file_line, locate, object_name, with_lines
from kitgen.text.wording import code, counted, printable, prose
from kitgen.text.yaml import Json

SHOWN = 2_000
"""How many differences of two sides are worth a line each."""


def _lined(pairs: Iterable[Drift], read: Read) -> Lined:
    """Return all places that are named, with their lines."""
    return with_lines(
        (place for pair in pairs for each in pair.found for place in (each.said, each.origin)), read
    )


def as_text(pairs: Sequence[Drift], read: Read, *, quiet: bool) -> str:
    """Tell what nobody says is meant, and how much is, by its reasons."""
    lined = _lined(pairs, read)
    lines: list[str] = []
    for pair in pairs:
        lines.append(f"{pair.names[0]} and {pair.names[1]}: {summary([pair])}")
        lines += [
            f"  {_line(each, pair.names)}{at_place(file_line(lined.get(each.origin)))}"
            for each in pair.undeclared[:SHOWN]
        ]
        if len(pair.undeclared) > SHOWN:
            lines.append(f"  and {len(pair.undeclared) - SHOWN} more, which --output json has")
        lines += [] if quiet else list(_meant(pair, lined))
    return "".join(f"{printable(line)}\n" for line in lines)


def summary(pairs: Sequence[Drift]) -> str:
    """Say in a line how much is meant, and how much is not."""
    drifted = sum(len(each.undeclared) for each in pairs)
    meant = sum(len(each.found) for each in pairs) - drifted
    if not (drifted or meant):
        return "no differences"
    return f"{counted(drifted, 'difference')} not declared, {meant} declared"


def _meant(pair: Drift, lined: Lined) -> Iterator[str]:
    """Yield how many differences each reason is for."""
    found = Counter(each.reason for each in pair.found if each.reason)
    said = {each.reason: each.said for each in reversed(pair.found)}
    for reason, count in found.most_common():
        yield f"  {count} declared: {reason}{at_place(file_line(lined.get(said[reason])))}"


def _line(each: ExplainedDifference, names: tuple[str, str]) -> str:
    difference = each.difference
    where = f"{object_name(difference.object)} {difference.field}".rstrip()
    alone = ABSENT in (difference.left, difference.right)
    if alone and (not difference.field or "true" in both_said(difference)):
        return f"{where}: only {names[difference.left is ABSENT]}"
    return f"{where}: {values(difference, names)}"


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
    lined = _lined(pairs, read)
    return safe_json(
        DriftReport(
            summary=DriftCounts(
                undeclared=sum(len(each.undeclared) for each in pairs),
                declared=sum(len(each.found) - len(each.undeclared) for each in pairs),
            ),
            pairs=tuple(
                DriftPair(
                    left=pair.names[0],
                    right=pair.names[1],
                    differences=tuple(_entry(each, lined) for each in pair.found),
                )
                for pair in pairs
            ),
            findings=entries(locate(findings, read)),
        )
    )


def _entry(each: ExplainedDifference, lined: Lined) -> DriftEntry:
    difference, name = each.difference, each.difference.object
    left, right = safe(difference) if difference.field else (None, None)
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
    lined = _lined(pairs, read)
    lines: list[str] = []
    room = LIMIT - SPARE
    for pair in pairs:
        ordered = sorted(pair.found, key=lambda each: bool(each.reason))
        lines += ["", f"**{code(pair.names[0])} and {code(pair.names[1])}: {prose(summary([pair]))}**"]
        if ordered:
            sides = " | ".join(code(each) for each in pair.names)
            lines += ["", f"| object | field | {sides} | declared |", "|---|---|---|---|---|"]
        rows, room = fitting([_row(each, lined) for each in ordered], room)
        lines += rows
        lines += ["", f"and {len(ordered) - len(rows)} more"] if len(rows) < len(ordered) else []
    return "".join(f"{line}\n" for line in lines[1:])


def _row(each: ExplainedDifference, lined: Lined) -> str:
    declared = f"{each.reason}{at_place(file_line(lined.get(each.said)))}" if each.reason else "**no**"
    return row(each.difference, prose(declared))
