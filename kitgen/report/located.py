"""Find the lines of findings: late, and once per file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

from kitgen import yamlio
from kitgen.findings import Finding, Path, pointer, unique

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
    wanted: dict[str, set[Path]] = {}
    for finding in ordered:
        if not finding.origin.line and finding.origin.file:
            wanted.setdefault(finding.origin.file, set()).add(finding.origin.path)
    lines = {file: _lines(read(file), paths) for file, paths in wanted.items()}
    return [
        Located(finding=finding, line=where.line or lines.get(where.file, {}).get(where.path, 0))
        for finding in ordered
        for where in (finding.origin,)
    ]


def _lines(text: str | None, paths: set[Path]) -> dict[Path, int]:
    """Return the lines of the paths; a whole file is its first line."""
    return {} if text is None else yamlio.lines_of(text, paths)
