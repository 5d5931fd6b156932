"""The update graph of a package: who replaces whom in each channel, as opm reads it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from kitgen.check.bundle.entries import Entry
from kitgen.check.bundle.versions import is_strict, parse_version_range
from kitgen.errors import KitgenError
from kitgen.schema.wording import choice
from kitgen.semver import version_key


class Channel(Struct, frozen=True, kw_only=True):
    """One channel: its bundles, and what the ways between them lead to."""

    name: str
    entries: Mapping[str, Entry]
    """Bundles by name, the newest first."""
    heads: tuple[str, ...] = ()
    """Those that no other one replaces or skips."""
    loops: tuple[tuple[str, ...], ...] = ()
    """Bundles that replace each other in a circle."""
    stranded: tuple[str, ...] = ()
    """Those that no way from a head leads to, and that none skips."""
    skipped: Mapping[str, str] = {}
    """Those that an upgrade leaves out, and which bundle says so."""
    missing: Mapping[str, str] = {}
    """Bundles that are replaced and are not there, and which one replaces them."""
    pruned: Mapping[str, str] = {}
    """Heads that a newer one does not replace but has in its range, which it takes the place of."""


class Graph(Struct, frozen=True, kw_only=True):
    """All channels of a package."""

    package: str
    mode: str
    """How bundles follow each other: by what they replace, by version, or as a catalog says."""
    default: str
    channels: tuple[Channel, ...]


MAX_CHANNELS = 2_000
"""Channels of a package in all templates: more than any catalog has."""
REPLACES, SEMVER, CATALOG = "replaces-mode", "semver-mode", "catalog"


def graph_of(package: str, entries: Sequence[Entry], mode: str) -> Graph:
    """Return the graph of a package; of two bundles with one name the first counts.

    KitgenError if it has more channels than can be looked at.
    """
    names: dict[str, dict[str, Entry]] = {}
    known = {each.name for each in entries}
    skips = {id(each): known.intersection(each.skips) for each in entries}
    for each in sorted(entries, key=_age, reverse=True):
        for channel in each.channels:
            names.setdefault(channel, {}).setdefault(each.name, each)
        if len(names) > MAX_CHANNELS:
            raise KitgenError(f"cannot check {choice([package])}: found more than {MAX_CHANNELS} channels")
    default = next((each.default for each in sorted(entries, key=_age, reverse=True) if each.default), "")
    channels = tuple(
        _by_version(name, found) if mode == SEMVER else _by_replaces(name, found, skips)
        for name, found in sorted(names.items())
    )
    return Graph(package=package, mode=mode, default=default, channels=channels)


def _age(entry: Entry) -> tuple[bool, object, str]:
    """Sort by version; what has none is oldest."""
    strict = is_strict(entry.version)
    return strict, version_key(entry.version) if strict else (), entry.name


def _by_version(name: str, entries: Mapping[str, Entry]) -> Channel:
    """Return a channel whose bundles replace the next older one."""
    return Channel(name=name, entries=entries, heads=tuple(entries)[:1])


def _by_replaces(name: str, entries: Mapping[str, Entry], skips: Mapping[int, set[str]]) -> Channel:
    """Return a channel by what its bundles replace, and what of the package each one skips."""
    skipped = {skip: each.name for each in entries.values() for skip in skips[id(each)] & entries.keys()}
    reached = {each.replaces for each in entries.values() if each.replaces != each.name}
    heads = [each for each in entries if each not in reached and each not in skipped]
    missing = {
        each.replaces: each.name
        for each in entries.values()
        if each.replaces and each.replaces not in entries and each.name not in skipped
    }
    pruned = _pruned(heads, entries)
    heads = [each for each in heads if each not in pruned]
    loops, around = _loops(entries, skipped)
    on_way = _below([*heads, *pruned], entries)
    stranded = [each for each in entries if each not in on_way and each not in skipped and each not in around]
    return Channel(
        name=name,
        entries=entries,
        heads=tuple(heads),
        loops=loops,
        stranded=tuple(stranded),
        skipped=skipped,
        missing=missing,
        pruned=pruned,
    )


def _pruned(heads: Iterable[str], entries: Mapping[str, Entry]) -> dict[str, str]:
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
            if other != name and other not in found and parsed.holds(entries[other].version):
                found[other] = name
    return found


MOST = 20
"""Ranges of heads that are tried: a channel has one head, and few are left over from restarts."""


def _loops(
    entries: Mapping[str, Entry], skipped: Mapping[str, str]
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


def _below(heads: Iterable[str], entries: Mapping[str, Entry]) -> set[str]:
    found: set[str] = set()
    for head in heads:
        at = head
        while at in entries and at not in found:
            found.add(at)
            at = entries[at].replaces
    return found
