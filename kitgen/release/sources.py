"""What `kitgen sources` does: report where the platform's operator takes manifests and images from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path

from msgspec import Struct, field

from kitgen.check.images.related_images import check_missing_variables
from kitgen.check.images.rules import IMAGE_TAG
from kitgen.findings import Finding
from kitgen.findings.errors import UsageError
from kitgen.kit.load import KitSelection
from kitgen.kit.model import Kit, Release
from kitgen.kit.references import check_shared_folders
from kitgen.kube.image_reference import check_image
from kitgen.render.placement import Placement, build_placement
from kitgen.render.plan import TargetPlan
from kitgen.render.unit import Unit
from kitgen.report.documents import ResultDocument
from kitgen.text.semver import is_in_range
from kitgen.workspace.kit import open_kit, raise_on_errors


class SourcesForm(StrEnum):
    """How the platform's operator has its sources; the year is that in which a form was in use."""

    SCRIPT_2024 = "script-2024"
    SCRIPT_2025 = "script-2025"
    SCRIPT_2026 = "script-2026"
    CONFIG = "manifests-config"


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


class TestedVersions(Struct, frozen=True, kw_only=True):
    """What a release was tested with and does not build, and the images that have its version."""

    name: str
    """What the release calls it."""
    version: str
    """Its version."""
    images: tuple[str, ...]
    """Images that have its version as their tag."""


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
    tested: tuple[TestedVersions, ...] = field(name="testedWith")
    """What the release records and does not build."""


class SourcesReport(ResultDocument, frozen=True, kw_only=True, tag="kitgen/sources/v1"):
    """Where the platform's operator takes manifests and images from: kitgen sources."""

    targets: tuple[SourcesEntry, ...]
    """In the order in which they were named."""


class ManifestSources(Struct, frozen=True, kw_only=True):
    """The sources of some targets."""

    root: Path
    report: SourcesReport
    templates: Mapping[tuple[str, str], str]
    """Target and folder → how tags of the images there are made."""
    remarks: tuple[str, ...]
    """What is not among them."""
    findings: tuple[Finding, ...]


def find_sources(
    root: Path | None, targets: Iterable[str], release: str | None, form: SourcesForm | None
) -> ManifestSources:
    """Return the sources of targets, in the release that each pins unless another is named.

    What is wrong with their specs is a FindingsError.
    """
    names = tuple(dict.fromkeys(targets))
    opened = open_kit(root, KitSelection(targets=names, release=release))
    picked = map(opened.target, names)
    placements = [build_placement(opened.kit, each, opened.release(each, release)) for each in picked]
    plans = [opened.session.compile_objects(each, each.overlay_components) for each in placements]
    findings = opened.apply_exceptions(
        [*opened.kit.warnings, *(wrong for each in plans for wrong in _check_plan(each))]
    )
    raise_on_errors(findings, opened.root)
    entries = tuple(map(partial(_build_entry, opened.kit), placements, plans))
    for each in entries:
        if not each.sources:
            raise UsageError(
                f"target {each.target} has no sources",
                hint="; ".join(each.left_out) or "give its components a source setting",
            )
    settings = ((plan.target.name, unit.context.settings) for plan in plans for unit in plan.units)
    return ManifestSources(
        root=opened.root,
        report=SourcesReport(targets=entries),
        templates={
            (target, each.export.folder): each.source.value.tag_template
            for target, each in settings
            if each.export and each.source
        },
        remarks=tuple(_list_remarks(entries, form)),
        findings=tuple(findings),
    )


def _check_plan(plan: TargetPlan) -> Iterator[Finding]:
    """Yield what is wrong with what compiles, with images that no file can name, and with folders."""
    yield from plan.findings
    yield from check_missing_variables([plan])
    contexts = [unit.context for unit in plan.units]
    yield from check_shared_folders(
        (each.component.name, export) for each in contexts if (export := each.settings.export)
    )
    for image, origin in (pair for each in contexts for pair in each.images.values()):
        if problem := check_image(image, IMAGE_TAG):
            yield problem.to_finding(origin)


def _list_remarks(targets: Sequence[SourcesEntry], form: SourcesForm | None) -> Iterator[str]:
    """Yield what is left out of what is told, and why."""
    for each in targets:
        yield from (f"{each.target}: left out: {reason}" for reason in each.left_out)
    first: dict[str, tuple[str, str]] = {}
    rows = [(each, one, image) for each in targets for one in each.sources for image in one.images]
    for target, one, image in rows if form is SourcesForm.CONFIG else ():
        own = (image.params_key, one.component)
        if not image.variable:
            yield f"{target.target}: left out: {image.params_key}, for which {target.release} has no variable"
        elif (other := first.setdefault(image.variable, own)) != own:
            listed = f"{image.variable} is listed for {other[0]} of {other[1]}"
            yield f"{target.target}: left out: {own[0]} of {own[1]}: {listed}"


def _build_entry(kit: Kit, placement: Placement, plan: TargetPlan) -> SourcesEntry:
    """Return the sources of what a target builds; a component that has none is left out, with the reason."""
    return SourcesEntry(
        target=plan.target.name,
        platform=plan.target.platform,
        release=plan.release.name,
        sources=tuple(each for unit in plan.units for each in _build_source(unit, plan.release)),
        left_out=tuple(_list_omissions(placement, plan)),
        tested=tuple(_list_tested_versions(kit, plan.release)),
    )


def _build_source(unit: Unit, release: Release) -> Iterator[SourceEntry]:
    component, settings = unit.context.component, unit.context.settings
    if settings.source is not None and settings.export is not None:
        source, folder = settings.source.value, settings.export.folder
        images = unit.params.images if unit.params else {}
        yield SourceEntry(
            key=folder,
            component=component.name,
            version=component.version,
            repository=source.repository,
            ref=source.ref,
            path=source.path,
            folder=folder,
            images=tuple(
                SourceImage(params_key=key, variable=release.related_images.get(key) or None, image=image)
                for key, image in images.items()
            ),
        )


def _list_omissions(placement: Placement, plan: TargetPlan) -> Iterator[str]:
    """Yield why a component has no source, though the target says of it where manifests come from or go."""
    units = {unit.context.component.name: unit.context.settings for unit in plan.units}
    built = {each.name: each for each in placement.components}
    for name, blocks in plan.target.settings.items():
        if not any(block.settings.source or block.settings.export for block in blocks):
            continue
        if name not in built:
            yield f"release {plan.release.name} builds no {name}"
        elif name not in units:
            yield f"{name} is {placement.settings_for(built[name]).state or 'part of another component'}"
        elif units[name].source is None:
            yield f"{name} has no source"
        elif units[name].export is None:
            yield f"{name} has no export, which says its folder"


def _list_tested_versions(kit: Kit, release: Release) -> Iterator[TestedVersions]:
    published = [each for each in kit.publishing.images if is_in_range(release.name, each.releases)]
    for name, version in release.records.items():
        images = tuple(each.image for each in published if each.of == name)
        yield TestedVersions(name=name, version=version, images=images)
