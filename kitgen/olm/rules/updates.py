"""Rules of the update graph: one head a channel, no circle, nobody left behind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, islice

from msgspec.structs import replace

from kitgen.findings import MAX_ERRORS, Finding, Severity, problem
from kitgen.olm.rules.graph import CATALOG, REPLACES, SEMVER, Channel, GraphEntry, channels_of, newest_first
from kitgen.olm.rules.versions import is_strict, parse_version_range, wrong_range
from kitgen.text.semver import version_key
from kitgen.text.wording import choice, cut


def graph_faults(package: str, entries: Sequence[GraphEntry], mode: str) -> Iterator[Finding]:
    """Yield what is wrong with the ways between the bundles of a package."""
    channels = channels_of(package, entries, mode)
    yield from _names(entries)
    versions = {each.name: each.version for each in entries}
    for each in entries:
        if each.skip_range and (message := wrong_range(each.skip_range)):
            yield problem("graph-range", message).at(each.of_range)
        yield from _order(each, versions if mode != SEMVER else None)
    if mode == REPLACES:
        yield from _openshift(entries)
    told: set[str] = set()
    whole = mode != CATALOG and len(entries) > 1
    for channel in channels:
        yield from _channel(channel, told, versions, whole=whole)
    if not whole:
        return
    for check in (_pruned, _heads):
        # They may be all bundles in each channel, and only warnings.
        yield from islice(chain.from_iterable(map(check, channels)), MAX_ERRORS + 1)
    default = next((each.default for each in newest_first(entries) if each.default), "")
    if default and not any(default in each.channels for each in entries):
        last = next(each for each in reversed(entries) if each.default == default)
        message = f"found the default channel {cut(default)}, which no bundle is in"
        yield problem("bundle-default-elsewhere", message).at(last.of_default)


def _order(entry: GraphEntry, versions: Mapping[str, str] | None) -> Iterator[Finding]:
    """Yield that a bundle follows itself, or a newer one, which only counts where versions are given."""
    itself = f"found {cut(entry.name)}, which is the bundle itself"
    if entry.replaces == entry.name:
        yield problem("graph-self", itself).at(entry.of_replaces)
    if entry.name in entry.skips:
        yield problem("graph-self", itself).at(entry.of_skips.at(entry.skips.index(entry.name)))
    if (allowed := parse_version_range(entry.skip_range)) is not None and allowed.holds(entry.version):
        message = f"found {cut(entry.skip_range)}, which holds the version of the bundle itself"
        yield replace(problem("graph-self", message).at(entry.of_range), graded=Severity.WARNING)
    if versions is None:
        return
    before = versions.get(entry.replaces) or entry.replaces.partition(".")[2].removeprefix("v")
    if is_strict(before) and is_strict(entry.version) and version_key(before) > version_key(entry.version):
        yield problem(
            "graph-backwards",
            f"found {cut(entry.replaces)}, which is newer than version {entry.version} of the bundle",
        ).at(entry.of_replaces)


def _names(entries: Sequence[GraphEntry]) -> Iterator[Finding]:
    first: dict[str, GraphEntry] = {}
    for each in entries:
        if (other := first.setdefault(each.name, each)) is not each and other.origin != each.origin:
            yield problem(
                "graph-twice",
                f"found the name {cut(each.name)} again, expected another one",
                hint=f"the first is in {other.origin.file}",
            ).at(each.origin)
    for what, names in (
        ("package", [(each, each.package) for each in entries if each.package]),
        ("operator", [(each, each.name.partition(".")[0]) for each in entries]),
    ):
        counts = Counter(name for _, name in names)
        usual = max(counts, key=counts.__getitem__, default="")
        for each, name in names:
            # Where more than one differs, the package has had two names, which is only warned of.
            if name != usual and counts[name] == 1 and len(counts) == 2:
                yield problem(
                    "package-mixed", f"found the {what} {cut(name)}, but all other bundles have {cut(usual)}"
                ).at(each.of_package if what == "package" else each.origin)


def _openshift(entries: Sequence[GraphEntry]) -> Iterator[Finding]:
    names = {each.name: each for each in entries}
    for each in entries:
        other = names.get(each.replaces)
        if other is None or other is each or each.openshift is None or other.openshift is None:
            continue
        lists = each.openshift.listed or other.openshift.listed
        offered, before = each.openshift.built, other.openshift.built
        if not lists and offered and not (before and before.covers(offered)):
            yield problem(
                "graph-openshift",
                f"found {cut(other.name)}, which is not for every OpenShift that this bundle is for",
                hint=f"see {other.of_metadata.file}",
            ).at(each.of_replaces)


def _channel(channel: Channel, told: set[str], names: Collection[str], *, whole: bool) -> Iterator[Finding]:
    """Yield what is wrong in one channel; what is told of another one is not told again."""
    for loop in channel.loops:
        if len(loop) > 1 and loop[0] not in told:
            told.update(loop)
            way = choice([*loop, loop[0]], last="replaces", most=8)
            yield problem("graph-loop", f"found a circle in the channel {cut(channel.name)}: {way}").at(
                channel.entries[loop[0]].of_replaces
            )
    if not whole:
        return
    for name, by in channel.missing.items():
        if name not in told:
            told.add(name)
            where = f"the channel {cut(channel.name)}" if name in names else "the package"
            yield problem("graph-missing", f"found {cut(name)}, which is not in {where}").at(
                channel.entries[by].of_replaces
            )
    # Where a bundle between others was left out, nobody can tell what it replaced.
    if len(channel.missing) > 1 or (channel.missing and len(channel.heads) > 1):
        return
    for each in channel.stranded:
        yield problem(
            "graph-stranded",
            f"found a bundle of the channel {cut(channel.name)} that no upgrade leads away from",
        ).at(channel.entries[each].origin)


def _pruned(channel: Channel) -> Iterator[Finding]:
    """Yield every head of a channel that a range takes out of it."""
    for name, by in channel.pruned.items():
        yield problem(
            "graph-pruned",
            f"found olm.skipRange without replaces, which takes {cut(name)} out of {cut(channel.name)}",
        ).at(channel.entries[by].of_range)


def _heads(channel: Channel) -> Iterator[Finding]:
    """Yield every head of a channel but the newest."""
    newest = channel.heads[0] if channel.heads else ""
    for each in channel.heads[1:]:
        message = f"found a second head of the channel {cut(channel.name)} beside {cut(newest)}"
        hint = f"let {choice([newest])} or another bundle replace or skip it"
        if unsure := [name for name in channel.missing if _may_replace(name, channel.entries[each])]:
            hint = f"correct only if {choice(unsure, say=cut)}, which is not here, replaces or skips it"
        graded = Severity.WARNING if unsure else None
        yield replace(
            problem("graph-heads", message, hint=hint).at(channel.entries[each].origin), graded=graded
        )


def _may_replace(name: str, entry: GraphEntry) -> bool:
    """Tell whether a bundle that is not there may be newer than one that is, as far as its name says."""
    version = name.partition(".")[2].removeprefix("v")
    return not (is_strict(version) and is_strict(entry.version)) or (
        version_key(version) > version_key(entry.version)
    )
