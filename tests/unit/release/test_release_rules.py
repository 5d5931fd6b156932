"""Tags of images are held to the version of a component, and known tags to links."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kitgen.release.rules.images import BROKEN, is_other_version

NUMBERS = st.tuples(*[st.integers(0, 30)] * 3)


@pytest.mark.parametrize(
    ("tag", "version", "wanted"),
    [
        ("v0.8.1", "v0.8.3", True),
        ("0.8.3", "v0.8.3", False),
        ("release-v1.34.0", "v1.34.0", False),
        ("release-v1.34.0", "v1.34.1", True),
        ("release-0.7", "v0.7.2", False),
        ("release-0.7", "v0.10.1", True),
        ("v1.1.0-odh-2", "v1.1.0", False),
        ("v1.0.0-rc.1", "v1.0.0", True),
        ("v1.0.0", "v1.0.0-rc.1", True),
        ("v1.0.0-rc.1", "v1.0.0-rc.1", False),
        ("main", "v1.0.0", False),
        ("20240131", "v1.0.0", False),
        ("", "v1.0.0", False),
    ],
)
def test_a_tag_that_says_another_version(tag: str, version: str, wanted: bool) -> None:
    assert is_other_version(tag, version) is wanted


@given(NUMBERS, NUMBERS, st.sampled_from(["", "-odh", "-ubi9", "-1"]))
def test_a_tag_fits_its_own_version_alone(
    numbers: tuple[int, ...], others: tuple[int, ...], suffix: str
) -> None:
    version, other = (f"v{'.'.join(map(str, each))}" for each in (numbers, others))
    assert is_other_version(version + suffix, other) is (numbers != others)


@pytest.mark.parametrize("tag", ["v.0.0.7", "vv0.14.1", "v0..7", "v1.", "1.0.", "release-v.1.0", "V.1.0"])
def test_versions_with_a_sign_too_many(tag: str) -> None:
    assert BROKEN.fullmatch(tag)


@pytest.mark.parametrize(
    "tag",
    ["v0.0.7", "1.2.3", "v1", "v1alpha1", "release-0.7", "2024.01.31", "v1.2.3-4.5", "v4.14.0.1", "dev"],
)
def test_other_tags_are_left_alone(tag: str) -> None:
    assert not BROKEN.fullmatch(tag)
