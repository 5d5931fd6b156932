"""Which versions a new release has: those of the one that it builds on, but for what is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from kitgen.errors import FindingsError
from kitgen.findings import Chapter, Origin, Rule, near
from kitgen.load.releases import PLACEHOLDER, RECORDED
from kitgen.model import Kit, Release
from kitgen.semver import version_key

RELEASE_NEW = Rule(
    id="release-new",
    chapter=Chapter.RELEASE,
    checks="A new release has a semantic version of its own, and builds on a release that there is.",
    fix="Name another version, or the release that it builds on.",
)


class Chosen(Struct, frozen=True, kw_only=True):
    """What a new release says otherwise than the one that it builds on."""

    version: str
    base: Release
    components: Mapping[str, str]
    """Those that change, or come new."""
    records: Mapping[str, str]


def refused(version: str, message: str, hint: str = "") -> FindingsError:
    """Return that a release cannot be made so."""
    return FindingsError([RELEASE_NEW(message, hint=hint).at(Origin(f"releases/{version}.yaml", (), 1))])


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
    older = [each for each in kit.releases if version_key(each) < version_key(version)]
    name = asked or max(older, key=version_key, default="")
    if not name:
        raise refused(version, f"found no release before {version} to build on")
    if version_key(name) >= version_key(version):
        raise refused(version, f"found {name} to build on, expected a release before {version}")
    if hotfix and _next_patch(name) != version:
        hint = f"the next patch of {name} is {_next_patch(name)}"
        raise refused(version, f"found {version}, which is no hotfix of {name}", hint)
    return kit.releases[name]


def _next_patch(version: str) -> str:
    major, minor, patch, *_ = version_key(version)
    return f"v{major}.{minor}.{patch + 1}"


def chosen(
    kit: Kit,
    version: str,
    base: Release,
    sets: Mapping[str, str],
    records: Mapping[str, str],
    *,
    hotfix: bool,
) -> Chosen:
    """Return what a new release says; the project has its version."""
    own = {kit.project: version} if kit.project in base.components else {}
    wanted = {**own, **sets}
    if own and wanted[kit.project] != version:
        message = (
            f"found {kit.project} {wanted[kit.project]}, expected {version}: the release has its version"
        )
        raise refused(version, message, f"leave --set {kit.project} out")
    for problem in _wrong(kit, base, wanted, records, hotfix=hotfix):
        raise refused(version, *problem)
    return Chosen(
        version=version,
        base=base,
        components={name: each for name, each in wanted.items() if base.components.get(name) != each},
        records={name: each for name, each in records.items() if base.records.get(name) != each},
    )


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
        old = base.components.get(name)
        if old is not None and _next_patch(old) != version:
            yield f"found {name} {version}, expected its next patch", f"that is {_next_patch(old)}"
        elif old is None:
            yield f"found {name}, which {base.name} does not build", "a hotfix adds nothing"
