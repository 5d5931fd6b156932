"""Unified diffs of texts that may be anybody's, in bounded time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import unified_diff

FEW, MOST_PAIRS = 2_000, 200_000
"""Texts of so few lines are compared whatever is in them; in longer ones, so many lines may be alike."""
POPULAR = 100
"""A line that comes more often than once in so many is not what difflib starts from."""


def unified_lines(
    old: Sequence[str], new: Sequence[str], before: str, after: str, *, around: int = 3, end: str = ""
) -> Iterator[str]:
    """Yield the lines of a unified diff; all of both texts where the same few lines come over and over."""
    if max(len(old), len(new)) <= FEW or _pairs(old, new) <= MOST_PAIRS:
        yield from unified_diff(old, new, before, after, n=around, lineterm=end)
    elif list(old) != list(new):
        yield from (f"--- {before}{end}", f"+++ {after}{end}", f"@@ -1,{len(old)} +1,{len(new)} @@{end}")
        yield from (f"-{line}" for line in old)
        yield from (f"+{line}" for line in new)


def _pairs(old: Sequence[str], new: Sequence[str]) -> int:
    """Count how often a line of one text is one of the other; difflib looks at each of these, many times."""
    counts, most = Counter(new), len(new) // POPULAR + 1
    return sum(counts[line] for line in old if counts[line] <= most)
