"""Durations are read as Go reads them, to the nanosecond."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from some import rows

from kitgen.kit.config_type import parse_duration


@rows(
    ("text", "want"),
    [
        ("0", 0),
        ("1m30s", 90 * 10**9),
        ("1.5h", 5400 * 10**9),
        ("100ms1us1ns", 100_001_001),
        ("1\u00b5s1\u03bcs", 2000),
        ("9223372036.854775807s", 2**63 - 1),
        ("0.0000000019s", 1),
        (5, 5),
    ],
)
def test_durations(text: str | int, want: int) -> None:
    assert parse_duration(text) == want


@rows("text", ["", "1", "1m\n", "m", "-1m", "1.m", "1 m", "٣m", "9" * 5000 + "h", "soon"])
def test_what_is_no_duration(text: str) -> None:
    with pytest.raises(ValueError, match="no duration"):
        parse_duration(text)


@given(st.integers(min_value=0, max_value=2**63 - 1))
def test_no_nanosecond_is_lost(number: int) -> None:
    seconds, rest = divmod(number, 10**9)
    assert parse_duration(f"{seconds}s{rest}ns") == parse_duration(f"{seconds}.{rest:09d}s") == number
