"""Which versions a new release has: those of the one that it builds on, but for what is asked for.

The files of a new release: its own, and a spec for each version of a component that has none yet.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from kitgen.findings import Finding, Origin, format_pointer, make_problem, suggest_word
from kitgen.findings.errors import FindingsError
from kitgen.kit.model import Component, Kit, Release
from kitgen.kit.releases import PLACEHOLDER, RECORDED
from kitgen.text.semver import is_final_version, newest_before, version_key
from kitgen.text.yaml import JsonObject, dump_yaml


class ChosenVersions(Struct, frozen=True, kw_only=True):
    """What a new release says otherwise than the one that it builds on."""

    version: str
    base: Release
    replaces: str
    """The newest before it, which it may well not build on."""
    components: Mapping[str, str]
    """Those that change, or come new."""
    records: Mapping[str, str]
    gone: tuple[str, ...] = ()
    """Records of what is built from now on."""


def make_release_error(version: str, message: str, hint: str = "") -> FindingsError:
    """Return that a release cannot be made so."""
    return FindingsError(
        [
            make_problem("release-new", message, hint=hint).to_finding(
                Origin(f"releases/{version}.yaml", (), 1)
            )
        ]
    )


def validate_version(kit: Kit, version: str) -> str:
    """Return a version that a new release can have."""
    if not RECORDED.fullmatch(version) or PLACEHOLDER.fullmatch(version):
        raise make_release_error(version, f"found {version!r}, expected a semantic version such as v1.16.1")
    if version in kit.release_names:
        raise make_release_error(version, f"release {version} is there already", "name the next version")
    return version


def resolve_base_release(kit: Kit, version: str, asked: str | None, *, hotfix: bool) -> Release:
    """Return the release that a new one builds on: the newest before it, if none is asked for."""
    if asked is not None and asked not in kit.releases:
        raise make_release_error(
            version,
            f"found no release {asked!r} to build on",
            suggest_word(asked, list(kit.releases)) or "kitgen list shows the releases",
        )
    older = (each for each in kit.releases if is_final_version(each) or not hotfix)
    if not (name := asked or newest_before(older, version)):
        raise make_release_error(version, f"found no release before {version} to build on")
    if version_key(name) >= version_key(version):
        raise make_release_error(version, f"found {name} to build on, expected a release before {version}")
    if hotfix:
        _check_hotfix(kit.releases[name], version)
    return kit.releases[name]


def _check_hotfix(base: Release, version: str) -> None:
    """Refuse what is no hotfix: one follows what came out, and changes what that builds."""
    if not is_final_version(base.name):
        raise make_release_error(
            version, f"found {base.name}, which never came out, expected a release to fix"
        )
    if not _is_next_patch(base.name, version):
        raise make_release_error(
            version,
            f"found {version}, which is no hotfix of {base.name}",
            f"the next patch of {base.name} is {_next_patch(base.name)}",
        )
    if not base.components:
        raise make_release_error(
            version, f"found {base.name}, which builds nothing that a hotfix could change"
        )


def _next_patch(version: str) -> str:
    major, minor, patch, *_ = version_key(version)
    return f"v{major}.{minor}.{patch + 1}"


def _is_next_patch(old: str, version: str) -> bool:
    """Return whether a version is the next patch of another one, or a candidate for it."""
    return version.partition("-")[0] == _next_patch(old)


def choose_versions(
    kit: Kit,
    version: str,
    base: Release,
    sets: Mapping[str, str],
    records: Mapping[str, str],
    *,
    hotfix: bool,
) -> ChosenVersions:
    """Return what a new release says; the project has its version."""
    first = sets and not base.components and kit.project in kit.versions
    own = {kit.project: version} if kit.project in base.components or first else {}
    wanted = {**own, **sets}
    if own and wanted[kit.project] != version:
        raise make_release_error(
            version,
            f"found {kit.project} {wanted[kit.project]}, expected {version}: the release has its version",
            f"leave --set {kit.project} out",
        )
    components = {name: each for name, each in wanted.items() if base.components.get(name) != each}
    changed = {name: each for name, each in records.items() if base.records.get(name) != each}
    for wrong in _check_requested_versions(kit, base, components, changed, hotfix=hotfix):
        raise make_release_error(version, *wrong)
    return ChosenVersions(
        version=version,
        base=base,
        replaces=newest_before(kit.releases, version),
        components=components,
        records=changed,
        gone=tuple(name for name in base.records if name in wanted),
    )


def _check_requested_versions(
    kit: Kit, base: Release, sets: Mapping[str, str], records: Mapping[str, str], *, hotfix: bool
) -> Iterator[tuple[str, str]]:
    for name, version in (*sets.items(), *records.items()):
        if not RECORDED.fullmatch(version) or PLACEHOLDER.fullmatch(version):
            yield f"found {name} {version!r}, expected a semantic version such as v1.5.0", ""
    for name in sets:
        if name not in kit.versions:
            hint = suggest_word(name, list(kit.versions)) or "--record is for what it does not build"
            yield f"found no component {name!r} in this kit", hint
    for name in records:
        if name in base.components:
            yield f"found {name!r}, which {base.name} builds", f"say --set {name}=VERSION"
    if not hotfix:
        return
    if records:
        yield "a hotfix records nothing new", "leave --record out, or make a normal release"
    for name, version in sets.items():
        if (old := base.components.get(name)) is not None and not _is_next_patch(old, version):
            yield f"found {name} {version}, expected its next patch", f"that is {_next_patch(old)}"
        elif old is None:
            yield f"found {name}, which {base.name} does not build", "a hotfix adds nothing"


def render_release(
    made: ChosenVersions, date: str, accepted: Sequence[Finding] = (), reason: str = ""
) -> str:
    """Return the file of a release, which says only what is different from the one that it builds on."""
    places = dict.fromkeys((each.rule.id, format_pointer(each.origin.path)) for each in accepted)
    data: JsonObject = {
        "release": made.version,
        "from": made.base.name,
        "remove": [format_pointer(("records", each)) for each in made.gone],
        "date": date,
        "replaces": made.replaces,
        "components": dict(made.components),
        "records": dict(made.records),
        "exceptions": [{"rule": rule, "pointer": at, "reason": reason} for rule, at in places],
    }
    return _render_spec("../schemas/release.json", data)


def render_components(kit: Kit, made: ChosenVersions) -> dict[str, str]:
    """Return a spec for each version that there is none of: the one before, with its images.

    Those that carry the version of the component get the new one.
    """
    texts = {}
    for name, version in made.components.items():
        if version not in kit.versions[name]:
            older = _find_base_component(kit, name, made)
            tag = f":{older.version}"
            own = {name: image for name, image in older.images.items() if image.endswith(tag)}
            images = {name: f"{image.removesuffix(tag)}:{version}" for name, image in own.items()}
            data: JsonObject = {"version": version, "from": older.version, "images": images}
            file = f"components/{name}/{version}/component.yaml"
            texts[file] = _render_spec("../../../schemas/component.json", data)
    return texts


def _render_spec(schema: str, data: JsonObject) -> str:
    """Return a spec as text, without what is empty."""
    said = {key: value for key, value in data.items() if value}
    return f"# yaml-language-server: $schema={schema}\n{dump_yaml(said)}"


def _find_base_component(kit: Kit, name: str, made: ChosenVersions) -> Component:
    """Return the version that a new one builds on: that of the release before, or the newest below it."""
    version, versions = made.components[name], kit.components[name]
    older = [each for each in versions if version_key(each) < version_key(version)]
    if not older:
        raise make_release_error(
            made.version,
            f"found no version of {name} before {version}",
            f"kitgen import makes the spec of {name}@{version}",
        )
    wanted = made.base.components.get(name)
    return versions[wanted if wanted in older else max(older, key=version_key)]
