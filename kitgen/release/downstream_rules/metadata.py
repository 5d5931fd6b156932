"""component_metadata.yaml: whether a platform finds it, and whether it shows the version that runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kitgen.findings import Finding, rule
from kitgen.kit.model import Release
from kitgen.release.downstream.reading import Downstream
from kitgen.release.downstream.records import ComponentMetadata, FilePlace, MetadataEntry, Param, ParamsFile
from kitgen.release.downstream_rules.params import image_keys, right_places, tree_of
from kitgen.release.downstream_rules.terms import PlatformSources, ReleaseTerms, held, image_of, plain, same
from kitgen.text.semver import in_range, is_version, version_key
from kitgen.text.wording import choice, cut

METADATA_PLACE = rule("metadata-place")
METADATA_MISSING = rule("metadata-missing")
METADATA_VERSION = rule("metadata-version")
METADATA_IMAGE = rule("metadata-image")


def check_metadata(terms: ReleaseTerms, found: Downstream) -> Iterator[Finding | str]:
    """Yield what is wrong with the metadata of components."""
    sourced = terms.sourced(_placed(terms))
    images, folders = _Images(terms, found), {each.place.folder for each in found.folders}
    for metadata in found.of(ComponentMetadata):
        for entry in metadata.entries:
            own = [each for each in sourced if _means(each, entry)]
            if not own:
                yield f"{metadata.origin.file} is about {cut(entry.name)}, which no target exports"
                continue
            if places := list(right_places(metadata.place, own, folders)):
                message = f"found it in {metadata.place.folder[-1]}, expected it in {choice(places)}"
                yield METADATA_PLACE(message, line=1).at(metadata.origin)
            yield from _version(terms, entry, own[0].component)
            yield from _image(entry, images.beside(metadata.place, own))
    if terms.release is not None:
        yield from _missing(terms, found, sourced)


def _placed(terms: ReleaseTerms) -> Release | None:
    """Return the release that tells where files stand: the one asked for, or the newest that builds."""
    if terms.release and terms.release.components:
        return terms.release
    return terms.kit.building[-1] if terms.kit.building else None


def _means(each: PlatformSources, entry: MetadataEntry) -> bool:
    """Tell whether metadata is about a component: by its repository, or what it is called there."""
    said = each.export.metadata
    names = [each.component, each.export.folder, *([said.name] if said else [])]
    return bool(said and entry.repository == said.repository) or plain(entry.name) in map(plain, names)


def _version(terms: ReleaseTerms, entry: MetadataEntry, component: str) -> Iterator[Finding]:
    known = terms.versions(component, terms.release)
    if known and not any(same(entry.version, each) for each in known):
        yield METADATA_VERSION(f"{held(entry.version, known)} for {cut(entry.name)}").at(entry.origin)


def _image(entry: MetadataEntry, images: Iterable[Param]) -> Iterator[Finding]:
    for param in images:
        tag = image_of(param.value).tag
        if not same(tag, entry.version):
            message = f"{held(entry.version, (tag,))}, the tag of {param.key}"
            hint = f"{param.origin.file}:{param.origin.line} has it"
            yield METADATA_IMAGE(message, hint=hint).at(entry.origin)


class _Images:
    """The images with a version in each tree of a component, each key with each version once."""

    def __init__(self, terms: ReleaseTerms, found: Downstream) -> None:
        self.keys = image_keys(terms.kit)
        self.files = found.of(ParamsFile)
        self.trees: dict[tuple[int, ...], dict[tuple[str, ...], list[Param]]] = {}

    def beside(self, place: FilePlace, own: list[PlatformSources]) -> list[Param]:
        """Return the images of a component in the tree that a file is in."""
        key = tuple(map(id, own))
        if key not in self.trees:
            self.trees[key] = self._by_tree(own)
        return self.trees[key].get(tree_of(place, own), [])

    def _by_tree(self, own: list[PlatformSources]) -> dict[tuple[str, ...], list[Param]]:
        found: dict[tuple[str, ...], dict[object, Param]] = {}
        for file in self.files:
            images = found.setdefault(tree_of(file.place, own), {})
            for each in file.params:
                if self.keys.get(each.key) == own[0].component and is_version(
                    tag := image_of(each.value).tag
                ):
                    images.setdefault((each.key, version_key(tag)), each)
        return {tree: [*images.values()] for tree, images in found.items()}


def _missing(terms: ReleaseTerms, found: Downstream, sourced: list[PlatformSources]) -> Iterator[Finding]:
    """Yield trees, which params.env shows, without the metadata that every target has."""
    keys = image_keys(terms.kit)
    described: dict[str, set[tuple[str, ...]]] = {}
    for file in found.of(ParamsFile):
        for name in dict.fromkeys(keys[each.key] for each in file.params if each.key in keys):
            own = [each for each in sourced if each.component == name]
            wanted = [each for each in own if _is_wanted(terms, each)]
            tree = tree_of(file.place, own)
            if name not in described:
                described[name] = {tree_of(each.place, own) for each in found.of(ComponentMetadata)}
            if len(wanted) < len(terms.targets) or tree == file.place.folder or tree in described[name]:
                continue
            message = f"found no component_metadata.yaml for {name} in {'/'.join(tree[-2:])}"
            yield METADATA_MISSING(message, line=1).at(file.origin)


def _is_wanted(terms: ReleaseTerms, each: PlatformSources) -> bool:
    said = each.export.metadata
    return bool(said and terms.release and in_range(terms.release.name, said.releases))
