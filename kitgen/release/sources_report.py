"""Where manifests and images of targets come from: as tables for people, or for programs."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct, field

from kitgen.release.manifest_sources import TargetSources, Tested
from kitgen.report.documents import ResultDocument
from kitgen.report.table import table

NONE = "-"
MANIFESTS = ("key", "component", "version", "repository", "ref", "path")
IMAGES = ("key", "params key", "variable", "image")
TESTED = ("tested with", "version", "images")


class SourceImage(Struct, frozen=True, kw_only=True, rename="camel"):
    """An image in params.env."""

    params_key: str
    """The key in params.env."""
    variable: str | None
    """The variable from which the operator takes it, if the release names one."""
    image: str
    """The image that the target has there."""


class SourceEntry(Struct, frozen=True, kw_only=True):
    """Where the manifests of a component come from."""

    key: str
    """What the platform's operator calls the component."""
    component: str
    """The component."""
    version: str
    """The version that the target takes."""
    repository: str
    """owner/name on GitHub."""
    ref: str
    """A branch, a tag or branch@commit."""
    path: str
    """The folder in the repository."""
    folder: str
    """The folder below the manifests of the operator."""
    images: tuple[SourceImage, ...]
    """The images in params.env."""


class SourcesEntry(Struct, frozen=True, kw_only=True, rename="camel"):
    """The sources of a target."""

    target: str
    """Its name."""
    platform: str
    """What the platform's operator calls it."""
    release: str
    """The release that the sources are for."""
    sources: tuple[SourceEntry, ...]
    """One a component, in the order in which a cluster gets them."""
    left_out: tuple[str, ...]
    """Why components are not among them."""
    tested: tuple[Tested, ...] = field(name="testedWith")
    """What the release records and does not build."""


class SourcesReport(ResultDocument, frozen=True, kw_only=True, tag="kitgen/sources/v1"):
    """Where the platform's operator takes manifests and images from: kitgen sources."""

    targets: tuple[SourcesEntry, ...]
    """In the order in which they were named."""


def sources_report(targets: Iterable[TargetSources]) -> SourcesReport:
    """Return the sources of targets as they are reported."""
    return SourcesReport(
        targets=tuple(
            SourcesEntry(
                target=each.target,
                platform=each.platform,
                release=each.release,
                sources=tuple(
                    SourceEntry(
                        key=one.folder,
                        component=one.component,
                        version=one.version,
                        repository=one.source.repository,
                        ref=one.source.ref,
                        path=one.source.path,
                        folder=one.folder,
                        images=tuple(
                            SourceImage(
                                params_key=image.key, variable=image.variable or None, image=image.image
                            )
                            for image in one.images
                        ),
                    )
                    for one in each.sources
                ),
                left_out=each.left_out,
                tested=each.tested,
            )
            for each in targets
        )
    )


def as_table(report: SourcesReport, *, width: int, colour: bool) -> str:
    """Write for each target where manifests come from, then images, then what the release was tested with."""
    made = []
    for each in report.targets:
        title = f"{each.target} {each.release}"
        manifests = [
            (one.key, one.component, one.version, one.repository, one.ref, one.path) for one in each.sources
        ]
        images = [
            (one.key, image.params_key, image.variable or NONE, image.image)
            for one in each.sources
            for image in one.images
        ]
        tested = [(one.name, one.version, ", ".join(one.images) or NONE) for one in each.tested]
        parts = ((title, MANIFESTS, manifests), ("", IMAGES, images), ("", TESTED, tested))
        made += [table(said, head, rows, width=width, colour=colour) for said, head, rows in parts if rows]
    return "\n".join(made)
