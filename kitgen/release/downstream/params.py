"""params.env: its images are whole, and those of the release.

Where files stand in the tree of a component, and which of them belong to one tree.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from kitgen.findings import Finding, get_rule, make_problem
from kitgen.kit.manifests import ReadBudget
from kitgen.kit.model import Kit
from kitgen.release.downstream.records import (
    Downstream,
    DownstreamFile,
    FilePlace,
    NamedVersion,
    ParamsFile,
    Record,
    select_nonblank_lines,
)
from kitgen.release.downstream.terms import PlatformSources, ReleaseTerms, check_version, parse_image
from kitgen.text.wording import quote_text

PARAMS_VERSION = get_rule("params-version")


def read_params(file: DownstreamFile, _intake: ReadBudget) -> Iterator[Record]:
    """Yield the keys of a params.env as kustomize reads them."""
    params = []
    for number, line in select_nonblank_lines(file):
        if line.startswith("#"):
            continue
        key, sign, value = line.removeprefix("\ufeff").partition("=")
        if sign:
            params.append(NamedVersion(name=key.strip(), value=value.strip(), origin=file.origin_at(number)))
        else:
            yield make_problem("against-shape", "found a line without =, expected KEY=VALUE").to_finding(
                file.origin_at(number)
            )
    yield ParamsFile(origin=file.origin_at(1), place=file.place, entries=tuple(params))


def collect_image_keys(kit: Kit) -> dict[str, str]:
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
    keys = collect_image_keys(terms.kit)
    for file in found.records_of(ParamsFile):
        if not any(each.name in keys for each in file.entries):
            yield f"{file.origin.file} has no key that a component of this kit has an image in"
        for param in file.entries:
            if broken := _describe_broken_image(param, known=param.name in keys):
                yield make_problem("params-broken", broken).to_finding(param.origin)
            elif param.name in keys and (tag := parse_image(param.value).tag):
                known = terms.list_versions(keys[param.name], terms.release)
                yield from check_version(PARAMS_VERSION, tag, known, param.name, param.origin)


def _describe_broken_image(param: NamedVersion, *, known: bool) -> str:
    """Return what of a reference is missing; nothing if it is whole, or may be no image at all."""
    name, at, digest = param.value.partition("@")
    if at and "/" in name and not parse_image(param.value).digest:
        return f"found the digest {quote_text(digest)} for {param.name}, expected sha256: and 64 digits"
    host, colon, rest = name.partition(":")
    if colon and "/" not in name and ("." in host or host == "localhost") and not rest.isdigit():
        return f"found {quote_text(param.value)} for {param.name}, expected a path behind the registry"
    if known and ("/" not in name or not parse_image(param.value).path):
        return f"found {quote_text(param.value)} for {param.name}, expected an image with its registry"
    return ""


def split_path(path: str) -> tuple[str, ...]:
    """Return the steps of a path in a repository."""
    return tuple(each for each in path.split("/") if each)


def find_path_end(folder: tuple[str, ...], path: str) -> int | None:
    """Return where a path ends in the steps to a folder, the last time; None if it is not on the way."""
    steps = split_path(path)
    ends = range(len(folder), len(steps) - 1, -1)
    return next((end for end in ends if folder[end - len(steps) : end] == steps), None)


def find_expected_folders(
    place: FilePlace, sourced: Iterable[PlatformSources], folders: Collection[tuple[str, ...]]
) -> list[str]:
    """Return the folders that a platform reads instead of the one of a file; none if it reads that, or may.

    A platform takes the folder that the source names and puts it into a folder of its own.
    """
    wrong: list[str] = []
    for each in sourced:
        taken, put = each.source.path if each.source else "", each.export.folder
        ends = find_path_end(place.folder, taken) if taken else None, find_path_end(place.folder, put)
        here = len(place.folder)
        # A repository may be called as the folder is that its manifests are put into.
        inner = split_path(taken)
        whole = bool(taken) and any((*top, *inner) in folders for top in (place.folder, place.root))
        if ends[0] == here or (ends[1] == here and not whole):
            return []
        if ends == (None, None) and place.folder == place.root and not whole:
            return []  # a file by itself may be from anywhere
        wrong.append(taken or put)
    return [*dict.fromkeys(wrong)]


def find_component_tree(place: FilePlace, sourced: Iterable[PlatformSources]) -> tuple[str, ...]:
    """Return the folder that stands for the tree of a component a file is in."""
    for each in sourced:
        for path in ([each.source.path] if each.source else []) + [each.export.folder]:
            if (end := find_path_end(place.folder, path)) is not None:
                return place.folder[:end]
    return place.folder
