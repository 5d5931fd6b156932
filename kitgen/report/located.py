"""Find the lines of findings: late, and once per file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from kitgen import yamlio
from kitgen.findings import Finding, Origin, Path, pointer, unique

Read: TypeAlias = Callable[[str], str | None]
"""Gives the text of a file named in an origin, or None if there is none to be had."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """A finding, and the line that it is shown with."""

    finding: Finding
    line: int
    """0 means: not known."""

    @property
    def pointer(self) -> str:
        """Return where in the file it is, as a JSON pointer."""
        return pointer(self.finding.origin.path)


def locate(findings: Iterable[Finding], read: Read) -> list[Located]:
    """Sort the findings, drop repeated ones, and look up their lines."""
    ordered = unique(list(findings))
    wanted: dict[str, dict[int, set[Path]]] = {}
    for finding in ordered:
        where = finding.origin
        if not where.line and where.file:
            wanted.setdefault(where.file, {}).setdefault(where.document, set()).add(where.path)
    lines: dict[Origin, int] = {}
    for file, documents in wanted.items():
        if (text := read(file)) is None:
            continue
        line_of = yamlio.line_finder(text)
        for document, paths in documents.items():
            lines |= {Origin(file, path, document=document): line_of(path, document) for path in paths}
    return [
        Located(finding=finding, line=finding.origin.line or lines.get(finding.origin, 0))
        for finding in ordered
    ]
