"""Unified diffs end in time, whatever the texts, and are those of difflib."""

from __future__ import annotations

from difflib import unified_diff

from hypothesis import given
from hypothesis import strategies as st
from some import rows

from kitgen.text.unified_diff import TextDiffs

TEXTS = st.lists(st.sampled_from("abcdef"), max_size=40)
SIZE, STEPS = 4_000, 400_000
REPEATED = tuple([str(number * step % 300) for number in range(SIZE)] for step in (1, 7))
ALTERNATING = tuple(
    [f"{side}{number}" if number % 2 else str(number) for number in range(SIZE)] for side in "ab"
)


@rows(("old", "new"), [REPEATED, ALTERNATING])
def test_texts_that_take_too_much_are_shown_whole(old: list[str], new: list[str]) -> None:
    diffs = TextDiffs(STEPS)
    found = list(diffs.diff_lines(old, new, "a", "b"))
    assert found == [
        *("--- a", "+++ b", f"@@ -1,{SIZE} +1,{SIZE} @@"),
        *(f"-{line}" for line in old),
        *(f"+{line}" for line in new),
    ]
    assert diffs.left < STEPS


def test_many_texts_take_no_more_than_one() -> None:
    diffs = TextDiffs(100_000)
    old, new = (each[:1_000] for each in ALTERNATING)
    assert sum(len(list(diffs.diff_lines(old, new, "a", "b"))) for _ in range(50)) == 50 * 2_003
    assert 0 <= diffs.left < 100_000
    assert list(TextDiffs(100).diff_lines(["a", "b"], ["a", "c"], "x", "y"))[3:] == [" a", "-b", "+c"]


def test_long_texts_are_compared_line_by_line() -> None:
    old = [f"line {number}" for number in range(4_000)]
    new = [f"new {number}" if number % 50 == 0 else line for number, line in enumerate(old)]
    found = list(TextDiffs().diff_lines(old, new, "a", "b", around=0, end="\n"))
    assert found == list(unified_diff(old, new, "a", "b", n=0))
    assert list(TextDiffs().diff_lines(["a"] * 9_000, ["a"] * 9_000, "a", "b")) == []


@given(TEXTS, TEXTS, st.integers(0, 3))
def test_a_diff_is_that_of_difflib(old: list[str], new: list[str], around: int) -> None:
    expected = list(unified_diff(old, new, "a", "b", n=around, lineterm=""))
    assert list(TextDiffs().diff_lines(old, new, "a", "b", around=around)) == expected
