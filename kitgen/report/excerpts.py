"""Write findings by file, each with the line that it is about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from kitgen.findings import Chapter, Finding, pointer, unique
from kitgen.report.lines import Read, locate
from kitgen.report.text import COLOURS, SHOWN, grade, remark, said, style
from kitgen.schema.secrets import KIND, asks, is_secretive, redacted
from kitgen.schema.wording import printable

WIDEST = 120
"""Characters of a line that are worth a look."""
DOCUMENT = re.compile(r"^(?=---(?:\s|$))", re.MULTILINE)
"""Where a document starts: no text in one has such a line."""
VALUE = re.compile(r"""(?:^|[\s,{\[-])["']?(?:value|default|data|stringData|binaryData)["']?\s*:""")
"""A field whose name does not say what it holds."""
FLAG = re.compile(r"""(?<![^\s"'\[])(--?[A-Za-z][\w.-]*)["']?,?\s*$""")
"""A flag at the end of a line, whose value is in the next one."""
ABOVE = 3
"""Lines above in which a flag may ask for what a line says, with comments between."""
FOREIGN = "manifest-invalid"
"""The rule that something is no object: it may be a file with nothing but a token."""
UNREAD = frozenset({Chapter.FILE, Chapter.YAML})
"""What is in a file that could not be read to its end is not known, and may be a secret."""


def by_file(findings: Iterable[Finding], *, read: Read, colour: bool = False, accepted: bool = False) -> str:
    """Write findings that stand, and accepted ones if they are wanted, under the name of their file."""
    standing = unique(each for each in findings if accepted or not each.accepted)
    first = sorted(standing, key=lambda each: not each.blocks)[:SHOWN]  # a warning must not hide an error
    located = sorted(locate(first, read), key=lambda each: (each.origin.file, each.origin.line))
    parts = []
    for file, some in groupby(located, key=lambda each: each.origin.file):
        lines = _open_lines(read(file) or "") if file else []
        blocks = [style(said(file), colour, bold=True)] if file else []
        at = 0
        for each in some:
            blocks += _block(each, lines if each.origin.line != at else [], colour)
            at = each.origin.line
        parts.append("\n".join(blocks) + "\n")
    if len(standing) > SHOWN:
        parts.append(f"and {len(standing) - SHOWN} more\n")
    return "\n".join(parts)


def _open_lines(text: str) -> list[str]:
    """Return the lines of a text; those of documents that may be a Secret are empty."""
    return [
        "" if hidden else line
        for document in DOCUMENT.split(text)
        for hidden in (KIND.search(document) is not None,)
        for line in document.splitlines()
    ]


def _block(finding: Finding, lines: list[str], colour: bool) -> Iterator[str]:
    """Yield the finding, the line that it is about, what it is about, and what may help."""
    at = finding.origin.line
    number = f"{at:>5}" if at else " " * 5
    word = style(grade(finding), colour, fg=COLOURS[grade(finding)], bold=True)
    yield f"{number} {word} {printable(finding.rule.id)}: {said(finding.message)}"
    margin = style("      | ", colour, dim=True)
    if excerpt := _excerpt(finding, lines):
        yield margin + excerpt
    about = finding.subject or pointer(finding.origin.path)
    for more in filter(None, (said(about), remark(finding))):
        yield style(f"      {more}", colour, dim=True)


def _excerpt(finding: Finding, lines: list[str]) -> str:
    """Return the line of a finding, unless it may hold a secret."""
    at = finding.origin.line
    if finding.rule.chapter in UNREAD or finding.rule.id == FOREIGN or not 0 < at <= len(lines):
        return ""
    line = lines[at - 1].rstrip()
    if VALUE.search(line) or is_secretive((*finding.origin.path, line)) or redacted(line) != line:
        return ""
    above = map(FLAG.search, lines[max(at - 1 - ABOVE, 0) : at - 1])
    if any(flag and asks(flag[1]) for flag in above):
        return ""
    return printable(line if len(line) <= WIDEST else f"{line[:WIDEST]}…")
