"""Find the lines of findings: late, and once per file."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import TypeAlias

from msgspec.structs import replace

from kitgen.findings import Finding, Origin, unique
from kitgen.yamlio import line_finder

Read: TypeAlias = Callable[[str], str | None]
"""Gives the text of a file named in an origin, or None if there is none to be had."""


def locate(findings: Iterable[Finding], read: Read) -> list[Finding]:
    """Sort the findings, drop repeated ones, and say on which lines they are."""
    lined = with_lines(read)
    return [replace(finding, origin=lined(finding.origin)) for finding in unique(findings)]


def with_lines(read: Read) -> Callable[[Origin], Origin]:
    """Return what adds its line to an origin; 0 means that it is not known."""

    @cache
    def finder(file: str) -> Callable[..., int] | None:
        text = read(file)
        return None if text is None else line_finder(text)

    def lined(origin: Origin) -> Origin:
        if origin.line or not origin.file or (line_of := finder(origin.file)) is None:
            return origin
        return replace(origin, line=line_of(origin.path, origin.document))

    return lined
