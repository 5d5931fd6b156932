"""Releases: select and read their files, build and validate the model; read releases/tags.yaml."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct, field

from kitgen.findings import AcceptedException, Finding, Origin, make_problem, read_exceptions
from kitgen.kit.inheritance import Chains
from kitgen.kit.merge import SpecValue
from kitgen.kit.model import Kit, Release, Target
from kitgen.kit.ranges import read_range
from kitgen.kit.spec_files import TAGS, SpecFiles
from kitgen.text.patterns import compile_late
from kitgen.text.semver import is_version, version_key

FOLDER = "releases"
NUMBER = r"(?:0|[1-9][0-9]*)"
RECORDED = compile_late(rf"v{NUMBER}\.{NUMBER}\.{NUMBER}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?")
PLACEHOLDER = compile_late(r"v?0\.0\.0(?:[-+].*)?")
"""What scripts print that nobody told a version."""


def list_release_names(listed: Iterable[str]) -> tuple[str, ...]:
    """Return every release that there is a file of, whether or not it is read; the oldest is first."""
    files = (file.removesuffix(".yaml").split("/") for file in listed)
    names = (steps[1] for steps in files if steps[0] == FOLDER and is_version(steps[1]))
    return tuple(sorted(names, key=version_key))


def select_release_files(
    release: str | None, targets: Mapping[str, Target], chains: Chains, alone: bool
) -> set[str] | None:
    """Return the files of the releases that are rendered; None is all, if a requested one is missing.

    What is wrong with the others is for `kitgen check`. Whatever hint is to come must know them.
    Where there are bundles, all count, unless nothing but components is compiled.
    """
    if not alone and any(each.bundle for each in targets.values()):
        return None  # a bundle has its place among those of all releases
    pins = [each.release for each in targets.values()] + ([release] if release is not None else [])
    pins += [each.upgrades_from for each in targets.values() if is_version(each.upgrades_from)]
    files = {f"{FOLDER}/{name}.yaml" for name in pins}
    return files if files <= chains.listed.keys() else None


def build_releases(
    specs: Iterable[SpecValue], chains: Chains
) -> tuple[dict[str, Release], list[AcceptedException]]:
    """Build releases, the oldest first, and return what their files accept."""
    found: list[Release] = []
    accepted: list[AcceptedException] = []
    for said in specs:
        minors, wrong = read_range(said.data.get("kubernetes", ""), said.origin.at("kubernetes"))
        # It accepts findings in its own file alone.
        own = [{**item, "file": said.origin.file} for item in said.data.get("exceptions", ())]
        exceptions, odd = read_exceptions(own, said.origin.at("exceptions"))
        accepted += exceptions
        chains.findings += (*wrong, *odd)
        found.append(_build_release(said, minors))
    return {each.name: each for each in sorted(found, key=lambda one: version_key(one.name))}, accepted


def _build_release(said: SpecValue, minors: tuple[int, ...]) -> Release:
    data = said.data
    return Release(
        name=data["release"],
        date=data.get("date", ""),
        replaces=data.get("replaces", ""),
        skips=tuple(data.get("skips", ())),
        skip_range=data.get("skipRange", ""),
        components=data.get("components", {}),
        records=data.get("records", {}),
        related_images=data.get("relatedImages", {}),
        done=data.get("done", {}),
        minors=minors,
        origin=said.origin,
    )


def check_releases(kit: Kit) -> Iterator[Finding]:
    """Yield what is wrong with releases that were read, each by itself, and with those that targets ship."""
    for release in kit.releases.values():
        yield from check_release(release)
    for target in kit.targets.values():
        named = [(target.release, target.origin.at("release"))]
        named += [(name, target.origin.at("releases", at)) for at, name in enumerate(target.releases)]
        named += [(target.upgrades_from, target.origin.at("upgradesFrom"))]
        yield from (
            make_problem(
                "release-empty",
                f"found the release {name!r}, which builds nothing",
                hint=f"pin another one, or add components to {kit.releases[name].origin.file}",
            ).to_finding(where)
            for name, where in named
            if name in kit.releases and not kit.releases[name].components
        )
    yield from check_bundle_releases(kit)


def check_release(release: Release) -> Iterator[Finding]:
    """Yield what is wrong with a release by itself: what it replaces or skips, and its versions."""
    named = [(release.replaces, release.origin.at("replaces"))] if release.replaces else []
    named += [(name, release.origin.at("skips", at)) for at, name in enumerate(release.skips)]
    for name, origin in named:
        if version_key(name) >= version_key(release.name):
            what = "itself" if name == release.name else f"{name!r}, which is not older"
            yield make_problem(
                "release-replaces",
                f"found {what}, expected a release before {release.name}",
                hint="name the release before it, or leave it out",
            ).to_finding(origin)
    for key, versions in (("components", release.components), ("records", release.records)):
        for name, version in versions.items():
            yield from check_version_format(version, release.origin.at(key, name))


def check_bundle_releases(kit: Kit) -> Iterator[Finding]:
    """Yield what no catalog accepts, where a target makes OLM bundles.

    That is a release that replaces what another one does, or that is called what scripts print that nobody
    told a version.
    """
    if not any(each.bundle for each in kit.targets.values()):
        return
    first: dict[str, Release] = {}
    skipped = {name for release in kit.releases.values() for name in release.skips}
    for release in kit.releases.values():
        replaces = release.replaces if release.name not in skipped else ""
        if replaces and (other := first.setdefault(replaces, release)) is not release:
            yield make_problem(
                "release-forked",
                f"found {replaces!r}, which {other.name} replaces already",
                hint=f"replace {other.name}, or skip it",
            ).to_finding(release.origin.at("replaces"))
        if release.components and PLACEHOLDER.fullmatch(release.name):
            yield make_problem(
                "release-placeholder",
                f"found the placeholder {release.name!r}, expected the version that comes out",
            ).to_finding(release.origin.at("release"))


def check_version_format(version: str, origin: Origin) -> Iterator[Finding]:
    """Yield that a version is a placeholder, or none at all."""
    if (placeholder := PLACEHOLDER.fullmatch(version)) or not RECORDED.fullmatch(version):
        yield make_problem(
            "record-version",
            f"found the placeholder {version!r}, expected the version that came out"
            if placeholder
            else f"found {version!r}, expected a semantic version such as v1.5.0",
            hint="if the release came out like this, accept it under exceptions",
        ).to_finding(origin)


class Tags(Struct, frozen=True, kw_only=True):
    """Repositories and their tags; a repository that is not here may have any."""

    known: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    origin: Origin = Origin(TAGS)

    def has_tag(self, repository: str, tag: str) -> bool | None:
        """Return whether a repository has a tag; None where nothing is known of it."""
        known = self.known.get(repository)
        return None if known is None else tag in known


def load_tags(files: SpecFiles) -> tuple[Tags, list[Finding]]:
    """Read the file, if the kit has one, and return what is wrong with it."""
    if not files.files.exists(TAGS):
        return Tags(), []
    data, wrong = files.read_validated(TAGS, "tags")
    return Tags(
        known={repository: tuple(each) for repository, each in data["tags"].items()} if data else {}
    ), wrong
