"""What `kitgen tags` does: the images of a release, those that come out with it and those that it runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from kitgen.findings import Finding
from kitgen.findings.errors import UsageError
from kitgen.kit.model import Release
from kitgen.kube.image_mentions import mappings, mentions
from kitgen.kube.image_reference import reference
from kitgen.kube.manifest import Manifest
from kitgen.olm.bundle import package_of
from kitgen.release.publishing import Tagged, tags_of
from kitgen.render.plan import TargetPlan
from kitgen.text.semver import version_key
from kitgen.workspace.checks import plans_of
from kitgen.workspace.kit import Opened, open_kit, pick, require

BUNDLE = "bundle"


class TagsRequest(Struct, frozen=True, kw_only=True):
    """Which release to look at."""

    root: Path | None = None
    release: str | None = None
    """The newest that builds something when absent."""


class ReleaseImage(Struct, frozen=True, kw_only=True):
    """An image of a release."""

    name: str
    """Without tag and digest."""
    version: str
    """The tag, or the digest."""
    tagged: Tagged | None = None
    """How it comes out with the release; None if it is somebody else's."""
    run_by: tuple[str, ...] = ()
    """Who runs it: targets with their components."""


class ReleaseImages(Struct, frozen=True, kw_only=True):
    """All images of a release: first those that come out with it."""

    root: Path
    release: Release
    images: tuple[ReleaseImage, ...]


def show_tags(request: TagsRequest) -> ReleaseImages:
    """Return the images of a release, each once."""
    opened = open_kit(request.root)
    release = _release(opened, request.release)
    tagged = tags_of(opened.kit, release)
    plans = plans_of(opened, release)
    wrong: list[Finding] = [*tagged.findings, *(each for plan in plans for each in plan.findings)]
    require(opened.judged(wrong), opened.root)
    running = _running(plans)
    found = [_published(each, running.pop(each.reference, {})) for each in tagged.value]
    return ReleaseImages(
        root=opened.root,
        release=release,
        images=(*found, *(_run(image, users) for image, users in sorted(running.items()))),
    )


def _release(opened: Opened, name: str | None) -> Release:
    if name is not None:
        return pick(opened.kit.releases, "release", name)
    if not opened.kit.building:
        raise UsageError("no release of this kit builds anything", hint="name the one to look at")
    return max(opened.kit.building, key=lambda each: version_key(each.name))


def _running(plans: Sequence[TargetPlan]) -> dict[str, dict[str, None]]:
    """Return the images that objects run or name, with those whose objects they are."""
    found: dict[str, dict[str, None]] = {}
    for user, manifest in (each for plan in plans for each in _objects(plan)):
        for mention in mentions(mappings(manifest.body)):
            found.setdefault(mention.image, {})[user] = None
    return found


def _objects(plan: TargetPlan) -> Iterator[tuple[str, Manifest]]:
    """Yield the objects of a target that may run something, with whose they are; CRDs only look so."""
    for unit in plan.units:
        name = f"{plan.target.name}/{unit.context.component.name}"
        yield from ((name, each) for each in unit.final if each.id.kind != "CustomResourceDefinition")
    if (package := package_of(plan)) is not None:
        yield f"{plan.target.name}/{BUNDLE}", package.csv


def _published(tagged: Tagged, users: dict[str, None]) -> ReleaseImage:
    name = tagged.published.image
    return ReleaseImage(name=name, version=tagged.tag, tagged=tagged, run_by=tuple(sorted(users)))


def _run(image: str, users: dict[str, None]) -> ReleaseImage:
    parts = reference(image)
    version = parts.version if parts else ""
    name = image.removesuffix(f"@{version}").removesuffix(f":{version}")
    return ReleaseImage(name=name, version=version, run_by=tuple(sorted(users)))
