"""What `kitgen retire` does: remove a version of a component, or a release, if nothing needs it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from kitgen.files.edits import change_files
from kitgen.files.tree import Memory
from kitgen.findings import Finding, Origin, make_problem
from kitgen.findings.errors import FindingsError, UsageError
from kitgen.kit.load import load_kit
from kitgen.kit.locks import get_lock_path
from kitgen.kit.spec_files import SpecFiles
from kitgen.text.values import group_pairs
from kitgen.text.wording import join_words
from kitgen.text.yaml import read_yaml
from kitgen.workspace.kit import OpenedKit, get_by_name, open_kit, raise_on_errors
from kitgen.workspace.sources import FORMS, SourceKind, SourceName, component_of, parse_source

Need: TypeAlias = tuple[str, Origin, str]
"""Who needs what is to go, where that is said, and what helps."""


class RetireResult(Struct, frozen=True, kw_only=True):
    """What was removed, or would be."""

    root: Path
    name: str
    files: tuple[str, ...]


def retire_source(root: Path | None, source: str, *, dry_run: bool) -> RetireResult:
    """Remove a version of a component, or a release; what needs it is a FindingsError, and nothing goes."""
    name = _parse_source(source)
    opened = open_kit(root)
    if name.kind is SourceKind.COMPONENT:
        component_of(opened, name)
        what, places = f"{name.name}@{name.version}", [f"components/{name.name}/{name.version}"]
        needs = _find_version_users(opened, name)
    else:
        release = get_by_name(opened.kit.releases, "release", name.name).name
        what, places = f"release {release}", [f"releases/{release}.yaml", get_lock_path(release)]
        needs = _find_release_users(opened, release)
    needed = [_report_need(what, *each) for each in needs]
    for place in places:
        needed += [_report_need(place, *each) for each in _find_path_users(opened, place)]
        needed += _check_other_files(opened, place)
    raise_on_errors(needed or _check_kit_without(opened, places), opened.root)
    files = tuple(path for path in sorted(opened.texts) if any(_is_within(path, place) for place in places))
    if not dry_run:
        change_files(opened.root, opened.texts, dict.fromkeys(files))
    return RetireResult(root=opened.root, name=str(name), files=files)


def _parse_source(text: str) -> SourceName:
    """Take apart what is to go."""
    name = parse_source(text)
    if name.kind is SourceKind.PLAIN and "@" in text:
        name = parse_source(f"{SourceKind.COMPONENT}:{text}")
    if name.revision or name.kind not in (SourceKind.COMPONENT, SourceKind.RELEASE):
        raise UsageError(
            f"{text!r} is not written as a version of a component or a release",
            hint=f"expected NAME@VERSION or {FORMS[SourceKind.RELEASE]}",
        )
    return name


def _is_within(path: str, place: str) -> bool:
    return path == place or path.startswith(f"{place}/")


def _report_need(what: str, who: str, origin: Origin, hint: str) -> Finding:
    return make_problem("retire-needed", f"{what} is needed: {who}", hint=hint).to_finding(origin)


def _find_version_users(opened: OpenedKit, name: SourceName) -> Iterator[Need]:
    """Yield every release, target and version that needs a version of a component."""
    kit, component, version = opened.kit, name.name, name.version
    building = group_pairs(
        (release.origin.at("components", component), release.name)
        for release in kit.releases.values()
        if release.components.get(component) == version
    )
    for origin, names in building.items():
        who = f"{join_words(names, last='and')} {'builds' if len(names) == 1 else 'build'} it"
        yield who, origin, "let the release build another version, or retire it first"
    for target in kit.targets.values():
        for own in target.overrides.get(component, ()):
            if own.version == version:
                origin = own.origin.at("version")
                yield f"{target.name} takes it for {own.releases}", origin, "remove the override first"
    for each in kit.components[component].values():
        if each.parent == version:
            origin = Origin(f"components/{component}/{each.version}/component.yaml", ("from",))
            yield f"{each.version} builds on it", origin, f"kitgen flatten {each.name}@{each.version}"


def _find_release_users(opened: OpenedKit, name: str) -> Iterator[Need]:
    """Yield every target and release that needs a release."""
    for target in opened.kit.targets.values():
        if target.release == name:
            yield f"{target.name} pins it", target.origin.at("release"), "pin another one first"
        elif name in target.releases:
            origin = target.origin.at("releases", target.releases.index(name))
            yield f"{target.name} ships it", origin, "take it off the list first"
        elif target.upgrades_from == name:
            origin = target.origin.at("upgradesFrom")
            yield f"{target.name} upgrades from it", origin, "name another one first"
    for other in opened.kit.releases:
        file = f"releases/{other}.yaml"
        if read_yaml(opened.texts[file]).get("from") == name:
            yield f"{other} builds on it", Origin(file, ("from",)), f"kitgen flatten release:{other}"


def _find_path_users(opened: OpenedKit, place: str) -> Iterator[Need]:
    """Yield every exception that is for what would go and would stay, and every link into it."""
    for each in opened.kit.exceptions:
        if _is_within(each.file, place) and not _is_within(each.origin.file, place):
            yield "an exception is for it", each.origin, "remove the exception first"
    gone = os.path.realpath(opened.root / place)
    for path in opened.texts:
        if not _is_within(path, place) and _is_within(os.path.realpath(opened.root / path), gone):
            yield "this is a link into it", Origin(path, line=1), "put a copy in its place"


def _check_other_files(opened: OpenedKit, place: str) -> Iterator[Finding]:
    """Yield a finding for whatever else is in a folder that would go."""
    for folder, folders, files in os.walk(opened.root / place):
        links = [name for name in folders if Path(folder, name).is_symlink()]
        found = (Path(folder, name).relative_to(opened.root).as_posix() for name in (*links, *files))
        for path in sorted(found):
            if path not in opened.texts:
                yield make_problem(
                    "retire-needed",
                    f"found something in {place} that is no spec, and would be lost",
                    hint="move it away",
                ).to_finding(Origin(path, line=1))


def _check_kit_without(opened: OpenedKit, places: list[str]) -> list[Finding]:
    """Return what is wrong with the kit without what would go, such as settings that are for nothing then."""
    icons = [each.listing.icon for each in opened.kit.every_component if each.listing and each.listing.icon]
    files = {path: text.encode() for path, text in opened.texts.items()}
    files |= {each.origin.file: each.data for each in icons}
    left = {
        path: content
        for path, content in files.items()
        if not any(_is_within(path, place) for place in places)
    }
    try:
        load_kit(SpecFiles(Memory(left, {})))
    except FindingsError as error:
        hint = f"this would be so without {places[0]}"
        return [replace(each, hint=f"{hint}; {each.hint}" if each.hint else hint) for each in error.findings]
    return []
