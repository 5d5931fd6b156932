"""The update graph of a package: who replaces whom in each channel, as opm reads it.

What the update graph needs to know of a bundle, so that the rest of it need not be kept.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from kitgen.findings import Origin
from kitgen.findings.errors import KitgenError
from kitgen.kit.bundle_settings import OPENSHIFT
from kitgen.kube.manifest import Manifest
from kitgen.olm.packages.records import CHANNELS, DEFAULT, PACKAGE, Bundle
from kitgen.olm.rules.terms import annotation_of
from kitgen.olm.rules.versions import (
    OpenShiftVersions,
    is_strict_version,
    parse_openshift_versions,
    parse_version_range,
)
from kitgen.text.semver import version_key
from kitgen.text.values import entries_at, text_at, texts_at
from kitgen.text.wording import join_words

SKIP_RANGE = "olm.skipRange"

LONGEST_FILE = 255
"""Of the name of a template no more counts: it is a file, and stands before each of its channels."""


class GraphEntry(Struct, frozen=True, kw_only=True):
    """A bundle in the channels of its package."""

    name: str
    """That of its ClusterServiceVersion."""
    version: str = ""
    package: str = ""
    channels: tuple[str, ...] = ()
    default: str = ""
    """The channel that its metadata calls the default."""
    replaces: str = ""
    skips: tuple[str, ...] = ()
    skip_range: str = ""
    openshift: OpenShiftVersions | None = None
    origin: Origin
    """Where its name stands."""
    of_replaces: Origin
    of_skips: Origin
    of_range: Origin
    of_metadata: Origin
    of_package: Origin
    of_default: Origin


def build_entry(bundle: Bundle) -> GraphEntry | None:
    """Return what the graph needs of a bundle; None if it has no name there."""
    csv = bundle.csv
    name = text_at(csv.body, "metadata", "name") if csv is not None else ""
    if csv is None or not name:
        return None
    notes = bundle.annotations
    said = notes.find_origin(("annotations",)) if notes is not None else csv.find_origin(())
    return GraphEntry(
        name=name,
        version=text_at(csv.body, "spec", "version"),
        package=text_at(bundle.get_annotation(PACKAGE)).strip(),
        channels=bundle.channels,
        default=text_at(bundle.get_annotation(DEFAULT)).strip(),
        replaces=text_at(csv.body, "spec", "replaces"),
        skips=tuple(texts_at(csv.body, "spec", "skips")),
        skip_range=text_at(annotation_of(csv, SKIP_RANGE)),
        openshift=parse_openshift_versions(text_at(bundle.get_annotation(OPENSHIFT))),
        origin=csv.find_origin(("metadata", "name")),
        of_replaces=csv.find_origin(("spec", "replaces")),
        of_skips=csv.find_origin(("spec", "skips")),
        of_range=csv.find_origin(("metadata", "annotations", SKIP_RANGE)),
        of_metadata=said.at(CHANNELS) if notes is not None else said,
        of_package=said.at(PACKAGE) if notes is not None else said,
        of_default=said.at(DEFAULT) if notes is not None else said,
    )


def list_template_entries(entry: GraphEntry, release: Manifest | None) -> Iterator[GraphEntry]:
    """Yield a bundle as each catalog template takes it in; none if it goes into no template."""
    if release is None:
        return
    for at, said in entries_at(release.body, "catalog_templates"):
        template = text_at(said, "template_name")[:LONGEST_FILE]
        where = release.find_origin(("catalog_templates", at))
        yield replace(
            entry,
            channels=tuple(f"{template}: {each}" for each in dict.fromkeys(texts_at(said, "channels"))),
            default="",
            replaces=text_at(said, "replaces"),
            skips=tuple(texts_at(said, "skips")),
            skip_range=text_at(said, "skipRange"),
            of_replaces=where.at("replaces"),
            of_skips=where.at("skips"),
            of_range=where.at("skipRange"),
            of_metadata=where.at("channels"),
            of_default=where.at("defaultChannel"),
        )


class Channel(Struct, frozen=True, kw_only=True):
    """One channel: its bundles, and what the ways between them lead to."""

    name: str
    entries: Mapping[str, GraphEntry]
    """Bundles by name, the newest first."""
    heads: tuple[str, ...] = ()
    """Those that no other one replaces or skips."""
    loops: tuple[tuple[str, ...], ...] = ()
    """Bundles that replace each other in a circle."""
    stranded: tuple[str, ...] = ()
    """Those that no way from a head leads to, and that none skips."""
    missing: Mapping[str, str] = {}
    """Bundles that are replaced and are not there, and which one replaces them."""
    pruned: Mapping[str, str] = {}
    """Heads that a newer one does not replace but has in its range, which it takes the place of."""


MAX_CHANNELS = 2_000
"""Channels of a package in all templates: more than any catalog has."""
REPLACES, SEMVER, CATALOG = "replaces-mode", "semver-mode", "catalog"
"""How bundles follow each other: by what they replace, by version, or as a catalog says."""


def build_channels(package: str, entries: Sequence[GraphEntry], mode: str) -> list[Channel]:
    """Return the channels of a package; of two bundles with one name the first counts.

    KitgenError if it has more of them than can be looked at.
    """
    names: dict[str, dict[str, GraphEntry]] = {}
    known = {each.name for each in entries}
    skips = {id(each): known.intersection(each.skips) for each in entries}
    for each in sort_newest_first(entries):
        for channel in each.channels:
            names.setdefault(channel, {}).setdefault(each.name, each)
        if len(names) > MAX_CHANNELS:
            raise KitgenError(
                f"cannot check {join_words([package])}: found more than {MAX_CHANNELS} channels"
            )
    return [
        Channel(name=name, entries=found, heads=tuple(found)[:1])
        if mode == SEMVER  # in which each replaces the next older one
        else _build_channel(name, found, skips)
        for name, found in sorted(names.items())
    ]


def sort_newest_first(entries: Iterable[GraphEntry]) -> list[GraphEntry]:
    """Sort bundles by version; what has none is oldest."""
    return sorted(entries, key=_version_sort_key, reverse=True)


def _version_sort_key(entry: GraphEntry) -> tuple[Sequence[object], str]:
    return version_key(entry.version) if is_strict_version(entry.version) else (), entry.name


def _build_channel(name: str, entries: Mapping[str, GraphEntry], skips: Mapping[int, set[str]]) -> Channel:
    """Return a channel by what its bundles replace, and what of the package each one skips."""
    skipped = {skip for each in entries.values() for skip in skips[id(each)] & entries.keys()}
    reached = {each.replaces for each in entries.values() if each.replaces != each.name}
    heads = [each for each in entries if each not in reached and each not in skipped]
    missing = {
        each.replaces: each.name
        for each in entries.values()
        if each.replaces and each.replaces not in entries and each.name not in skipped
    }
    pruned = _find_pruned_heads(heads, entries)
    heads = [each for each in heads if each not in pruned]
    loops, around = _find_cycles(entries, skipped)
    on_way = _find_reachable([*heads, *pruned], entries)
    stranded = [each for each in entries if each not in on_way and each not in skipped and each not in around]
    return Channel(
        name=name,
        entries=entries,
        heads=tuple(heads),
        loops=loops,
        stranded=tuple(stranded),
        missing=missing,
        pruned=pruned,
    )


def _find_pruned_heads(heads: Iterable[str], entries: Mapping[str, GraphEntry]) -> dict[str, str]:
    """Return the heads that the range of a newer head without `replaces` takes the place of."""
    found: dict[str, str] = {}
    names = list(heads)
    ranges = [
        (name, parsed)
        for name in names
        if not entries[name].replaces and (parsed := parse_version_range(entries[name].skip_range))
    ]
    for name, parsed in ranges[:MOST]:
        for other in names:
            if other != name and other not in found and parsed.contains(entries[other].version):
                found[other] = name
    return found


MOST = 20
"""Ranges of heads that are tried: a channel has one head, and few are left over from restarts."""


def _find_cycles(
    entries: Mapping[str, GraphEntry], skipped: Collection[str]
) -> tuple[tuple[tuple[str, ...], ...], set[str]]:
    """Return the circles of bundles that replace each other; each bundle is passed once."""
    loops: list[tuple[str, ...]] = []
    around: set[str] = set()
    passed: dict[str, str] = {}
    for start in entries:
        way: list[str] = []
        at = start
        while at in entries and at not in passed:
            passed[at] = start
            way.append(at)
            at = entries[at].replaces if at not in skipped else ""
        if passed.get(at) == start and at in way:
            loop = tuple(way[way.index(at) :])
            around |= set(loop)
            loops.append(loop)
    return tuple(loops), around


def _find_reachable(heads: Iterable[str], entries: Mapping[str, GraphEntry]) -> set[str]:
    found: set[str] = set()
    for head in heads:
        at = head
        while at in entries and at not in found:
            found.add(at)
            at = entries[at].replaces
    return found
