"""component_metadata.yaml: a platform finds it, and shows the version that runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from kitgen.findings import Finding, Origin, problem, rule
from kitgen.kit.manifests import ReadBudget
from kitgen.kit.model import Release
from kitgen.release.downstream.params import image_keys, right_places, tree_of
from kitgen.release.downstream.records import (
    ComponentMetadata,
    Downstream,
    DownstreamFile,
    NamedVersion,
    ParamsFile,
    Record,
    in_documents,
    misshapen,
    repository_of,
    scalar_at,
)
from kitgen.release.downstream.terms import (
    PlatformSources,
    ReleaseTerms,
    check_version,
    held,
    image_of,
    plain,
    same,
)
from kitgen.text.semver import in_range, is_version, version_key
from kitgen.text.values import collect, entries_at, list_at
from kitgen.text.wording import choice, cut
from kitgen.text.yaml import JsonObject

METADATA_VERSION = rule("metadata-version")

ENTRIES = "a list of releases with name, version and repoUrl"


def read_metadata(file: DownstreamFile, intake: ReadBudget) -> Iterator[Record]:
    """Yield the entries; without any, the platform shows nothing."""
    found = [*in_documents(_metadata)(file, intake)]
    yield from found or [problem("against-shape", f"found nothing, expected {ENTRIES}").at(file.at(1))]


def _metadata(data: JsonObject, origin: Origin, file: DownstreamFile) -> Iterator[Record]:
    if not list_at(data, "releases"):
        yield misshapen(data, ("releases",), ENTRIES, origin)
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
    sourced = terms.sourced(_placed(terms))
    keys = image_keys(terms.kit)
    trees: dict[tuple[int, ...], dict[tuple[str, ...], list[NamedVersion]]] = {}
    for metadata in found.of(ComponentMetadata):
        for entry in metadata.entries:
            if not (own := [each for each in sourced if _means(each, entry)]):
                yield f"{metadata.origin.file} is about {cut(entry.name)}, which no target exports"
                continue
            if places := right_places(metadata.place, own, found.folders):
                yield problem(
                    "metadata-place",
                    f"found it in {metadata.place.folder[-1]}, expected it in {choice(places)}",
                    line=1,
                ).at(metadata.origin)
            known = terms.versions(own[0].component, terms.release)
            yield from check_version(METADATA_VERSION, entry.value, known, cut(entry.name), entry.origin)
            if (sources := tuple(map(id, own))) not in trees:
                trees[sources] = _images_by_tree(keys, found.of(ParamsFile), own)
            yield from _image(entry, trees[sources].get(tree_of(metadata.place, own), ()))
    if terms.release is not None:
        yield from _missing(terms, found, sourced, terms.release)


def _placed(terms: ReleaseTerms) -> Release | None:
    """Return the release that tells where files stand: the one asked for, or the newest that builds."""
    if terms.release and terms.release.components:
        return terms.release
    return terms.kit.building[-1] if terms.kit.building else None


def _means(each: PlatformSources, entry: NamedVersion) -> bool:
    """Return whether metadata is about a component: by its repository, or what it is called there."""
    said = each.export.metadata
    names = [each.component, each.export.folder, *([said.name] if said else [])]
    return bool(said and entry.source == said.repository) or plain(entry.name) in map(plain, names)


def _image(entry: NamedVersion, images: Iterable[NamedVersion]) -> Iterator[Finding]:
    for param in images:
        tag = image_of(param.value).tag
        if not same(tag, entry.value):
            yield problem(
                "metadata-image",
                f"{held(entry.value, (tag,))}, the tag of {param.name}",
                hint=f"{param.origin.file}:{param.origin.line} has it",
            ).at(entry.origin)


def _images_by_tree(
    keys: Mapping[str, str], files: Iterable[ParamsFile], own: list[PlatformSources]
) -> dict[tuple[str, ...], list[NamedVersion]]:
    """Return the images with a version in each tree of a component, each key with each version once."""
    found: dict[tuple[str, ...], dict[object, NamedVersion]] = {}
    for file in files:
        images = found.setdefault(tree_of(file.place, own), {})
        for each in file.entries:
            tag = image_of(each.value).tag
            if keys.get(each.name) == own[0].component and is_version(tag):
                images.setdefault((each.name, version_key(tag)), each)
    return {tree: [*images.values()] for tree, images in found.items()}


def _missing(
    terms: ReleaseTerms, found: Downstream, sourced: list[PlatformSources], release: Release
) -> Iterator[Finding]:
    """Yield trees, which params.env shows, without the metadata that every target has."""
    keys, components = image_keys(terms.kit), collect((each.component, each) for each in sourced)
    described = {
        name: {tree_of(each.place, own) for each in found.of(ComponentMetadata)}
        for name, own in components.items()
    }
    for file in found.of(ParamsFile):
        names = {keys[each.name] for each in file.entries if each.name in keys}
        for name, own in ((name, own) for name, own in components.items() if name in names):
            metadata = [each.export.metadata for each in own]
            shown = sum(bool(each and in_range(release.name, each.releases)) for each in metadata)
            tree = tree_of(file.place, own)
            if shown == len(terms.targets) and tree != file.place.folder and tree not in described[name]:
                yield problem(
                    "metadata-missing",
                    f"found no component_metadata.yaml for {name} in {'/'.join(tree[-2:])}",
                    line=1,
                ).at(file.origin)
