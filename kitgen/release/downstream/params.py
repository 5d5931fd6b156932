"""params.env: its images are whole, and those of the release.

Where files stand in the tree of a component, and which of them belong to one tree.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from kitgen.findings import Finding, problem, rule
from kitgen.kit.manifests import ReadBudget
from kitgen.kit.model import Kit
from kitgen.release.downstream.records import (
    Downstream,
    DownstreamFile,
    FilePlace,
    NamedVersion,
    ParamsFile,
    Record,
    lines_of,
)
from kitgen.release.downstream.terms import PlatformSources, ReleaseTerms, check_version, image_of
from kitgen.text.wording import cut

PARAMS_VERSION = rule("params-version")


def read_params(file: DownstreamFile, _intake: ReadBudget) -> Iterator[Record]:
    """Yield the keys of a params.env as kustomize reads them."""
    params = []
    for number, line in lines_of(file):
        if line.startswith("#"):
            continue
        key, sign, value = line.removeprefix("\ufeff").partition("=")
        if sign:
            params.append(NamedVersion(name=key.strip(), value=value.strip(), origin=file.at(number)))
        else:
            yield problem("against-shape", "found a line without =, expected KEY=VALUE").at(file.at(number))
    yield ParamsFile(origin=file.at(1), place=file.place, entries=tuple(params))


def image_keys(kit: Kit) -> dict[str, str]:
    """Return the keys of params.env that hold images, with their components."""
    return {
        key: name
        for name, versions in kit.components.items()
        for component in versions.values()
        for part in component.parts
        for layer in part.layers("params")
        for key, content in (layer.data.get("keys") or {}).items()
        if isinstance(content, dict) and "image" in content
    }


def check_params(terms: ReleaseTerms, found: Downstream) -> Iterator[Finding | str]:
    """Yield images that are broken, or of another version."""
    keys = image_keys(terms.kit)
    for file in found.of(ParamsFile):
        if not any(each.name in keys for each in file.entries):
            yield f"{file.origin.file} has no key that a component of this kit has an image in"
        for param in file.entries:
            if broken := _broken(param, known=param.name in keys):
                yield problem("params-broken", broken).at(param.origin)
            elif param.name in keys and (tag := image_of(param.value).tag):
                known = terms.versions(keys[param.name], terms.release)
                yield from check_version(PARAMS_VERSION, tag, known, param.name, param.origin)


def _broken(param: NamedVersion, *, known: bool) -> str:
    """Return what of a reference is missing; nothing if it is whole, or may be no image at all."""
    name, at, digest = param.value.partition("@")
    if at and "/" in name and not image_of(param.value).digest:
        return f"found the digest {cut(digest)} for {param.name}, expected sha256: and 64 digits"
    host, colon, rest = name.partition(":")
    if colon and "/" not in name and ("." in host or host == "localhost") and not rest.isdigit():
        return f"found {cut(param.value)} for {param.name}, expected a path behind the registry"
    if known and ("/" not in name or not image_of(param.value).path):
        return f"found {cut(param.value)} for {param.name}, expected an image with its registry"
    return ""


def steps_of(path: str) -> tuple[str, ...]:
    """Return the steps of a path in a repository."""
    return tuple(each for each in path.split("/") if each)


def place_in(folder: tuple[str, ...], path: str) -> int | None:
    """Return where a path ends in the steps to a folder, the last time; None if it is not on the way."""
    steps = steps_of(path)
    ends = range(len(folder), len(steps) - 1, -1)
    return next((end for end in ends if folder[end - len(steps) : end] == steps), None)


def right_places(
    place: FilePlace, sourced: Iterable[PlatformSources], folders: Collection[tuple[str, ...]]
) -> list[str]:
    """Return the folders that a platform reads instead of the one of a file; none if it reads that, or may.

    A platform takes the folder that the source names and puts it into a folder of its own.
    """
    wrong: list[str] = []
    for each in sourced:
        taken, put = each.source.path if each.source else "", each.export.folder
        ends = place_in(place.folder, taken) if taken else None, place_in(place.folder, put)
        here = len(place.folder)
        # A repository may be called as the folder is that its manifests are put into.
        inner = steps_of(taken)
        whole = bool(taken) and any((*top, *inner) in folders for top in (place.folder, place.root))
        if ends[0] == here or (ends[1] == here and not whole):
            return []
        if ends == (None, None) and place.folder == place.root and not whole:
            return []  # a file by itself may be from anywhere
        wrong.append(taken or put)
    return [*dict.fromkeys(wrong)]


def tree_of(place: FilePlace, sourced: Iterable[PlatformSources]) -> tuple[str, ...]:
    """Return the folder that stands for the tree of a component a file is in."""
    for each in sourced:
        for path in ([each.source.path] if each.source else []) + [each.export.folder]:
            if (end := place_in(place.folder, path)) is not None:
                return place.folder[:end]
    return place.folder
