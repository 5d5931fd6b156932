"""Run `kitgen list`: what a kit contains, and what each target ships."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from kitgen.kit.load import KitSelection
from kitgen.render.placement import list_shipped_releases
from kitgen.report.documents import Count, ResultDocument
from kitgen.workspace.kit import open_kit


class ListedRelease(Struct, frozen=True, kw_only=True):
    """A release of a kit."""

    name: str
    date: str
    replaces: str
    """The release before it in its channel; empty if it does not say."""
    components: Mapping[str, str]
    records: Mapping[str, str]


class ListedOverride(Struct, frozen=True, kw_only=True):
    """A version that a target takes instead of the one that releases say."""

    component: str
    version: str
    releases: str
    why: str


class ListedTarget(Struct, frozen=True, kw_only=True):
    """A target of a kit."""

    name: str
    release: str
    ships: tuple[str, ...]
    about: str
    overrides: tuple[ListedOverride, ...]
    """Versions of components that it takes instead of those that releases say."""


class ListedComponent(Struct, frozen=True, kw_only=True):
    """A version of a component of a kit."""

    name: str
    version: str
    about: str
    crds: Count
    features: tuple[str, ...]


class KitContents(ResultDocument, frozen=True, kw_only=True, tag="kitgen/kit/v1"):
    """What a kit holds: kitgen list."""

    kit: str
    """Its name."""
    releases: tuple[ListedRelease, ...]
    """Releases, with the versions that they build and record."""
    targets: tuple[ListedTarget, ...]
    """Targets, with the release that each pins and all that it ships."""
    components: tuple[ListedComponent, ...]
    """Every version of every component."""


def list_kit(root: Path | None) -> KitContents:
    """Return what a kit holds."""
    kit = open_kit(root, KitSelection(judged=False, outlined=True)).kit
    return KitContents(
        kit=kit.name,
        releases=tuple(
            ListedRelease(
                name=each.name,
                date=each.date,
                replaces=each.replaces,
                components=each.components,
                records=each.records,
            )
            for each in kit.releases.values()
        ),
        targets=tuple(
            ListedTarget(
                name=each.name,
                release=each.release,
                ships=tuple(release.name for release in list_shipped_releases(kit, each)),
                about=each.about,
                overrides=tuple(
                    ListedOverride(component=of, version=own.version, releases=own.releases, why=own.why)
                    for of, some in each.overrides.items()
                    for own in some
                ),
            )
            for each in kit.targets.values()
        ),
        components=tuple(
            ListedComponent(
                name=each.name,
                version=each.version,
                about=each.about,
                crds=len(each.crds),
                features=tuple(each.features),
            )
            for versions in kit.components.values()
            for each in versions.values()
        ),
    )


def build_tables(found: KitContents) -> Iterator[tuple[str, tuple[str, ...], list[list[str]]]]:
    """Yield the title, the head and the rows of each table."""

    def pairs(versions: Mapping[str, str]) -> str:
        return ", ".join(f"{name} {version}" for name, version in versions.items()) or "-"

    yield (
        "Releases",
        ("release", "date", "builds", "records"),
        [
            [each.name, each.date or "-", pairs(each.components), pairs(each.records)]
            for each in found.releases
        ],
    )
    yield (
        "Targets",
        ("target", "release", "ships", "about"),
        [[each.name, each.release, ", ".join(each.ships), each.about] for each in found.targets],
    )
    if overrides := [
        [target.name, each.component, each.version, each.releases, each.why]
        for target in found.targets
        for each in target.overrides
    ]:
        yield "Overrides", ("target", "component", "version", "releases", "why"), overrides
    yield (
        "Components",
        ("component", "version", "CRDs", "features"),
        [
            [each.name, each.version, str(each.crds), ", ".join(each.features) or "-"]
            for each in found.components
        ],
    )
