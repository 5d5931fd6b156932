"""component_metadata.yaml: a platform finds it, and shows the version that runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from kitgen.findings import Finding, Origin, get_rule, make_problem
from kitgen.kit.manifests import ReadBudget
from kitgen.kit.model import Release
from kitgen.release.downstream.params import collect_image_keys, find_component_tree, find_expected_folders
from kitgen.release.downstream.records import (
    ComponentMetadata,
    Downstream,
    DownstreamFile,
    NamedVersion,
    ParamsFile,
    Record,
    make_document_reader,
    report_bad_shape,
    repository_of,
    scalar_at,
)
from kitgen.release.downstream.terms import (
    PlatformSources,
    ReleaseTerms,
    check_version,
    describe_mismatch,
    is_same_version,
    normalize_label,
    parse_image,
)
from kitgen.text.semver import is_in_range, is_version, version_key
from kitgen.text.values import entries_at, group_pairs, list_at
from kitgen.text.wording import join_words, quote_text
from kitgen.text.yaml import JsonObject

METADATA_VERSION = get_rule("metadata-version")

ENTRIES = "a list of releases with name, version and repoUrl"


def read_metadata(file: DownstreamFile, intake: ReadBudget) -> Iterator[Record]:
    """Yield the entries; without any, the platform shows nothing."""
    found = [*make_document_reader(_read_entries)(file, intake)]
    yield from found or [
        make_problem("against-shape", f"found nothing, expected {ENTRIES}").to_finding(file.origin_at(1))
    ]


def _read_entries(data: JsonObject, origin: Origin, file: DownstreamFile) -> Iterator[Record]:
    if not list_at(data, "releases"):
        yield report_bad_shape(data, ("releases",), ENTRIES, origin)
        return
    yield ComponentMetadata(
        origin=origin,
        place=file.place,
        entries=tuple(
            NamedVersion(
                name=scalar_at(each, "name"),
                value=scalar_at(each, "version"),
                source=repository_of(scalar_at(each, "repoUrl")),
                origin=origin.at("releases", index, "version"),
            )
            for index, each in entries_at(data, "releases")
        ),
    )


def check_metadata(terms: ReleaseTerms, found: Downstream) -> Iterator[Finding | str]:
    """Yield what is wrong with the metadata of components."""
    sourced = terms.list_platform_sources(_find_building_release(terms))
    keys = collect_image_keys(terms.kit)
    trees: dict[tuple[int, ...], dict[tuple[str, ...], list[NamedVersion]]] = {}
    for metadata in found.records_of(ComponentMetadata):
        for entry in metadata.entries:
            if not (own := [each for each in sourced if _matches_component(each, entry)]):
                yield f"{metadata.origin.file} is about {quote_text(entry.name)}, which no target exports"
                continue
            if places := find_expected_folders(metadata.place, own, found.folders):
                yield make_problem(
                    "metadata-place",
                    f"found it in {metadata.place.folder[-1]}, expected it in {join_words(places)}",
                    line=1,
                ).to_finding(metadata.origin)
            known = terms.list_versions(own[0].component, terms.release)
            yield from check_version(
                METADATA_VERSION, entry.value, known, quote_text(entry.name), entry.origin
            )
            if (sources := tuple(map(id, own))) not in trees:
                trees[sources] = _images_by_tree(keys, found.records_of(ParamsFile), own)
            yield from _check_image_tags(
                entry, trees[sources].get(find_component_tree(metadata.place, own), ())
            )
    if terms.release is not None:
        yield from _check_missing_metadata(terms, found, sourced, terms.release)


def _find_building_release(terms: ReleaseTerms) -> Release | None:
    """Return the release that tells where files stand: the one asked for, or the newest that builds."""
    if terms.release and terms.release.components:
        return terms.release
    return terms.kit.buildable_releases[-1] if terms.kit.buildable_releases else None


def _matches_component(each: PlatformSources, entry: NamedVersion) -> bool:
    """Return whether metadata is about a component: by its repository, or what it is called there."""
    said = each.export.metadata
    names = [each.component, each.export.folder, *([said.name] if said else [])]
    return bool(said and entry.source == said.repository) or normalize_label(entry.name) in map(
        normalize_label, names
    )


def _check_image_tags(entry: NamedVersion, images: Iterable[NamedVersion]) -> Iterator[Finding]:
    for param in images:
        tag = parse_image(param.value).tag
        if not is_same_version(tag, entry.value):
            yield make_problem(
                "metadata-image",
                f"{describe_mismatch(entry.value, (tag,))}, the tag of {param.name}",
                hint=f"{param.origin.file}:{param.origin.line} has it",
            ).to_finding(entry.origin)


def _images_by_tree(
    keys: Mapping[str, str], files: Iterable[ParamsFile], own: list[PlatformSources]
) -> dict[tuple[str, ...], list[NamedVersion]]:
    """Return the images with a version in each tree of a component, each key with each version once."""
    found: dict[tuple[str, ...], dict[object, NamedVersion]] = {}
    for file in files:
        images = found.setdefault(find_component_tree(file.place, own), {})
        for each in file.entries:
            tag = parse_image(each.value).tag
            if keys.get(each.name) == own[0].component and is_version(tag):
                images.setdefault((each.name, version_key(tag)), each)
    return {tree: [*images.values()] for tree, images in found.items()}


def _check_missing_metadata(
    terms: ReleaseTerms, found: Downstream, sourced: list[PlatformSources], release: Release
) -> Iterator[Finding]:
    """Yield trees, which params.env shows, without the metadata that every target has."""
    keys, components = collect_image_keys(terms.kit), group_pairs((each.component, each) for each in sourced)
    described = {
        name: {find_component_tree(each.place, own) for each in found.records_of(ComponentMetadata)}
        for name, own in components.items()
    }
    for file in found.records_of(ParamsFile):
        names = {keys[each.name] for each in file.entries if each.name in keys}
        for name, own in ((name, own) for name, own in components.items() if name in names):
            metadata = [each.export.metadata for each in own]
            shown = sum(bool(each and is_in_range(release.name, each.releases)) for each in metadata)
            tree = find_component_tree(file.place, own)
            if shown == len(terms.targets) and tree != file.place.folder and tree not in described[name]:
                yield make_problem(
                    "metadata-missing",
                    f"found no component_metadata.yaml for {name} in {'/'.join(tree[-2:])}",
                    line=1,
                ).to_finding(file.origin)
