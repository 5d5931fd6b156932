"""Write findings as lines of text, one each."""

from __future__ import annotations

from collections.abc import Sequence

from kitgen.findings import Severity
from kitgen.report.located import Located
from kitgen.schema.wording import printable


def text(items: Sequence[Located], *, colour: bool = False) -> str:
    """Write one line a finding: place, rule, message, what it is about, and what may help."""
    return "".join(f"{_line(item, colour)}\n" for item in items)


def _line(item: Located, colour: bool) -> str:
    finding = item.finding
    warning = finding.severity is Severity.WARNING
    rule = printable(finding.rule.id)
    parts = [
        style(place(item), colour, bold=True),
        style(f"warning: {rule}" if warning else rule, colour, fg="yellow" if warning else "red"),
        printable(finding.message),
    ]
    line = ": ".join(part for part in parts if part)
    if finding.subject:
        line += f" [{printable(finding.subject)}]"
    if finding.hint:
        line += style(f" (hint: {printable(finding.hint)})", colour, dim=True)
    return line


def place(item: Located) -> str:
    """Write where a finding is: the file, the line if it is known, the pointer if there is one."""
    origin = item.finding.origin
    where = f"{origin.file}:{item.line}" if origin.file and item.line else origin.file
    return printable(f"{where} {item.pointer}".strip())


def style(value: str, colour: bool, *, fg: str | None = None, bold: bool = False, dim: bool = False) -> str:
    """Colour a text, if it is to be."""
    if not colour or not value:
        return value
    import click

    return click.style(value, fg=fg, bold=bold or None, dim=dim or None)
