"""What `kitgen images list` does: list every image that targets, or manifests of others, can run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from kitgen.findings import Finding
from kitgen.findings.errors import UsageError
from kitgen.kit.manifests import ReadBudget
from kitgen.kube.image_reference import parse_image_reference
from kitgen.render.image_places import ImageNaming
from kitgen.render.images import (
    LOCK_MISSING,
    ImageUse,
    ListedImage,
    TargetUse,
    group_by_image,
    list_image_uses,
    list_object_image_uses,
    list_unit_image_uses,
)
from kitgen.render.runtime_images import check_image_references
from kitgen.report.documents import ResultDocument
from kitgen.workspace.checks import list_shipping_targets
from kitgen.workspace.compilation import build_target_placement
from kitgen.workspace.kit import OpenedKit, raise_on_errors
from kitgen.workspace.sources import (
    Kits,
    SourceKind,
    SourceName,
    add_revision_to_errors,
    component_of,
    parse_source,
)

if TYPE_CHECKING:
    from kitgen.kit.model import Target


class ImagesRequest(Struct, frozen=True, kw_only=True):
    """Whose images to list."""

    root: Path | None = None
    sources: tuple[str, ...] = ()
    """All targets when empty."""
    release: str | None = None
    """What each target pins when absent."""
    tags: bool = False
    """Whether images are as specs write them, though a target has digests."""


class ImageTarget(Struct, frozen=True, kw_only=True):
    """What was looked at."""

    target: str
    """The target, or the source that was looked at instead."""
    release: str | None
    """The release; null of what no target of the kit is."""


class UseEntry(ImageTarget, frozen=True, kw_only=True):
    """A place that names an image."""

    component: str | None
    """The component; null of a catalog."""
    by: ImageNaming
    """What names it; run time is code, an SDK or users."""
    place: str
    """The object and what of it, the key, the field, or who names it."""
    file: str | None
    """The spec that says it, if one does."""


class ImageEntry(Struct, frozen=True, kw_only=True):
    """An image."""

    image: str
    """The image as it is rendered."""
    repository: str | None
    """Registry and path; null if no node could read the image."""
    tag: str | None
    """The tag, if it has one."""
    digest: str | None
    """The digest, if it has one."""
    uses: tuple[UseEntry, ...]
    """All that names it."""


class ImageList(ResultDocument, frozen=True, kw_only=True, tag="kitgen/images/v1"):
    """Images of targets: kitgen images list."""

    targets: tuple[ImageTarget, ...]
    """The targets, or other sources, that were looked at."""
    images: tuple[ImageEntry, ...]
    """Every image once, by name."""


Looked: TypeAlias = tuple[str, str, list[ImageUse]]
"""What was looked at, its release, and what was found in it."""


def list_images(request: ImagesRequest) -> ImageList:
    """Return the images of sources, each once, by name."""
    kits = Kits(request.root)
    intake = ReadBudget(looking=True)
    named = [kits.resolve(parse_source(each)) for each in dict.fromkeys(request.sources)]
    looked = [
        found
        for each in named or [SourceName(kind=SourceKind.KIT)]
        for found in (
            _list_foreign_images(each, request, intake)
            if each.is_foreign
            else _list_kit_images(kits, each, request)
        )
    ]
    uses = (TargetUse(name, release, use) for name, release, some in looked for use in some)
    return ImageList(
        targets=tuple(ImageTarget(target=name, release=release or None) for name, release, _ in looked),
        images=tuple(map(_build_entry, group_by_image(uses))),
    )


def _build_entry(image: ListedImage) -> ImageEntry:
    parts = parse_image_reference(image.image)
    return ImageEntry(
        image=image.image,
        repository=parts.repository if parts else None,
        tag=(parts.tag or None) if parts else None,
        digest=(parts.digest or None) if parts else None,
        uses=tuple(
            UseEntry(
                target=each.target,
                release=each.release or None,
                component=each.use.component or None,
                by=each.use.use,
                place=each.use.place,
                file=each.use.origin.file if each.use.origin else None,
            )
            for each in image.uses
        ),
    )


def _list_foreign_images(name: SourceName, request: ImagesRequest, intake: ReadBudget) -> Iterator[Looked]:
    """Look at manifests, a folder that kustomize builds, or an OLM bundle."""
    from kitgen.kit.shipped_trees import read_shipped_tree

    if request.release is not None:
        raise UsageError(f"--release is for targets, and {name} is none")
    real = read_shipped_tree(name.file, intake, most=None)
    real.raise_on_findings()
    yield str(name), "", list_object_image_uses(real.manifests)


def _list_kit_images(kits: Kits, name: SourceName, request: ImagesRequest) -> Iterator[Looked]:
    """Look at targets of the kit, or at a component by itself.

    What has no digest yet is no fault here: the list is what digests are looked up for.
    """
    release = request.release
    if release is not None and (name.version or name.kind in (SourceKind.RELEASE, SourceKind.COMPONENT)):
        raise UsageError(f"{name} takes no --release {release} beside it")
    opened = kits.open_at(name.revision)
    before = f"git:{name.revision}:" if name.revision else ""
    with add_revision_to_errors(opened):
        if name.kind is SourceKind.COMPONENT:
            unit = opened.session.compile_alone(component_of(opened, name))
            _require_no_errors(opened, unit.findings)
            yield str(name), "", [*list_unit_image_uses(unit)]
            return
        wanted = name.name if name.kind is SourceKind.RELEASE else name.version or release
        own = {name.component: name.component_version} if name.component_version else {}
        written = [
            replace(each, digests=False) if request.tags else each for each in _resolve_targets(opened, name)
        ]
        placements = [build_target_placement(opened, each, own, wanted) for each in written]
        if name.component:
            opened.component(placements[0], name.component)
        plans = [opened.session.compile_plan(each) for each in placements]
        _require_no_errors(opened, (each for plan in plans for each in plan.findings))
        for plan in plans:
            uses = [each for each in list_image_uses(plan) if name.component in ("", each.component)]
            _require_no_errors(
                opened,
                check_image_references((each.image, each.origin or plan.target.origin) for each in uses),
            )
            version = f"={name.component_version}" if name.component_version else ""
            part = f"/{name.component}{version}" if name.component else ""
            yield f"{before}{plan.target.name}{part}", plan.release.name, uses


def _resolve_targets(opened: OpenedKit, name: SourceName) -> list[Target]:
    if name.kind is SourceKind.RELEASE:
        return list_shipping_targets(opened, name.name)
    return [*opened.kit.targets.values()] if name.kind is SourceKind.KIT else [opened.target(name.name)]


def _require_no_errors(opened: OpenedKit, findings: Iterable[Finding]) -> None:
    raise_on_errors(
        opened.apply_exceptions(each for each in findings if each.rule is not LOCK_MISSING), opened.root
    )
