"""Find the lines of findings: late, and once per file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from msgspec.structs import replace

from kitgen.findings import Finding, Origin, unique
from kitgen.yamlio import line_finder

Read: TypeAlias = Callable[[str], str | None]
"""Gives the text of a file named in an origin, or None if there is none to be had."""
Where: TypeAlias = Callable[[str], tuple[str, str]]
"""Gives the path in its repository of a file named in an origin, and the revision that it is from, if any."""


def locate(findings: Iterable[Finding], read: Read) -> list[Finding]:
    """Sort the findings, drop repeated ones, and say on which lines they are."""
    items = unique(findings)
    lined = with_lines((each.origin for each in items), read)
    return [replace(each, origin=lined[each.origin]) for each in items]


def as_told(file: str) -> tuple[str, str]:
    """Name a file as its origin does."""
    return file, ""


def placed(findings: Iterable[Finding], read: Read, where: Where) -> list[tuple[Finding, str]]:
    """Locate findings, and name their files as those do who look at a whole repository; and the revision."""
    found = []
    for each in locate(findings, read):
        file, revision = where(each.origin.file)
        found.append((replace(each, origin=replace(each.origin, file=file)), revision))
    return found


def with_lines(origins: Iterable[Origin], read: Read) -> dict[Origin, Origin]:
    """Return each origin with its line; 0 means that it is not known."""
    found = {origin: origin for origin in origins}
    files: dict[str, list[Origin]] = {}
    for origin in found:
        if origin.file and not origin.line:
            files.setdefault(origin.file, []).append(origin)
    for file, wanted in files.items():
        if (text := read(file)) is not None:
            line_of = line_finder(text, ((each.document, each.path) for each in wanted))
            found |= {each: replace(each, line=line_of(each.document, each.path)) for each in wanted}
    return found
