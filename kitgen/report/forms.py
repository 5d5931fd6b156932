"""The table of output formats of findings; each writer is imported only when it is used."""

from __future__ import annotations

import importlib
from collections.abc import Iterable

from kitgen.findings import Finding
from kitgen.report.documents import findings_document
from kitgen.report.text import Read, Where, keep_path

FOR_PEOPLE = {
    "text": "kitgen.report.text:render_by_file",
    "lines": "kitgen.report.text:render_by_line",
}
FOR_CI = {
    "sarif": "kitgen.report.sarif:as_sarif",
    "junit": "kitgen.report.junit:as_junit",
    "github": "kitgen.report.github:as_annotations",
}
FORMS = (*FOR_PEOPLE, "json", *FOR_CI)


def render_findings(
    findings: Iterable[Finding],
    *,
    read: Read,
    where: Where = keep_path,
    output: str = "lines",
    colour: bool = False,
    accepted: bool = False,
    **more: object,
) -> str:
    """Write findings, sorted, each once; only people see colour, and only JSON says more.

    People see what is accepted only if it is wanted; programs get it in any case.
    """
    if output == "json":
        return findings_document(findings, read, **more)
    module, _, name = (FOR_PEOPLE | FOR_CI)[output].partition(":")
    write = getattr(importlib.import_module(module), name)
    text: str = (
        write(findings, read=read, colour=colour, accepted=accepted)
        if output in FOR_PEOPLE
        else write(findings, read, where)
    )
    return text
