"""Write findings as text: one line each, or grouped by file with the source line of each.

The lines of findings are looked up here, as late as possible and once per file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING, TypeAlias

from msgspec.structs import replace

from kitgen.findings import Chapter, Finding, Origin, Severity, deduplicate_findings, format_pointer
from kitgen.text.patterns import compile_late
from kitgen.text.secrets import KIND, is_secret_flag, is_secret_path, redact_value
from kitgen.text.values import group_pairs
from kitgen.text.wording import escape_unprintable, format_count
from kitgen.text.yaml import build_line_finder

if TYPE_CHECKING:
    from kitgen.kube.identity import ObjectId

Read: TypeAlias = Callable[[str], str | None]
"""Gives the text of a file named in an origin, or None if there is none to be had."""
Where: TypeAlias = Callable[[str], tuple[str, str]]
"""Gives the path in its repository of a file named in an origin, and the revision that it is from, if any."""


def locate_findings(findings: Iterable[Finding], read: Read) -> list[Finding]:
    """Sort the findings, drop repeated ones, and say on which lines they are."""
    items = deduplicate_findings(findings)
    lined = locate_origins((each.origin for each in items), read)
    return [replace(each, origin=lined[each.origin]) for each in items]


def keep_path(file: str) -> tuple[str, str]:
    """Name a file as its origin does."""
    return file, ""


def locate_in_repository(findings: Iterable[Finding], read: Read, where: Where) -> list[tuple[Finding, str]]:
    """Locate findings, and name their files as those do who look at a whole repository; and the revision."""
    found = []
    for each in locate_findings(findings, read):
        file, revision = where(each.origin.file)
        found.append((replace(each, origin=replace(each.origin, file=file)), revision))
    return found


Lined: TypeAlias = dict[Origin | None, Origin]
"""Origins → the same with their lines."""


def locate_origins(origins: Iterable[Origin | None], read: Read) -> Lined:
    """Return each origin with its line; 0 means that it is not known."""
    found: Lined = {origin: origin for origin in origins if origin}
    files = group_pairs((origin.file, origin) for origin in found.values() if origin.file and not origin.line)
    for file, wanted in files.items():
        if (text := read(file)) is not None:
            line_of = build_line_finder(text, ((each.document, each.path) for each in wanted))
            found |= {each: replace(each, line=line_of(each.document, each.path)) for each in wanted}
    return found


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


def render_by_line(
    findings: Iterable[Finding], *, read: Read, colour: bool = False, accepted: bool = False
) -> str:
    """Write findings that stand, and accepted ones if they are wanted; sorted, each once."""
    first, more = _select_shown(findings, read, accepted=accepted)
    return "".join([*(f"{_format_finding(finding, colour)}\n" for finding in first), *more])


def _select_shown(
    findings: Iterable[Finding], read: Read, *, accepted: bool
) -> tuple[list[Finding], list[str]]:
    """Return the findings that are worth a line, with theirs, and how many more there are."""
    standing = deduplicate_findings(each for each in findings if accepted or not each.accepted)
    first = sorted(standing, key=lambda each: not each.is_blocking)[
        :SHOWN
    ]  # a warning must not hide an error
    left = len(standing) - len(first)
    return locate_findings(first, read), [f"and {left} more\n"] if left else []


def format_summary(findings: Iterable[Finding]) -> str:
    """Count findings in one line, such as: 2 errors, 1 warning in 3 files."""
    items = deduplicate_findings(findings)
    standing = [item for item in items if not item.accepted]
    found = Counter(item.severity for item in standing)
    files = len({item.origin.file for item in standing if item.origin.file})
    accepted = len(items) - len(standing)
    told = ", ".join(format_count(found[each], each.value) for each in Severity if found[each])
    told += f" in {format_count(files, 'file')}" if files else ""
    return ", ".join(filter(None, (told, f"{accepted} accepted" if accepted else ""))) or "no findings"


def _format_finding(finding: Finding, colour: bool) -> str:
    """Write a finding: place, rule, message, what it is about, and what may help."""
    rule, word = escape_unprintable(finding.rule.id), format_severity(finding)
    parts = [
        style_text(_format_place(finding.origin), colour, bold=True),
        style_text(rule if finding.is_blocking else f"{word}: {rule}", colour, fg=COLOURS[word]),
        format_inline(finding.message),
    ]
    line = ": ".join(part for part in parts if part)
    if finding.subject:
        line += f" [{format_inline(finding.subject)}]"
    if more := format_remark(finding):
        line += style_text(f" ({more})", colour, dim=True)
    return line


def format_severity(finding: Finding) -> str:
    """Return the word for how bad a finding is."""
    return ACCEPTED if finding.accepted else finding.severity.value


def format_remark(finding: Finding) -> str:
    """Return why a finding is accepted, or else what may help, if there is something."""
    if finding.accepted:
        return f"reason: {format_inline(finding.accepted)}"
    return f"hint: {format_inline(finding.hint)}" if finding.hint else ""


def format_message(finding: Finding, subject: str = "") -> str:
    """Return what a finding says in one text: the message, what it is about, and what may help."""
    about, hint = f" [{subject}]" if subject else "", f" (hint: {finding.hint})" if finding.hint else ""
    return f"{finding.message}{about}{hint}"


def _format_place(origin: Origin) -> str:
    """Write where a finding is: the file, the line if it is known, the pointer if there is one."""
    where = f"{origin.file}:{origin.line}" if origin.file and origin.line else origin.file
    return format_inline(f"{where} {format_pointer(origin.path)}".strip())


def format_file_line(origin: Origin | None) -> str:
    """Return the file and the line of an origin, or the pointer where no line is known."""
    if origin is None or not origin.line:
        return f"{origin.file} {format_pointer(origin.path)}".strip() if origin else ""
    return f"{origin.file}:{origin.line}"


def format_object_name(each: ObjectId) -> str:
    """Return the kind and name of an object, and its namespace."""
    return f"{each} in {each.namespace}" if each.namespace else str(each)


def format_place_suffix(place: str) -> str:
    """Return a place as it stands behind a text."""
    return f" ({place})" if place else ""


def format_inline(text: str) -> str:
    """Return what goes into a line: printable, and not as long as a foreign name may be."""
    return escape_unprintable(text if len(text) <= LONGEST else f"{text[:LONGEST]}…")


def style_text(
    value: str, colour: bool, *, fg: str | None = None, bold: bool = False, dim: bool = False
) -> str:
    """Colour a text, if it is to be."""
    if not colour or not value:
        return value
    import click

    return click.style(value, fg=fg, bold=bold or None, dim=dim or None)


WIDEST = 120
"""Characters of a line that are worth a look."""
DOCUMENT = compile_late(r"^(?=---(?:\s|$))", re.MULTILINE)
"""Where a document starts: no text in one has such a line."""
VALUE = compile_late(r"""(?:^|[\s,{\[-])["']?(?:value|default|data|stringData|binaryData)["']?\s*:""")
"""A field whose name does not say what it holds."""
FLAG = compile_late(r"""(?<![^\s"'\[])(--?[A-Za-z][\w.-]*)["']?,?\s*$""")
"""A flag at the end of a line, whose value is in the next one."""
ABOVE = 3
"""Lines above in which a flag may ask for what a line says, with comments between."""
FOREIGN = "manifest-invalid"
"""The rule that something is no object: it may be a file with nothing but a token."""
UNREAD = frozenset({Chapter.FILE, Chapter.YAML})
"""What is in a file that could not be read to its end is not known, and may be a secret."""


def render_by_file(
    findings: Iterable[Finding], *, read: Read, colour: bool = False, accepted: bool = False
) -> str:
    """Write findings that stand, and accepted ones if they are wanted, under the name of their file."""
    first, more = _select_shown(findings, read, accepted=accepted)
    located = sorted(first, key=lambda each: (each.origin.file, each.origin.line))
    parts = []
    for file, some in groupby(located, key=lambda each: each.origin.file):
        lines = _split_visible_lines(read(file) or "") if file else []
        blocks = [style_text(format_inline(file), colour, bold=True)] if file else []
        at = 0
        for each in some:
            blocks += _format_block(each, lines if each.origin.line != at else [], colour)
            at = each.origin.line
        parts.append("\n".join(blocks) + "\n")
    return "\n".join([*parts, *more])


def _split_visible_lines(text: str) -> list[str]:
    """Return the lines of a text; those of documents that may be a Secret are empty."""
    return [
        "" if hidden else line
        for document in DOCUMENT.split(text)
        for hidden in (KIND.search(document) is not None,)
        for line in document.splitlines()
    ]


def _format_block(finding: Finding, lines: list[str], colour: bool) -> Iterator[str]:
    """Yield the finding, the line that it is about, what it is about, and what may help."""
    at = finding.origin.line
    number = f"{at:>5}" if at else " " * 5
    word = style_text(format_severity(finding), colour, fg=COLOURS[format_severity(finding)], bold=True)
    yield f"{number} {word} {escape_unprintable(finding.rule.id)}: {format_inline(finding.message)}"
    margin = style_text("      | ", colour, dim=True)
    if excerpt := _find_excerpt(finding, lines):
        yield margin + excerpt
    for more in filter(
        None, (format_inline(finding.subject or format_pointer(finding.origin.path)), format_remark(finding))
    ):
        yield style_text(f"      {more}", colour, dim=True)


def _find_excerpt(finding: Finding, lines: list[str]) -> str:
    """Return the line of a finding, unless it may hold a secret."""
    at = finding.origin.line
    if finding.rule.chapter in UNREAD or finding.rule.id == FOREIGN or not 0 < at <= len(lines):
        return ""
    line = lines[at - 1].rstrip()
    if VALUE.search(line) or is_secret_path((*finding.origin.path, line)) or redact_value(line) != line:
        return ""
    if any(
        flag and is_secret_flag(flag[1]) for flag in map(FLAG.search, lines[max(at - 1 - ABOVE, 0) : at - 1])
    ):
        return ""
    return escape_unprintable(line if len(line) <= WIDEST else f"{line[:WIDEST]}…")
