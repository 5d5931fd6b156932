"""Rules of the update graph: one head a channel, no circle, nobody left behind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice

from kitgen.findings import MAX_ERRORS, Severity, rule
from kitgen.olm.rules.graph import CATALOG, REPLACES, SEMVER, Channel, Graph, GraphEntry
from kitgen.olm.rules.metadata import BUNDLE_DEFAULT_ELSEWHERE
from kitgen.olm.rules.terms import BundleFault
from kitgen.olm.rules.versions import is_strict, parse_version_range, wrong_range
from kitgen.text.semver import version_key
from kitgen.text.wording import choice, cut

GRAPH_RANGE = rule("graph-range")
GRAPH_SELF = rule("graph-self")
GRAPH_BACKWARDS = rule("graph-backwards")
GRAPH_HEADS = rule("graph-heads")
GRAPH_LOOP = rule("graph-loop")
GRAPH_STRANDED = rule("graph-stranded")
GRAPH_MISSING = rule("graph-missing")
GRAPH_OPENSHIFT = rule("graph-openshift")
GRAPH_PRUNED = rule("graph-pruned")
GRAPH_TWICE = rule("graph-twice")
PACKAGE_MIXED = rule("package-mixed")


def graph_faults(graph: Graph, entries: Sequence[GraphEntry]) -> Iterator[BundleFault]:
    """Yield what is wrong with the ways between the bundles of a package."""
    yield from _names(entries)
    versions = {each.name: each.version for each in entries}
    for each in entries:
        if each.skip_range and (message := wrong_range(each.skip_range)):
            yield BundleFault(each.of_range, GRAPH_RANGE(message))
        yield from _order(each, versions if graph.mode != SEMVER else None)
    if graph.mode == REPLACES:
        yield from _openshift(entries)
    told: set[str] = set()
    names = {each.name for each in entries}
    whole = graph.mode != CATALOG and len(entries) > 1
    for channel in graph.channels:
        yield from _channel(channel, told, names, whole=whole)
    for look in (_pruned, _heads) if whole else ():
        # They may be all bundles in each channel, and only warnings.
        yield from islice(chain.from_iterable(map(look, graph.channels)), MAX_ERRORS + 1)
    channels = {name for each in entries for name in each.channels}
    if whole and graph.default and graph.default not in channels:
        newest = next(each for each in reversed(entries) if each.default == graph.default)
        message = f"found the default channel {cut(graph.default)}, which no bundle is in"
        yield BundleFault(newest.of_default, BUNDLE_DEFAULT_ELSEWHERE(message))


def _order(entry: GraphEntry, versions: Mapping[str, str] | None) -> Iterator[BundleFault]:
    """Yield that a bundle follows itself, or a newer one, which only counts where versions are given."""
    itself = f"found {cut(entry.name)}, which is the bundle itself"
    if entry.replaces == entry.name:
        yield BundleFault(entry.of_replaces, GRAPH_SELF(itself))
    if entry.name in entry.skips:
        yield BundleFault(entry.of_skips.at(entry.skips.index(entry.name)), GRAPH_SELF(itself))
    allowed = parse_version_range(entry.skip_range)
    if allowed is not None and allowed.holds(entry.version):
        message = f"found {cut(entry.skip_range)}, which holds the version of the bundle itself"
        yield BundleFault(entry.of_range, GRAPH_SELF(message), graded=Severity.WARNING)
    if versions is None:
        return
    before = versions.get(entry.replaces) or entry.replaces.partition(".")[2].removeprefix("v")
    if is_strict(before) and is_strict(entry.version) and version_key(before) > version_key(entry.version):
        message = f"found {cut(entry.replaces)}, which is newer than version {entry.version} of the bundle"
        yield BundleFault(entry.of_replaces, GRAPH_BACKWARDS(message))


def _names(entries: Sequence[GraphEntry]) -> Iterator[BundleFault]:
    first: dict[str, GraphEntry] = {}
    for each in entries:
        other = first.setdefault(each.name, each)
        if other is not each and other.origin != each.origin:
            message = f"found the name {cut(each.name)} again, expected another one"
            yield BundleFault(each.origin, GRAPH_TWICE(message, hint=f"the first is in {other.origin.file}"))
    for what, names in (
        ("package", [(each, each.package) for each in entries if each.package]),
        ("operator", [(each, each.operator) for each in entries]),
    ):
        counts: dict[str, int] = {}
        for _, name in names:
            counts[name] = counts.get(name, 0) + 1
        usual = max(counts, key=lambda name: counts[name], default="")
        for each, name in names:
            # Where more than one differs, the package has had two names, which is only warned of.
            if name != usual and counts[name] == 1 and len(counts) == 2:
                where = each.of_package if what == "package" else each.origin
                message = f"found the {what} {cut(name)}, but all other bundles have {cut(usual)}"
                yield BundleFault(where, PACKAGE_MIXED(message))


def _openshift(entries: Sequence[GraphEntry]) -> Iterator[BundleFault]:
    names = {each.name: each for each in entries}
    for each in entries:
        other = names.get(each.replaces)
        if other is None or other is each or each.openshift is None or other.openshift is None:
            continue
        lists = each.openshift.listed or other.openshift.listed
        offered, before = each.openshift.built, other.openshift.built
        if not lists and offered and not (before and before.covers(offered)):
            message = f"found {cut(other.name)}, which is not for every OpenShift that this bundle is for"
            yield BundleFault(
                each.of_replaces, GRAPH_OPENSHIFT(message, hint=f"see {other.of_metadata.file}")
            )


def _channel(channel: Channel, told: set[str], names: set[str], *, whole: bool) -> Iterator[BundleFault]:
    """Yield what is wrong in one channel; what is told of another one is not told again."""
    for loop in channel.loops:
        if len(loop) > 1 and loop[0] not in told:
            told.update(loop)
            way = choice([*loop, loop[0]], last="replaces", most=8)
            message = f"found a circle in the channel {cut(channel.name)}: {way}"
            yield BundleFault(channel.entries[loop[0]].of_replaces, GRAPH_LOOP(message))
    if not whole:
        return
    for name, by in channel.missing.items():
        if name not in told:
            told.add(name)
            where = f"the channel {cut(channel.name)}" if name in names else "the package"
            message = f"found {cut(name)}, which is not in {where}"
            yield BundleFault(channel.entries[by].of_replaces, GRAPH_MISSING(message))
    # Where a bundle between others was left out, nobody can tell what it replaced.
    if len(channel.missing) > 1 or (channel.missing and len(channel.heads) > 1):
        return
    for each in channel.stranded:
        message = f"found a bundle of the channel {cut(channel.name)} that no upgrade leads away from"
        yield BundleFault(channel.entries[each].origin, GRAPH_STRANDED(message))


def _pruned(channel: Channel) -> Iterator[BundleFault]:
    """Yield every head of a channel that a range takes out of it."""
    for name, by in channel.pruned.items():
        message = f"found olm.skipRange without replaces, which takes {cut(name)} out of {cut(channel.name)}"
        yield BundleFault(channel.entries[by].of_range, GRAPH_PRUNED(message))


def _heads(channel: Channel) -> Iterator[BundleFault]:
    """Yield every head of a channel but the newest."""
    newest = channel.heads[0] if channel.heads else ""
    for each in channel.heads[1:]:
        message = f"found a second head of the channel {cut(channel.name)} beside {cut(newest)}"
        hint = f"let {choice([newest])} or another bundle replace or skip it"
        unsure = [name for name in channel.missing if _may_replace(name, channel.entries[each])]
        if unsure:
            hint = f"correct only if {choice(unsure, say=cut)}, which is not here, replaces or skips it"
        graded = Severity.WARNING if unsure else None
        yield BundleFault(channel.entries[each].origin, GRAPH_HEADS(message, hint=hint), graded=graded)


def _may_replace(name: str, entry: GraphEntry) -> bool:
    """Tell whether a bundle that is not there may be newer than one that is, as far as its name says."""
    version = name.partition(".")[2].removeprefix("v")
    return not (is_strict(version) and is_strict(entry.version)) or (
        version_key(version) > version_key(entry.version)
    )
