"""The crd commands: each turns its options into a request, and prints the result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TextIO

from kitgen.cli.finish import reader
from kitgen.cli.terminal import colour
from kitgen.findings import Finding


def written(
    findings: Iterable[Finding], texts: Mapping[str, str], stream: TextIO, *, output: str = "text"
) -> str:
    """Write findings as a stream wants them."""
    from kitgen.report import show

    return show(findings, read=reader(None, texts), output=output, colour=colour(stream))
