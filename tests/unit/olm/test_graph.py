"""The update graph: heads, circles, bundles that are skipped, stranded or missing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kitgen.findings import Origin, Severity
from kitgen.olm.rules.graph import REPLACES, SEMVER, Channel, GraphEntry, build_channels
from kitgen.olm.rules.updates import check_graph

PLACE = Origin("csv.yaml")


def entry(version: str, replaces: str = "", skips: tuple[str, ...] = (), **more: object) -> GraphEntry:
    """Make a bundle `web.vVERSION` of the channel stable."""
    said = {"package": "web", "channels": ("stable",), "default": "stable", **more}
    return GraphEntry(
        name=f"web.v{version}",
        version=version,
        replaces=f"web.v{replaces}" if replaces else "",
        skips=tuple(f"web.v{each}" for each in skips),
        origin=Origin(f"{version}.yaml"),
        of_replaces=PLACE,
        of_skips=PLACE,
        of_range=PLACE,
        of_metadata=PLACE,
        of_package=PLACE,
        of_default=PLACE,
        **said,
    )


def stable(*entries: GraphEntry, mode: str = REPLACES) -> Channel:
    (channel,) = build_channels("web", entries, mode)
    return channel


def rules(*entries: GraphEntry, mode: str = REPLACES) -> list[str]:
    found = check_graph("web", entries, mode)
    return sorted({each.rule.id for each in found})


def test_a_chain_has_one_head() -> None:
    entries = (entry("1.0.0"), entry("1.1.0", "1.0.0"), entry("1.2.0", "1.1.0"))
    channel = stable(*entries)
    assert channel.heads == ("web.v1.2.0",)
    assert list(channel.entries) == ["web.v1.2.0", "web.v1.1.0", "web.v1.0.0"]
    assert rules(*entries) == []


def test_a_bundle_that_is_skipped_needs_no_way() -> None:
    entries = (entry("1.0.0"), entry("1.1.0", "1.0.0"), entry("1.2.0", "1.0.0", ("1.1.0",)))
    assert stable(*entries).heads == ("web.v1.2.0",)
    assert rules(*entries) == []


def test_what_only_a_skipped_bundle_replaces_is_stranded() -> None:
    entries = (entry("1.0.0"), entry("1.1.0", "1.0.0"), entry("1.2.0", "", ("1.1.0",)))
    assert stable(*entries).stranded == ("web.v1.0.0",)
    assert rules(*entries) == ["graph-stranded"]


def test_a_circle_has_no_head() -> None:
    entries = (entry("1.0.0", "1.2.0"), entry("1.1.0", "1.0.0"), entry("1.2.0", "1.1.0"))
    channel = stable(*entries)
    assert channel.heads == ()
    assert channel.loops == (("web.v1.2.0", "web.v1.1.0", "web.v1.0.0"),)
    assert rules(*entries) == ["graph-backwards", "graph-loop"]


def test_two_heads_are_one_too_many_whether_or_not_a_bundle_is_missing() -> None:
    entries = (entry("1.0.0"), entry("1.1.0", "1.0.0"), entry("1.2.0", "1.0.0"))
    assert rules(*entries) == ["graph-heads"]
    # The missing bundle is older than both, so it explains neither.
    assert heads(entry("1.1.0", "1.0.0"), entry("1.2.0", "1.0.0")) == [("1.1.0.yaml", None)]
    assert heads(entry("1.3.0", "1.0.0"), entry("1.2.0", "1.0.0"), entry("0.9.0", "0.8.0")) == [
        ("1.2.0.yaml", None),
        ("0.9.0.yaml", Severity.WARNING),
    ]
    # Here it may have replaced the older one.
    assert heads(entry("1.0.0"), entry("1.2.0", "1.1.0")) == [("1.0.0.yaml", Severity.WARNING)]


def heads(*entries: GraphEntry) -> list[tuple[str, Severity | None]]:
    """Return the bundles that are reported as second heads, and how bad that is."""
    faults = check_graph("web", entries, REPLACES)
    return [(each.origin.file, each.graded) for each in faults if each.rule.id == "graph-heads"]


def test_what_a_bundle_replaces_is_older_unless_versions_alone_count() -> None:
    newer = entry("1.0.0", "1.1.0")
    assert rules(newer) == ["graph-backwards"]
    assert rules(newer, mode=SEMVER) == []
    assert rules(entry("1.0.0", "1.0.0-rc.1")) == []


def test_a_range_without_replaces_takes_the_place_of_older_heads() -> None:
    entries = (entry("1.0.0"), entry("1.1.0", skip_range=">=1.0.0 <1.1.0"))
    assert stable(*entries).pruned == {"web.v1.0.0": "web.v1.1.0"}
    assert rules(*entries) == ["graph-pruned"]


def test_versions_follow_each_other_in_semver_mode() -> None:
    entries = (entry("1.10.0"), entry("1.9.0"), entry("1.2.0"))
    assert stable(*entries, mode=SEMVER).heads == ("web.v1.10.0",)
    assert rules(*entries, mode=SEMVER) == []


def test_a_default_channel_that_no_bundle_is_in() -> None:
    entries = (entry("1.0.0", default="fast"), entry("1.1.0", "1.0.0", default="fast"))
    assert rules(*entries) == ["bundle-default-elsewhere"]


def test_one_bundle_by_itself_is_never_wrong() -> None:
    assert rules(entry("1.1.0", "1.0.0")) == []


@given(
    st.lists(
        st.tuples(st.integers(0, 8), st.integers(0, 8), st.lists(st.integers(0, 8), max_size=2)), max_size=9
    )
)
def test_any_graph_is_looked_through(said: list[tuple[int, int, list[int]]]) -> None:
    entries = [
        entry(f"1.{own}.0", f"1.{old}.0" if old else "", tuple(f"1.{each}.0" for each in skips))
        for own, old, skips in said
    ]
    assert all(each.message for each in check_graph("web", entries, REPLACES))
    for channel in build_channels("web", entries, REPLACES):
        assert channel.heads or channel.loops or any(each.skips for each in entries)
