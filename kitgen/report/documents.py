"""Write results as JSON documents, each with the name and version of its schema.

A document is a record. `make docs` generates its JSON Schema, `schemas/output/NAME.json`, from the types of
its fields and the docstrings beneath them. Keys are stable; a new meaning is a new version.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import StringIO
from typing import Annotated, Any, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType

from kitgen.findings import Finding, Severity, format_pointer
from kitgen.report.text import Read, locate_findings
from kitgen.text.credentials import redact_credentials
from kitgen.text.patterns import compile_late

UNESCAPED = compile_late(r"\x7f|#(?=#\w*\[)")
"""What json leaves as it is: a control character, and how commands to CI systems start in a line."""


LONGEST = 10_000
Count: TypeAlias = Annotated[int, Meta(ge=0)]
LineNumber: TypeAlias = Annotated[int, Meta(ge=1)]


class ResultDocument(Struct, frozen=True, kw_only=True, rename="camel", tag_field="schema"):
    """What a command returns, as programs get it; the tag of each is its name and version."""


def safe_json(data: Any) -> str:
    """Write a record, or other data, without passwords in addresses and without commands to CI systems."""
    text = StringIO()  # which takes less than all parts of the text at once
    json.dump(_remove_logins(data), text, indent=2)
    text.write("\n")
    return UNESCAPED.sub(lambda match: rf"\u{ord(match[0]):04x}", text.getvalue())


def _remove_logins(data: Any) -> Any:
    """Return a copy without passwords in addresses; in JSON, a sign before one may belong to the next."""
    match data:
        case str():
            return redact_credentials(data)
        case Struct():
            return {key: _remove_logins(value) for key, value in _list_fields(data) if value is not UNSET}
        case dict():
            return {_remove_logins(key): _remove_logins(value) for key, value in data.items()}
        case list() | tuple() | Iterator():
            return [_remove_logins(each) for each in data]
        case _:
            return data


def _list_fields(record: Struct) -> Iterator[tuple[str, Any]]:
    """Yield the keys of a record and their values, the tag first."""
    config = record.__struct_config__
    if config.tag_field:
        yield config.tag_field, config.tag
    for name, key in zip(record.__struct_fields__, record.__struct_encode_fields__, strict=True):
        yield key, getattr(record, name)


class FindingEntry(Struct, frozen=True, kw_only=True):
    """A finding, as it stands in every document."""

    rule: str
    """The id of the rule."""
    severity: Severity
    """An error fails the command, unless it is accepted; a note never does."""
    file: str
    """The file, relative to the kit or as it was named; empty if there is none."""
    line: LineNumber | None
    """The line, if it is known."""
    pointer: str
    """Where in the file it is, as a JSON pointer."""
    message: str
    """What was found and what was expected."""
    hint: str
    """What may help; empty if nothing is known."""
    subject: str
    """The rendered object or field that it is about; empty if it is the place itself."""
    accepted: str | None
    """Why it is accepted; null if it stands."""


class FindingCounts(Struct, frozen=True, kw_only=True):
    """How many findings there are."""

    errors: Count
    """Errors that stand."""
    warnings: Count
    """Warnings that stand."""
    accepted: Count
    """Findings that an exception names."""


class TargetReadiness(Struct, frozen=True, kw_only=True):
    """Whether the images of a target are ready to be mirrored."""

    target: str
    """The target."""
    release: str
    """The release that was looked at."""
    images: Count
    """How many images it can run."""
    errors: Count
    """Errors of this target that stand."""
    warnings: Count
    """Warnings of this target that stand."""
    ready: bool
    """Whether nothing of it makes the command fail."""


class Findings(ResultDocument, frozen=True, kw_only=True, tag="kitgen/findings/v1"):
    """Findings: kitgen check, kitgen crd validate, kitgen images check."""

    summary: FindingCounts
    """How many findings there are."""
    findings: Sequence[FindingEntry]
    """Every finding, by place."""
    objects: Count | UnsetType = UNSET
    """How many objects were checked; crd validate only."""
    skipped: Mapping[str, Count] | UnsetType = UNSET
    """Kinds that no CRD declares, with how many objects; crd validate only."""
    readiness: Sequence[TargetReadiness] | UnsetType = UNSET
    """What each target is found to be; images check only."""


def findings_document(findings: Iterable[Finding], read: Read, **more: Any) -> str:
    """Write findings, how many there are of each sort, and what else there is to say of the run."""
    items = locate_findings(findings, read)
    standing = [item.severity for item in items if not item.accepted]
    return safe_json(
        Findings(
            summary=FindingCounts(
                errors=standing.count(Severity.ERROR),
                warnings=standing.count(Severity.WARNING),
                accepted=len(items) - len(standing),
            ),
            findings=to_finding_entries(items),
            **more,
        )
    )


def to_finding_entries(items: Iterable[Finding]) -> list[FindingEntry]:
    """Return findings as they stand in every document."""
    return [
        FindingEntry(
            rule=item.rule.id,
            severity=item.severity,
            file=item.origin.file,
            line=item.origin.line or None,
            pointer=format_pointer(item.origin.path),
            message=_truncate(item.message),
            hint=_truncate(item.hint),
            subject=_truncate(item.subject),
            accepted=item.accepted or None,
        )
        for item in items
    ]


def _truncate(text: str) -> str:
    """Return a text without what is far too long: a foreign name may have millions of characters."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
