"""Write findings as text, one line each, and count them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from kitgen.findings import Finding, Origin, Severity, pointer, unique
from kitgen.report.lines import Read, locate
from kitgen.schema.wording import counted, printable

SHOWN = 1_000
"""How many findings are worth a line."""
LONGEST = 1_000
"""How many characters of a place, a message or a hint are."""
ACCEPTED = "accepted"
COLOURS = {
    Severity.ERROR.value: "red",
    Severity.WARNING.value: "yellow",
    Severity.NOTE.value: "cyan",
    ACCEPTED: "green",
}


def by_line(findings: Iterable[Finding], *, read: Read, colour: bool = False, accepted: bool = False) -> str:
    """Write findings that stand, and accepted ones if they are wanted; sorted, each once."""
    standing = unique(each for each in findings if accepted or not each.accepted)
    first = sorted(standing, key=lambda each: not each.blocks)[:SHOWN]  # a warning must not hide an error
    lines = [_line(finding, colour) for finding in locate(first, read)]
    if len(standing) > SHOWN:
        lines.append(f"and {len(standing) - SHOWN} more")
    return "".join(f"{line}\n" for line in lines)


def summary(findings: Iterable[Finding]) -> str:
    """Count findings in one line, such as: 2 errors, 1 warning in 3 files."""
    items = unique(findings)
    standing = [item for item in items if not item.accepted]
    found = Counter(item.severity for item in standing)
    files = len({item.origin.file for item in standing if item.origin.file})
    accepted = len(items) - len(standing)
    told = ", ".join(counted(found[each], each.value) for each in Severity if found[each])
    told += f" in {counted(files, 'file')}" if files else ""
    return ", ".join(filter(None, (told, f"{accepted} accepted" if accepted else ""))) or "no findings"


def _line(finding: Finding, colour: bool) -> str:
    """Write a finding: place, rule, message, what it is about, and what may help."""
    rule, word = printable(finding.rule.id), grade(finding)
    parts = [
        style(_place(finding.origin), colour, bold=True),
        style(rule if finding.blocks else f"{word}: {rule}", colour, fg=COLOURS[word]),
        said(finding.message),
    ]
    line = ": ".join(part for part in parts if part)
    if finding.subject:
        line += f" [{said(finding.subject)}]"
    if more := remark(finding):
        line += style(f" ({more})", colour, dim=True)
    return line


def grade(finding: Finding) -> str:
    """Return the word for how bad a finding is."""
    return ACCEPTED if finding.accepted else finding.severity.value


def remark(finding: Finding) -> str:
    """Return why a finding is accepted, or else what may help, if there is something."""
    if finding.accepted:
        return f"reason: {said(finding.accepted)}"
    return f"hint: {said(finding.hint)}" if finding.hint else ""


def _place(origin: Origin) -> str:
    """Write where a finding is: the file, the line if it is known, the pointer if there is one."""
    where = f"{origin.file}:{origin.line}" if origin.file and origin.line else origin.file
    return said(f"{where} {pointer(origin.path)}".strip())


def said(text: str) -> str:
    """Return what goes into a line: printable, and not as long as a foreign name may be."""
    return printable(text if len(text) <= LONGEST else f"{text[:LONGEST]}…")


def style(value: str, colour: bool, *, fg: str | None = None, bold: bool = False, dim: bool = False) -> str:
    """Colour a text, if it is to be."""
    if not colour or not value:
        return value
    import click

    return click.style(value, fg=fg, bold=bold or None, dim=dim or None)
