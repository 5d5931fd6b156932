"""Put owners before what they own, and leave everything else where it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence


def parents_first(count: int, owners: Mapping[int, Sequence[int]]) -> Iterator[int]:
    """Yield numbers in order, each behind its owners; in a circle, the one that is met first comes last."""
    seen = bytearray(count)
    for start in range(count):
        waiting = [start]
        while waiting:
            here = waiting[-1]
            if seen[here] == 0:
                seen[here] = 1
                waiting += [each for each in reversed(owners.get(here, ())) if not seen[each]]
            else:
                waiting.pop()
                if seen[here] == 1:
                    seen[here] = 2
                    yield here
