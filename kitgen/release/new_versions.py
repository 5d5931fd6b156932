"""Which versions a new release has: those of the one that it builds on, but for what is asked for.

The files of a new release: its own, and a spec for each version of a component that has none yet.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct

from kitgen.findings import Finding, Origin, near, pointer, problem
from kitgen.findings.errors import FindingsError
from kitgen.kit.model import Component, Kit, Release
from kitgen.kit.releases import PLACEHOLDER, RECORDED
from kitgen.text.semver import is_final, is_version, newest_before, version_key
from kitgen.text.yaml import JsonObject, dump


class RequestedVersions(Struct, frozen=True, kw_only=True):
    """What people, or the matrix of a README, want a new release to have."""

    sets: Mapping[str, str]
    """Versions that it builds."""
    records: Mapping[str, str]
    gone: Collection[str] = ()
    """What it has no more."""


class Chosen(Struct, frozen=True, kw_only=True):
    """What a new release says otherwise than the one that it builds on."""

    version: str
    base: Release
    replaces: str
    """The newest before it, which it may well not build on."""
    components: Mapping[str, str]
    """Those that change, or come new."""
    records: Mapping[str, str]
    gone: tuple[tuple[str, str], ...] = ()
    """What it does not take over: `components` or `records`, and the name there."""


def refused(version: str, message: str, hint: str = "") -> FindingsError:
    """Return that a release cannot be made so."""
    return FindingsError(
        [problem("release-new", message, hint=hint).at(Origin(f"releases/{version}.yaml", (), 1))]
    )


def checked_version(kit: Kit, version: str) -> str:
    """Return a version that a new release can have."""
    if not RECORDED.fullmatch(version) or PLACEHOLDER.fullmatch(version):
        raise refused(version, f"found {version!r}, expected a semantic version such as v1.16.1")
    if version in kit.release_names:
        raise refused(version, f"release {version} is there already", "name the next version")
    return version


def base_of(kit: Kit, version: str, asked: str | None, *, hotfix: bool) -> Release:
    """Return the release that a new one builds on: the newest before it, if none is asked for."""
    if asked is not None and asked not in kit.releases:
        hint = near(asked, list(kit.releases)) or "kitgen list shows the releases"
        raise refused(version, f"found no release {asked!r} to build on", hint)
    older = [each for each in kit.releases if is_final(each) or not hotfix]
    if not (name := asked or newest_before(older, version)):
        raise refused(version, f"found no release before {version} to build on")
    if version_key(name) >= version_key(version):
        raise refused(version, f"found {name} to build on, expected a release before {version}")
    if hotfix:
        _check_hotfix(kit.releases[name], version)
    return kit.releases[name]


def _check_hotfix(base: Release, version: str) -> None:
    """Refuse what is no hotfix: one follows what came out, and changes what that builds."""
    if not is_final(base.name):
        raise refused(version, f"found {base.name}, which never came out, expected a release to fix")
    if not _follows(base.name, version):
        hint = f"the next patch of {base.name} is {_next_patch(base.name)}"
        raise refused(version, f"found {version}, which is no hotfix of {base.name}", hint)
    if not base.components:
        raise refused(version, f"found {base.name}, which builds nothing that a hotfix could change")


def _next_patch(version: str) -> str:
    major, minor, patch, *_ = version_key(version)
    return f"v{major}.{minor}.{patch + 1}"


def _follows(old: str, version: str) -> bool:
    """Return whether a version is the next patch of another one, or a candidate for it."""
    return version.partition("-")[0] == _next_patch(old)


def chosen(kit: Kit, version: str, base: Release, asked: RequestedVersions, *, hotfix: bool) -> Chosen:
    """Return what a new release says; the project has its version."""
    first = asked.sets and not base.components and kit.project in kit.versions
    own = {kit.project: version} if kit.project in base.components or first else {}
    wanted = {**own, **asked.sets}
    if own and wanted[kit.project] != version:
        message = (
            f"found {kit.project} {wanted[kit.project]}, expected {version}: the release has its version"
        )
        raise refused(version, message, f"leave --set {kit.project} out")
    components = {name: each for name, each in wanted.items() if base.components.get(name) != each}
    records = {name: each for name, each in asked.records.items() if base.records.get(name) != each}
    for wrong in _wrong(kit, base, components, records, hotfix=hotfix):
        raise refused(version, *wrong)
    return Chosen(
        version=version,
        base=base,
        replaces=newest_before(kit.releases, version),
        components=components,
        records=records,
        gone=tuple(_gone(base, wanted, asked)),
    )


def _gone(base: Release, wanted: Mapping[str, str], asked: RequestedVersions) -> Iterator[tuple[str, str]]:
    """Yield what is not taken over: what nobody has any more, and records of what is built from now on."""
    for key, versions in (("components", base.components), ("records", base.records)):
        for name in versions:
            dropped = name in asked.gone and name not in wanted and name not in asked.records
            if dropped or (key == "records" and name in wanted):
                yield key, name


def _wrong(
    kit: Kit, base: Release, sets: Mapping[str, str], records: Mapping[str, str], *, hotfix: bool
) -> Iterator[tuple[str, str]]:
    for name, version in (*sets.items(), *records.items()):
        if not RECORDED.fullmatch(version) or PLACEHOLDER.fullmatch(version):
            yield f"found {name} {version!r}, expected a semantic version such as v1.5.0", ""
    for name in sets:
        if name not in kit.versions:
            known = near(name, list(kit.versions))
            yield (
                f"found no component {name!r} in this kit",
                known or "--record is for what it does not build",
            )
    for name in records:
        if name in base.components:
            yield f"found {name!r}, which {base.name} builds", f"say --set {name}=VERSION"
    if not hotfix:
        return
    if records:
        yield "a hotfix records nothing new", "leave --record out, or make a normal release"
    for name, version in sets.items():
        if (old := base.components.get(name)) is not None and not _follows(old, version):
            yield f"found {name} {version}, expected its next patch", f"that is {_next_patch(old)}"
        elif old is None:
            yield f"found {name}, which {base.name} does not build", "a hotfix adds nothing"


HEAD = "# yaml-language-server: $schema={}schemas/{}.json\n"


def release_text(made: Chosen, date: str, accepted: Sequence[Finding] = (), reason: str = "") -> str:
    """Return the file of a release, which says only what is different from the one that it builds on."""
    data: JsonObject = {"release": made.version, "from": made.base.name}
    data |= {"remove": [pointer(each) for each in made.gone]} if made.gone else {}
    data |= {"date": date} if date else {}
    data["replaces"] = made.replaces
    data |= {"components": dict(made.components)} if made.components else {}
    data |= {"records": dict(made.records)} if made.records else {}
    if accepted:
        places = dict.fromkeys((each.rule.id, pointer(each.origin.path)) for each in accepted)
        data["exceptions"] = [{"rule": rule, "pointer": at, "reason": reason} for rule, at in places]
    return HEAD.format("../", "release") + dump(data)


def component_texts(kit: Kit, made: Chosen) -> dict[str, str]:
    """Return a spec for each version that there is none of: the one before, with its image."""
    texts = {}
    for name, version in made.components.items():
        if version not in kit.versions[name]:
            older = _older(kit, name, made)
            data: JsonObject = {"version": version, "from": older.version}
            data |= {"images": images} if (images := moved_images(older, version)) else {}
            texts[f"components/{name}/{version}/component.yaml"] = HEAD.format(
                "../../../", "component"
            ) + dump(data)
    return texts


def _older(kit: Kit, name: str, made: Chosen) -> Component:
    """Return the version that a new one builds on: that of the release before, or the newest below it."""
    version, wanted, release = made.components[name], made.base.components.get(name, ""), made.version
    versions = kit.components[name]
    if wanted in versions and version_key(wanted) < version_key(version):
        return versions[wanted]
    if not (below := [each for each in versions if version_key(each) < version_key(version)]):
        hint = f"kitgen import makes the spec of {name}@{version}"
        raise refused(release, f"found no version of {name} before {version}", hint)
    return versions[max(below, key=version_key)]


def moved_images(component: Component, version: str) -> Mapping[str, str]:
    """Return the images that carry the version of a component, with the new one."""
    found = {}
    for name, image in component.images.items():
        repository, colon, tag = image.rpartition(":")
        if colon and "/" not in tag and is_version(tag) and tag == component.version:
            found[name] = f"{repository}:{version}"
    return found
