"""Manifest sources of a platform's operator: it takes what the release says, and all of it.

They are in manifests-config.yaml, of either kind, and in get_all_manifests.sh, which is read and never run.
The script has had three shapes: org:repo:ref:source:target, then without the target, which is the key, then
an array for each platform, whose refs may be branch@commit.
"""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Finding, Origin, make_problem
from kitgen.kit.manifests import ReadBudget
from kitgen.kit.model import PlatformSource
from kitgen.release.downstream.records import (
    Downstream,
    DownstreamFile,
    DownstreamManifestSource,
    Record,
    Sources,
    maps_at,
    report_bad_shape,
    repository_of,
    scalar_at,
    select_nonblank_lines,
)
from kitgen.release.downstream.terms import PlatformSources, ReleaseTerms, describe_mismatch
from kitgen.text.patterns import compile_late
from kitgen.text.semver import is_version
from kitgen.text.values import group_pairs
from kitgen.text.wording import format_count, join_words, quote_text
from kitgen.text.yaml import JsonObject

COMMIT = compile_late(r"[0-9a-f]{7,40}")
COMPUTED = "github."
"""How a ref begins that a workflow fills in."""
ARRAY = compile_late(
    r"(?:declare[ \t]+-[A-Za-z]+[ \t]+)?(?P<platform>(?:[A-Z0-9]+_)*)COMPONENT_MANIFESTS=\((?P<rest>.*)"
)
ENTRY = compile_late(
    r"""\[[ ]*(?P<q>["']?)(?P<key>[\w./-]+)(?P=q)[ ]*\]=(?P<v>["'])(?P<value>[^"']*)(?P=v)"""
)
FIELDS = (4, 5)
"""Of an entry: owner, repository, ref, source, and in old ones the target."""


def read_config(data: JsonObject, origin: Origin, _file: DownstreamFile) -> Iterator[Record]:
    """Yield the sources of a document; nothing if it says none."""
    for key, read in (("components", _read_components), ("map", _read_source_map)):
        if key in data and not isinstance(data[key], dict):
            yield report_bad_shape(data, (key,), "a mapping of manifest sources", origin)
        elif key in data:
            yield Sources(origin=origin.at(key), entries=tuple(read(data, origin)))


def _read_components(data: JsonObject, origin: Origin) -> Iterator[DownstreamManifestSource]:
    for key, platforms in maps_at(data, "components").items():
        for platform, said in maps_at(platforms).items():
            ref, _, commit = scalar_at(said, "ref").partition("@")
            yield DownstreamManifestSource(
                folder=key,
                repository=scalar_at(said, "repo"),
                ref=ref,
                commit=commit,
                path=scalar_at(said, "sourcePath"),
                platform=platform,
                origin=origin.at("components", key, platform),
            )


def _read_source_map(data: JsonObject, origin: Origin) -> Iterator[DownstreamManifestSource]:
    for key, said in maps_at(data, "map").items():
        ref = scalar_at(said, "git.commit")
        is_commit = COMMIT.fullmatch(ref) is not None
        yield DownstreamManifestSource(
            folder=scalar_at(said, "dest"),
            repository=repository_of(scalar_at(said, "git.url")),
            ref="" if is_commit or ref.startswith(COMPUTED) else ref,
            commit=ref if is_commit else "",
            path=scalar_at(said, "src"),
            origin=origin.at("map", key),
        )


def read_script(file: DownstreamFile, _intake: ReadBudget) -> Iterator[Record]:
    """Yield the sources of all arrays, and the lines in them that are none."""
    entries: list[DownstreamManifestSource] = []
    platform: str | None = None
    for number, said in select_nonblank_lines(file):
        line = said
        if platform is None:
            if (match := ARRAY.match(line)) is None:
                continue
            platform, line = match["platform"].rstrip("_").lower(), match["rest"]
        left = ENTRY.sub("", line).partition("#")[0].strip()
        if left.removesuffix(")").strip():
            expected = 'expected an entry such as ["key"]="owner:repository:ref:path"'
            wrong = make_problem("against-shape", f"found text in the list of manifests, {expected}")
            yield wrong.to_finding(file.origin_at(number))
        for match in () if line.startswith("#") else ENTRY.finditer(line):
            found = _parse_source(match["key"], match["value"], platform, file.origin_at(number))
            if isinstance(found, Finding):
                yield found
            else:
                entries.append(found)
        if left == ")":
            platform = None
    yield Sources(origin=file.origin_at(1), entries=tuple(entries))


def _parse_source(key: str, value: str, platform: str, origin: Origin) -> DownstreamManifestSource | Finding:
    parts = value.split(":")
    if len(parts) not in FIELDS or not all(parts) or "$" in value:
        message = f"found {format_count(len(parts), 'part')} for {key!r}, expected owner:repository:ref:path"
        if "$" in value:
            message = f"found a value for {key!r} that the shell computes, expected owner:repository:ref:path"
        return make_problem("against-shape", message).to_finding(origin)
    owner, name, ref, path = parts[:4]
    branch, _, commit = ref.partition("@")
    return DownstreamManifestSource(
        folder=parts[4] if len(parts) == max(FIELDS) else key,
        repository=f"{owner}/{name}",
        ref=branch,
        commit=commit,
        path=path,
        platform=platform,
        origin=origin,
    )


def check_sources(terms: ReleaseTerms, found: Downstream) -> Iterator[Finding | str]:
    """Yield what platforms take from elsewhere, in another version, or not at all."""
    sourced = [each for each in terms.list_platform_sources(terms.release) if each.source is not None]
    for sources in found.records_of(Sources):
        for each in sources.entries:
            if is_version(each.ref) and terms.tags.has_tag(each.repository, each.ref) is False:
                yield make_problem(
                    "manifest-tag",
                    f"found {quote_text(each.ref)}, which {each.repository} is not known to have as a tag",
                ).to_finding(each.origin)
        if sourced:
            yield from _check_platforms(terms, sources, sourced)
        elif terms.release is not None:
            yield f"{sources.origin.file}: no target says where {terms.release.name} comes from"


def _check_platforms(
    terms: ReleaseTerms, sources: Sources, sourced: list[PlatformSources]
) -> Iterator[Finding | str]:
    """Hold what a file has for a platform to its targets; to all of them, if it knows none of theirs."""
    platforms = group_pairs((each.platform, each) for each in sources.entries)
    alike = {each.platform for each in terms.kit.targets.values()}.isdisjoint(platforms)
    for platform, entries in platforms.items():
        own = [each for each in sourced if alike or each.target.platform == platform]
        yield from _check_platform(sources, entries, own)
    for platform in () if alike else dict.fromkeys(each.target.platform for each in sourced):
        if platform not in platforms:
            yield f"{sources.origin.file} has no manifest sources for {platform}"


def _check_platform(
    sources: Sources, entries: list[DownstreamManifestSource], sourced: list[PlatformSources]
) -> Iterator[Finding]:
    for name, own in group_pairs((each.component, each) for each in sourced).items():
        folders = {each.export.folder for each in own}
        if (entry := next((each for each in entries if each.folder in folders), None)) is not None:
            yield from _check_source_entry(entry, [each.source for each in own if each.source])
        elif len(own) == len({each.target.name for each in sourced}):
            platform = f" for {entries[0].platform}" if entries[0].platform else ""
            yield make_problem(
                "manifest-missing",
                f"found no source of {join_words(sorted(folders))}{platform}, which {name} comes from",
            ).to_finding(sources.origin)


def _check_source_entry(entry: DownstreamManifestSource, known: list[PlatformSource]) -> Iterator[Finding]:
    """Hold a source to those of targets: to the one with its repository, if there is one."""
    if not (there := [each for each in known if entry.repository in ("", each.repository)]):
        repositories = dict.fromkeys(each.repository for each in known)
        yield make_problem(
            "manifest-place",
            (
                f"found {quote_text(entry.repository)} for {entry.folder}, expected "
                f"{join_words([*repositories])}"
            ),
        ).to_finding(entry.origin)
        return
    if entry.path and not any(entry.path.strip("/") == each.path.strip("/") for each in there):
        paths = dict.fromkeys(each.path for each in there)
        yield make_problem(
            "manifest-place",
            f"found the path {quote_text(entry.path)} for {entry.folder}, expected {join_words([*paths])}",
        ).to_finding(entry.origin)
    refs = tuple(dict.fromkeys(each.ref for each in there if each.ref))
    whole = f"{entry.ref}@{entry.commit}"
    if entry.ref and refs and not any(each in (entry.ref, whole) for each in refs):
        yield make_problem(
            "manifest-ref", f"{describe_mismatch(entry.ref, refs)} for {entry.folder}"
        ).to_finding(entry.origin)
