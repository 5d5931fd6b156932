"""Versions sort as semver says, and ranges take what they name."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from some import rows

from kitgen.text.semver import (
    intersect_ranges,
    is_final_version,
    is_in_range,
    is_inverted_range,
    is_patch_release,
    newest_before,
    version_key,
    widen_range,
)

NUMBERS = st.tuples(*[st.integers(0, 30)] * 3)
VERSIONS = NUMBERS.map(lambda parts: "v{}.{}.{}".format(*parts))

# From the specification of semantic versions, section 11.
ORDERED = (
    *("1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11"),
    *("1.0.0-rc.1", "1.0.0", "2.0.0", "2.1.0", "2.1.1", "10.0.0"),
)


def test_the_order_of_the_specification() -> None:
    backwards = [*ORDERED]
    backwards.reverse()
    assert sorted(backwards, key=version_key) == list(ORDERED)


@given(first=NUMBERS, second=NUMBERS)
def test_versions_sort_by_their_numbers(first: tuple[int, ...], second: tuple[int, ...]) -> None:
    one, other = ("{}.{}.{}".format(*parts) for parts in (first, second))
    assert (version_key(one) < version_key(f"v{other}")) == (first < second)


@given(version=VERSIONS, bound=VERSIONS)
def test_ranges_are_comparisons(version: str, bound: str) -> None:
    assert is_in_range(version, f">={bound}") != is_in_range(version, f"<{bound}")
    assert is_in_range(version, f"<={bound}") != is_in_range(version, f"> {bound}")
    assert is_in_range(version, f"={bound}") != is_in_range(version, f"!={bound}")
    assert is_in_range(version, bound) == is_in_range(version, f"={bound}")
    assert is_in_range(version, version)


@given(version=VERSIONS, low=VERSIONS, high=VERSIONS)
def test_terms_hold_together(version: str, low: str, high: str) -> None:
    both = is_in_range(version, f">={low}") and is_in_range(version, f"<{high}")
    assert is_in_range(version, f">={low} <{high}") == both == is_in_range(version, f"<{high}  >={low}")


@rows(
    ("wanted", "inverted"),
    [
        (">=1.16.0 <1.15.0", True),
        ("<1.0.0 >=2.0.0", True),
        (">=1.0.0 <1.0.0", True),
        (">=1.0.0 <=1.0.0", False),
        (">1.0.0 <1.0.1", False),
        (">1.0.0", False),
        ("1.0.0", False),
        ("*", False),
        ("", False),
    ],
)
def test_a_range_that_ends_before_it_begins(wanted: str, inverted: bool) -> None:
    assert is_inverted_range(wanted) is inverted


@rows("wanted", ["", "*", "  "])
def test_an_empty_range_takes_all(wanted: str) -> None:
    assert is_in_range("v1.0.0-rc.1", wanted)


@given(text=st.text(alphabet="v0123.-><=!*~^| abc²", max_size=12))
def test_any_text_is_a_range_or_a_value_error(text: str) -> None:
    try:
        assert is_in_range("v1.0.0", text) in (True, False)
    except ValueError as error:
        assert "expected a version" in str(error)


@rows("text", ["", "v", "1.2.3.4", "one", "v1.0.0\n", "v01.x", "²"])
def test_what_is_no_version(text: str) -> None:
    with pytest.raises(ValueError, match="expected a version"):
        version_key(text)


@given(text=st.text(alphabet="v01.-><= ab", max_size=16), version=VERSIONS)
def test_a_range_can_be_read_for_every_version_or_for_none(text: str, version: str) -> None:
    def reads(one: str) -> bool:
        try:
            is_in_range(one, text)
        except ValueError:
            return False
        return True

    assert reads(version) == reads("v0.0.0")


@rows(
    ("before", "name", "patch"),
    [
        ("v1.0.0", "v1.0.1", True),
        ("v1.0.1-rc.1", "v1.0.1", True),
        ("v1.0.0", "v1.0.1-rc.1", True),
        ("v1.0.0-rc.1", "v1.0.0", False),
        ("v1.0.0", "v1.1.0", False),
        ("v1.0.1", "v1.0.0", False),
    ],
)
def test_a_patch_raises_the_last_number(before: str, name: str, patch: bool) -> None:
    assert is_patch_release(before, name) is patch


def test_the_newest_before_a_version() -> None:
    versions = ["v1.10.0", "v1.9.0", "v1.11.0-rc.1", "v2.0.0"]
    assert newest_before(versions, "v1.11.0") == "v1.11.0-rc.1"
    assert newest_before(versions, "v1.9.0") == ""
    assert [is_final_version(each) for each in versions] == [True, True, False, True]


@rows(
    ("wanted", "more", "want"),
    [
        ("", "<1.6.0", "<1.6.0"),
        (">=1.4.0 <1.16.0", "<1.6.0", ">=1.4.0 <1.6.0"),
        (">=1.4.0 <1.16.0", ">=1.6.0", ">=1.6.0 <1.16.0"),
        ("<1.6.0", ">=1.4.0", ">=1.4.0 <1.6.0"),
        (">1.4.0", ">=1.4.0", ">1.4.0"),
        ("<=1.6.0", "<1.6.0", "<1.6.0"),
        ("!=1.5.0 <2.0.0", ">=1.0.0", ">=1.0.0 <2.0.0 !=1.5.0"),
    ],
)
def test_a_narrower_range_has_no_bound_that_others_imply(wanted: str, more: str, want: str) -> None:
    assert intersect_ranges(wanted, more) == want


@rows(
    ("wanted", "version", "instead"),
    [
        (">=1.5.0", "v1.5.0-fork", ">=1.5.0-0"),
        (">=1.4.0 <1.5.0", "v1.5.0-rc.1", ">=1.4.0 <1.5.0-0"),
        (">=v1.5", "v1.5.0-fork+2", ">=v1.5-0"),
        (">=1.5.0-0", "v1.5.0-fork", ""),
        (">=1.4.0", "v1.5.0-fork", ""),
        ("1.5.0", "v1.5.0-fork", ""),
        ("!=1.5.0", "v1.5.0-fork", ""),
        ("<=1.5.0", "v1.5.0-fork", ""),
        ("*", "v1.5.0-fork", ""),
    ],
)
def test_ranges_that_take_a_version_with_a_suffix_as_the_plain_one(
    wanted: str, version: str, instead: str
) -> None:
    assert widen_range(wanted, version) == instead
    if instead:
        assert is_in_range(version, instead) == is_in_range(version.partition("-")[0], instead)


@rows("wanted", ["1.0{}", "{}1.0", "<2{}>=1.0", ">={}1.0"])
def test_blanks_in_a_range_cost_nothing(wanted: str) -> None:
    before = time.process_time()
    assert is_in_range("v1.0.0", wanted.format(" " * 3_000))
    assert time.process_time() - before < 2
