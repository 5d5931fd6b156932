"""Versions and ranges as the tools of OLM read them, and versions of OpenShift."""

from __future__ import annotations

import pytest

from kitgen.olm.rules.versions import (
    OpenShiftVersions,
    describe_range_error,
    is_strict_version,
    kubernetes_minor_of,
    parse_openshift_versions,
    parse_version_range,
)


@pytest.mark.parametrize("text", ["1.0.0", "0.0.1-rc.1", "1.2.3552-133480f", "1.0.0+build.1", "10.20.30"])
def test_a_version_has_three_numbers(text: str) -> None:
    assert is_strict_version(text)


@pytest.mark.parametrize(
    "text", ["", "1", "1.0", "v1.0.0", "1.0.0-", "01.0.0", "1.0.0-01", "1.0.x", "1" * 300]
)
def test_anything_else_is_none(text: str) -> None:
    assert not is_strict_version(text)


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        (">=1.0.0 <1.2.0", "1.1.9", "1.2.0"),
        (">= 1.0.0 < 1.2.0", "1.0.0", "0.9.0"),
        ("<1.68.2", "0.1.0", "1.68.2"),
        ("1.0.0", "1.0.0", "1.0.1"),
        ("!1.0.0", "1.0.1", "1.0.0"),
        ("1.x", "1.9.9", "2.0.0"),
        ("1.2.x", "1.2.9", "1.3.0"),
        (">1.x", "2.0.0", "1.9.9"),
        ("<=1.2.x", "1.2.9", "1.3.0"),
        ("<1.0.0 || >=2.0.0", "2.1.0", "1.5.0"),
        (">=4.13.0-0 <5.0.0", "4.13.0", "5.0.0"),
    ],
)
def test_a_range_holds_some(text: str, inside: str, outside: str) -> None:
    found = parse_version_range(text)
    assert found is not None
    assert found.contains(inside)
    assert not found.contains(outside)


@pytest.mark.parametrize(
    "text", ["", " ", "||", ">=", ">=1", "1.0", "latest", ">=1.0.0 ||", "~1.0.0", "!1.x"]
)
def test_what_is_no_range(text: str) -> None:
    assert parse_version_range(text) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("v4.12", OpenShiftVersions(12, None)),
        ("4.7-4.9", OpenShiftVersions(7, 9)),
        ("v4.10-v4.15", OpenShiftVersions(10, 15)),
        ("=v4.12", OpenShiftVersions(12, 12)),
        ("v4.5,v4.6", OpenShiftVersions(5, None, listed=True)),
        ("v4.15-v4.10", None),
        (">=v4.12", None),
        ("=v4.12-v4.13", None),
        ("4", None),
        ("", None),
    ],
)
def test_versions_of_openshift(text: str, found: OpenShiftVersions | None) -> None:
    assert parse_openshift_versions(text) == found


def test_ranges_within_ranges() -> None:
    assert OpenShiftVersions(10, None).covers(OpenShiftVersions(12, 14))
    assert OpenShiftVersions(10, 14).covers(OpenShiftVersions(10, 14))
    assert not OpenShiftVersions(10, 14).covers(OpenShiftVersions(10, None))
    assert not OpenShiftVersions(11, None).covers(OpenShiftVersions(10, 12))
    assert kubernetes_minor_of(12) == 25


@pytest.mark.parametrize(
    ("text", "inverted"),
    [
        (">=2.0.0 <1.0.0", True),
        (">=1.0.0 <1.0.0", True),
        (">1.0.0 <=1.0.0", True),
        ("2.0.0 <1.0.0", True),
        (">=2.0.0 <1.0.0 || >=4.0.0 <3.0.0", True),
        (">=2.0.0 <1.0.0 || >=3.0.0", False),
        (">=1.0.0 <=1.0.0", False),
        (">=1.0.0-rc.1 <1.0.0", False),
        ("<1.0.0", False),
    ],
)
def test_a_range_that_ends_before_it_begins(text: str, inverted: bool) -> None:
    assert (
        ("ends before it begins" in describe_range_error(text))
        == inverted
        == bool(describe_range_error(text))
    )
    assert "ends before" not in describe_range_error("all") != ""
