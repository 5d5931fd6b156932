"""Unified diffs end in time, whatever the texts."""

from __future__ import annotations

import time

from kitgen.schema.text_diff import FEW, unified_lines


def test_texts_of_few_lines_over_and_over_are_shown_whole() -> None:
    old, new = ([str(number * step % 300) for number in range(20_000)] for step in (1, 7))
    before = time.process_time()
    found = list(unified_lines(old, new, "a", "b"))
    assert time.process_time() - before < 2
    assert found[:4] == ["--- a", "+++ b", "@@ -1,20000 +1,20000 @@", "-0"]
    assert len(found) == 40_003


def test_others_are_compared_line_by_line() -> None:
    old = [f"line {number}" for number in range(2 * FEW)]
    found = list(unified_lines(old, [*old[:10], "new", *old[11:]], "a", "b", around=0, end="\n"))
    assert found == ["--- a\n", "+++ b\n", "@@ -11 +11 @@\n", "-line 10", "+new"]
    assert list(unified_lines(["a"] * 9_000, ["a"] * 9_000, "a", "b")) == []
