"""Rules of the update graph: one head a channel, no circle, nobody left behind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, islice

from msgspec.structs import replace

from kitgen.findings import MAX_ERRORS, Finding, Severity, make_problem
from kitgen.olm.rules.graph import (
    CATALOG,
    REPLACES,
    SEMVER,
    Channel,
    GraphEntry,
    build_channels,
    sort_newest_first,
)
from kitgen.olm.rules.versions import describe_range_error, is_strict_version, parse_version_range
from kitgen.text.semver import version_key
from kitgen.text.wording import join_words, quote_text


def check_graph(package: str, entries: Sequence[GraphEntry], mode: str) -> Iterator[Finding]:
    """Yield what is wrong with the ways between the bundles of a package."""
    channels = build_channels(package, entries, mode)
    yield from _check_names(entries)
    versions = {each.name: each.version for each in entries}
    for each in entries:
        if each.skip_range and (message := describe_range_error(each.skip_range)):
            yield make_problem("graph-range", message).to_finding(each.of_range)
        yield from _check_order(each, versions if mode != SEMVER else None)
    if mode == REPLACES:
        yield from _check_openshift(entries)
    told: set[str] = set()
    whole = mode != CATALOG and len(entries) > 1
    for channel in channels:
        yield from _check_channel(channel, told, versions, whole=whole)
    if not whole:
        return
    for check in (_check_pruned_heads, _check_heads):
        # They may be all bundles in each channel, and only warnings.
        yield from islice(chain.from_iterable(map(check, channels)), MAX_ERRORS + 1)
    default = next((each.default for each in sort_newest_first(entries) if each.default), "")
    if default and not any(default in each.channels for each in entries):
        last = next(each for each in reversed(entries) if each.default == default)
        message = f"found the default channel {quote_text(default)}, which no bundle is in"
        yield make_problem("bundle-default-elsewhere", message).to_finding(last.of_default)


def _check_order(entry: GraphEntry, versions: Mapping[str, str] | None) -> Iterator[Finding]:
    """Yield that a bundle follows itself, or a newer one, which only counts where versions are given."""
    itself = f"found {quote_text(entry.name)}, which is the bundle itself"
    if entry.replaces == entry.name:
        yield make_problem("graph-self", itself).to_finding(entry.of_replaces)
    if entry.name in entry.skips:
        yield make_problem("graph-self", itself).to_finding(entry.of_skips.at(entry.skips.index(entry.name)))
    if (allowed := parse_version_range(entry.skip_range)) is not None and allowed.contains(entry.version):
        message = f"found {quote_text(entry.skip_range)}, which holds the version of the bundle itself"
        yield replace(make_problem("graph-self", message).to_finding(entry.of_range), graded=Severity.WARNING)
    if versions is None:
        return
    before = versions.get(entry.replaces) or entry.replaces.partition(".")[2].removeprefix("v")
    if (
        is_strict_version(before)
        and is_strict_version(entry.version)
        and version_key(before) > version_key(entry.version)
    ):
        yield make_problem(
            "graph-backwards",
            f"found {quote_text(entry.replaces)}, which is newer than version {entry.version} of the bundle",
        ).to_finding(entry.of_replaces)


def _check_names(entries: Sequence[GraphEntry]) -> Iterator[Finding]:
    first: dict[str, GraphEntry] = {}
    for each in entries:
        if (other := first.setdefault(each.name, each)) is not each and other.origin != each.origin:
            yield make_problem(
                "graph-twice",
                f"found the name {quote_text(each.name)} again, expected another one",
                hint=f"the first is in {other.origin.file}",
            ).to_finding(each.origin)
    for what, names in (
        ("package", [(each, each.package) for each in entries if each.package]),
        ("operator", [(each, each.name.partition(".")[0]) for each in entries]),
    ):
        counts = Counter(name for _, name in names)
        usual = max(counts, key=counts.__getitem__, default="")
        for each, name in names:
            # Where more than one differs, the package has had two names, which is only warned of.
            if name != usual and counts[name] == 1 and len(counts) == 2:
                yield make_problem(
                    "package-mixed",
                    f"found the {what} {quote_text(name)}, but all other bundles have {quote_text(usual)}",
                ).to_finding(each.of_package if what == "package" else each.origin)


def _check_openshift(entries: Sequence[GraphEntry]) -> Iterator[Finding]:
    names = {each.name: each for each in entries}
    for each in entries:
        other = names.get(each.replaces)
        if other is None or other is each or each.openshift is None or other.openshift is None:
            continue
        lists = each.openshift.listed or other.openshift.listed
        offered, before = each.openshift.supported_versions, other.openshift.supported_versions
        if not lists and offered and not (before and before.covers(offered)):
            yield make_problem(
                "graph-openshift",
                f"found {quote_text(other.name)}, which is not for every OpenShift that this bundle is for",
                hint=f"see {other.of_metadata.file}",
            ).to_finding(each.of_replaces)


def _check_channel(
    channel: Channel, told: set[str], names: Collection[str], *, whole: bool
) -> Iterator[Finding]:
    """Yield what is wrong in one channel; what is told of another one is not told again."""
    for loop in channel.loops:
        if len(loop) > 1 and loop[0] not in told:
            told.update(loop)
            way = join_words([*loop, loop[0]], last="replaces", most=8)
            yield make_problem(
                "graph-loop", f"found a circle in the channel {quote_text(channel.name)}: {way}"
            ).to_finding(channel.entries[loop[0]].of_replaces)
    if not whole:
        return
    for name, by in channel.missing.items():
        if name not in told:
            told.add(name)
            where = f"the channel {quote_text(channel.name)}" if name in names else "the package"
            yield make_problem(
                "graph-missing", f"found {quote_text(name)}, which is not in {where}"
            ).to_finding(channel.entries[by].of_replaces)
    # Where a bundle between others was left out, nobody can tell what it replaced.
    if len(channel.missing) > 1 or (channel.missing and len(channel.heads) > 1):
        return
    for each in channel.stranded:
        yield make_problem(
            "graph-stranded",
            f"found a bundle of the channel {quote_text(channel.name)} that no upgrade leads away from",
        ).to_finding(channel.entries[each].origin)


def _check_pruned_heads(channel: Channel) -> Iterator[Finding]:
    """Yield every head of a channel that a range takes out of it."""
    for name, by in channel.pruned.items():
        yield make_problem(
            "graph-pruned",
            (
                f"found olm.skipRange without replaces, which takes {quote_text(name)} out of "
                f"{quote_text(channel.name)}"
            ),
        ).to_finding(channel.entries[by].of_range)


def _check_heads(channel: Channel) -> Iterator[Finding]:
    """Yield every head of a channel but the newest."""
    newest = channel.heads[0] if channel.heads else ""
    for each in channel.heads[1:]:
        message = f"found a second head of the channel {quote_text(channel.name)} beside {quote_text(newest)}"
        hint = f"let {join_words([newest])} or another bundle replace or skip it"
        if unsure := [name for name in channel.missing if _can_replace(name, channel.entries[each])]:
            hint = (
                f"correct only if {join_words(unsure, say=quote_text)}, which is not here, replaces "
                "or skips it"
            )
        graded = Severity.WARNING if unsure else None
        yield replace(
            make_problem("graph-heads", message, hint=hint).to_finding(channel.entries[each].origin),
            graded=graded,
        )


def _can_replace(name: str, entry: GraphEntry) -> bool:
    """Tell whether a bundle that is not there may be newer than one that is, as far as its name says."""
    version = name.partition(".")[2].removeprefix("v")
    return not (is_strict_version(version) and is_strict_version(entry.version)) or (
        version_key(version) > version_key(entry.version)
    )
