"""Unified diffs of texts that may be foreign, with bounded effort."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import Match, SequenceMatcher
from itertools import accumulate

from msgspec import Struct

MOST_STEPS = 40_000_000
"""How many lines, and places of them in the other text, are looked at for all diffs of a command."""


class TextDiffs(Struct):
    """Makes unified diffs, each with half of the steps that those before it left at most."""

    left: int = MOST_STEPS
    """How many steps they may still take."""

    def diff_lines(
        self,
        old: Sequence[str],
        new: Sequence[str],
        before: str,
        after: str,
        *,
        around: int = 3,
        end: str = "",
    ) -> Iterator[str]:
        """Yield the lines of a unified diff; all of both texts where telling them apart takes too much."""
        if list(old) == list(new):
            return
        matcher = _Matcher(old, new, self.left // 2)
        try:
            groups = [*matcher.get_grouped_opcodes(around)]
        except _TooManyStepsError:
            groups = [[("replace", 0, len(old), 0, len(new))]]
        self.left -= matcher.steps
        yield f"--- {before}{end}"
        yield f"+++ {after}{end}"
        for group in groups:
            (_, start, _, at, _), (*_, stop, _, to) = group[0], group[-1]
            yield f"@@ -{_format_range(start, stop)} +{_format_range(at, to)} @@{end}"
            for tag, start, stop, at, to in group:
                if tag == "equal":
                    yield from (f" {line}" for line in old[start:stop])
                    continue
                yield from (f"-{line}" for line in old[start:stop])
                yield from (f"+{line}" for line in new[at:to])


class _TooManyStepsError(Exception):
    """Raised when comparing two texts takes too many steps."""


class _Matcher(SequenceMatcher[str]):
    """Counts what it looks at: every line of a part, and every place that the line has in the other text."""

    def __init__(self, old: Sequence[str], new: Sequence[str], most: int) -> None:
        super().__init__(None, old, new)
        self.steps, self.most = 0, most
        places: Mapping[str, Sequence[int]] = vars(self)["b2j"]  # which the types of difflib do not have
        self._until = [0, *accumulate(1 + len(places.get(line, ())) for line in old)]

    def find_longest_match(
        self, alo: int = 0, ahi: int | None = None, blo: int = 0, bhi: int | None = None
    ) -> Match:
        """Find the next run of lines that stay."""
        steps = self._until[-1 if ahi is None else ahi] - self._until[alo]
        if self.steps + steps > self.most:
            raise _TooManyStepsError
        self.steps += steps
        return super().find_longest_match(alo, ahi, blo, bhi)


def _format_range(start: int, stop: int) -> str:
    """Write lines as diff does: from which on and how many; of none, the line before them."""
    count = stop - start
    if count == 1:
        return str(start + 1)
    return f"{start + 1 if count else start},{count}"
