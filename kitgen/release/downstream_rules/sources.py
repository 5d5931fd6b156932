"""Manifest sources of a platform's operator: whether it takes what the release says, and all of it."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Finding, rule
from kitgen.kit.model import PlatformSource
from kitgen.release.downstream.reading import Downstream
from kitgen.release.downstream.records import DownstreamManifestSource, Sources
from kitgen.release.downstream_rules.terms import PlatformSources, ReleaseTerms, held
from kitgen.text.semver import is_version
from kitgen.text.wording import choice, cut

MANIFEST_REF = rule("manifest-ref")
MANIFEST_PLACE = rule("manifest-place")
MANIFEST_MISSING = rule("manifest-missing")
MANIFEST_TAG = rule("manifest-tag")


def check_sources(terms: ReleaseTerms, found: Downstream) -> Iterator[Finding | str]:
    """Yield what platforms take from elsewhere, in another version, or not at all."""
    sourced = [each for each in terms.sourced(terms.release) if each.source is not None]
    for sources in found.of(Sources):
        for entry in sources.entries:
            yield from _tag(terms, entry)
        if terms.release is None:
            continue
        if not sourced:
            yield f"{sources.origin.file}: no target says where {terms.release.name} comes from"
            continue
        yield from _platforms(terms, sources, sourced)


def _platforms(
    terms: ReleaseTerms, sources: Sources, sourced: list[PlatformSources]
) -> Iterator[Finding | str]:
    """Hold what a file has for a platform to its targets; to all of them, if it knows none of theirs."""
    platforms: dict[str, list[DownstreamManifestSource]] = {}
    for each in sources.entries:
        platforms.setdefault(each.platform, []).append(each)
    known = {each.platform for each in terms.kit.targets.values()}
    alike = known.isdisjoint(platforms)
    for platform, entries in platforms.items():
        own = [each for each in sourced if alike or each.target.platform == platform]
        yield from _platform(sources, entries, own)
    for platform in () if alike else dict.fromkeys(each.target.platform for each in sourced):
        if platform not in platforms:
            yield f"{sources.origin.file} has no manifest sources for {platform}"


def _platform(
    sources: Sources, entries: list[DownstreamManifestSource], sourced: list[PlatformSources]
) -> Iterator[Finding]:
    for name in dict.fromkeys(each.component for each in sourced):
        own = [each for each in sourced if each.component == name]
        folders = {each.export.folder for each in own}
        entry = next((each for each in entries if each.folder in folders), None)
        if entry is not None:
            yield from _entry(entry, [each.source for each in own if each.source])
        elif len(own) == len({each.target.name for each in sourced}):
            platform = f" for {entries[0].platform}" if entries[0].platform else ""
            message = f"found no source of {choice(sorted(folders))}{platform}, which {name} comes from"
            yield MANIFEST_MISSING(message).at(sources.origin)


def _entry(entry: DownstreamManifestSource, known: list[PlatformSource]) -> Iterator[Finding]:
    """Hold a source to those of targets: to the one with its repository, if there is one."""
    there = [each for each in known if entry.repository in ("", each.repository)]
    if not there:
        repositories = dict.fromkeys(each.repository for each in known)
        message = f"found {cut(entry.repository)} for {entry.folder}, expected {choice([*repositories])}"
        yield MANIFEST_PLACE(message).at(entry.origin)
        return
    if entry.path and not any(entry.path.strip("/") == each.path.strip("/") for each in there):
        paths = dict.fromkeys(each.path for each in there)
        message = f"found the path {cut(entry.path)} for {entry.folder}, expected {choice([*paths])}"
        yield MANIFEST_PLACE(message).at(entry.origin)
    refs = tuple(dict.fromkeys(each.ref for each in there if each.ref))
    whole = f"{entry.ref}@{entry.commit}"
    if entry.ref and refs and not any(each in (entry.ref, whole) for each in refs):
        yield MANIFEST_REF(f"{held(entry.ref, refs)} for {entry.folder}").at(entry.origin)


def _tag(terms: ReleaseTerms, entry: DownstreamManifestSource) -> Iterator[Finding]:
    if is_version(entry.ref) and terms.tags.has(entry.repository, entry.ref) is False:
        message = f"found {cut(entry.ref)}, which {entry.repository} is not known to have as a tag"
        yield MANIFEST_TAG(message).at(entry.origin)
