"""What a page leaves out of an output: `…` stands for any text, alone on a line for any lines."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

MARK = "…"
ALIKE = 0.5
"""How much of a line must be the same for it to be taken for the one that a page showed."""


def pattern(line: str) -> str:
    """Return what matches a line of a page."""
    return re.escape(line).replace(MARK, ".*")


def matches(expected: str, printed: str) -> bool:
    """Tell whether a command printed what the page shows; empty lines at the end do not count."""
    said = expected.rstrip().splitlines()
    lines = (r"(?:.*\n)*?" if line.strip() == MARK else pattern(line) + r"\n" for line in said)
    printed = printed.rstrip()
    return re.fullmatch("".join(lines), f"{printed}\n" if printed else "") is not None


def shown(expected: str, printed: str) -> str:
    """Return what a page should show of an output, leaving out what it left out before."""
    if matches(expected, printed):
        return expected
    first, *rest = _parts(expected)
    if not rest or not printed.strip():
        return printed.rstrip()
    lines = printed.rstrip().splitlines()
    kept: list[str] = []
    at = 0
    for number, part in enumerate([first, *rest]):
        start = 0 if number == 0 else _start(part, lines, at, last=part is rest[-1])
        if start is not None:
            at = len(lines) if part is rest[-1] else _end(part, lines, start)
            kept += [*([MARK] if number else []), *_alike(part, lines[start:at])]
    short = "\n".join(kept)
    return short if matches(short, printed) else printed.rstrip()


def _parts(expected: str) -> list[list[str]]:
    """Split what a page shows where lines are left out."""
    parts: list[list[str]] = [[]]
    for line in expected.rstrip().splitlines():
        if line.strip() == MARK:
            parts.append([])
        else:
            parts[-1].append(line)
    return parts


def _alike(old: list[str], new: list[str]) -> list[str]:
    """Return new lines, those as they stood that still hold."""
    short = [line for line in old if MARK in line]
    return [next((line for line in short if re.fullmatch(pattern(line), each)), each) for each in new]


def _start(part: list[str], lines: list[str], after: int, *, last: bool) -> int | None:
    """Return where a part begins: where its first words are, or as far from the end as it was."""
    said = next((index for index, line in enumerate(part) if line.strip()), None)
    if said is None:
        return len(lines) if last else None
    found = _place(part[said], lines, after + said)
    if found is None:
        return max(after, len(lines) - len(part)) if last else None
    return found - said


def _end(part: list[str], lines: list[str], start: int) -> int:
    """Return where a part ends: with the line that is like its last one, or as long as it was."""
    if not part:
        return start
    said = next((index for index in reversed(range(len(part))) if part[index].strip()), 0)
    found = _place(part[said], lines, start + (1 if said else 0))
    end = start + len(part) if found is None or len(part) == 1 else found + len(part) - said
    return min(end, len(lines))


def _place(line: str, lines: list[str], after: int) -> int | None:
    """Return where the line is that is most like one, if any is: the first of those that are."""
    likeness = {at: _likeness(line, lines[at]) for at in range(after, len(lines))}
    best = max(likeness, key=lambda at: likeness[at], default=None)
    return best if best is not None and likeness[best] > ALIKE else None


def _likeness(old: str, new: str) -> float:
    return 1.0 if re.fullmatch(pattern(old), new) else SequenceMatcher(None, old, new).ratio()
