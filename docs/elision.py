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
    *between, last = rest
    kept, at = [*_alike(first, lines[: len(first)])], len(first)
    end = max(at, len(lines) - len(last))
    for part in between:
        found = _place(part, lines, at, end)
        if found is not None:
            at = found + len(part)
            kept += [MARK, *_alike(part, lines[found:at])]
    kept += [MARK, *_alike(last, lines[end:])]
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
    pairs = [*zip(old, new, strict=False)]
    return [a if re.fullmatch(pattern(a), b) else b for a, b in pairs] + new[len(pairs) :]


def _place(part: list[str], lines: list[str], start: int, end: int) -> int | None:
    """Return where lines stand that are most like those of a part, if any are."""
    best, found = ALIKE, None
    for at in range(start, end - len(part) + 1):
        alike = [_likeness(old, new) for old, new in zip(part, lines[at:end], strict=False)]
        mean = sum(alike) / len(alike) if alike else 0.0
        if mean > best:
            best, found = mean, at
    return found


def _likeness(old: str, new: str) -> float:
    return 1.0 if re.fullmatch(pattern(old), new) else SequenceMatcher(None, old, new).ratio()
