"""Hold the list of a target's images to what mirrors need: digests, relatedImages, those of recorded SDKs.

The rules of images that are to be carried somewhere else; only `kitgen images check` asks for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from kitgen.findings import Finding, Origin, Severity, make_problem, suggest_word
from kitgen.kit.succession import get_release_origin
from kitgen.kube.image_reference import parse_image_reference
from kitgen.render.image_places import ImageNaming
from kitgen.render.images import ImageUse
from kitgen.text.semver import version_key
from kitgen.text.wording import join_words, quote_text

if TYPE_CHECKING:
    from kitgen.kit.model import Component, Kit, Release
    from kitgen.olm.bundle import Package
    from kitgen.render.plan import TargetPlan


LOCK = "lock its digest, and say digests: true in the target"
WRITE = "write the digest into the example"


def check_image_digests(uses: Iterable[ImageUse], otherwise: Origin, *, promised: bool) -> Iterator[Finding]:
    """Yield images without a digest, each once, where the specs say it; tests of a bundle need none.

    An example is for people to change, and those in params.env the platform's operator replaces: both are
    warnings, the latter unless the target promised digests.
    """
    said: dict[str, list[ImageUse]] = {}
    for each in (each for each in uses if each.use is not ImageNaming.TEST):
        said.setdefault(each.image, []).append(each)
    for image, some in said.items():
        if (parts := parse_image_reference(image)) is None or parts.digest:
            continue
        first = next((each for each in some if each.origin), some[0])
        message = f"found {quote_text(image)}, expected a digest"
        subject = f"{first.use.value}: {first.place}"
        example = all(each.use is ImageNaming.EXAMPLE for each in some)
        filled = not promised and any(each.use is ImageNaming.PARAMETER for each in some)
        finding = make_problem("image-by-tag", message, hint=WRITE if example else LOCK).to_finding(
            first.origin or otherwise, subject
        )
        yield replace(finding, graded=Severity.WARNING) if example or filled else finding


def check_recorded_images(kit: Kit, plan: TargetPlan) -> Iterator[Finding]:
    """Yield what the release records in a version whose default images nobody named."""
    for unit in plan.units:
        component = unit.context.component
        own = {each.record for each in component.runtime_images if each.record}
        for name, versions in _collect_recorded_versions(kit, component).items():
            if (recorded := plan.release.version_of(name)) and f"{name}@{recorded}" not in own:
                yield _report_unnamed_images(plan.release, component, name, recorded, versions)


def check_record_names(kit: Kit, plan: TargetPlan) -> Iterator[Finding]:
    """Yield what runtimeImages call recorded, and no release records: a slip hides what is missing."""
    names = {name for each in kit.releases.values() for name in (*each.records, *each.components)}
    for unit in plan.units:
        for image in unit.context.component.runtime_images:
            if (name := image.record.partition("@")[0]) and name not in names:
                yield make_problem(
                    "image-record",
                    f"found the record {quote_text(name)}, which no release records",
                    hint=suggest_word(name, sorted(names)) or "add it to records of the releases",
                ).to_finding(image.origin.at("record"))


def _collect_recorded_versions(kit: Kit, component: Component) -> dict[str, set[str]]:
    """Return what versions of a component know the default images of, with its versions."""
    found: dict[str, set[str]] = {}
    for each in kit.components[component.name].values():
        for name, _, version in (image.record.partition("@") for image in each.runtime_images):
            if name:
                found.setdefault(name, set()).add(version)
    return found


def _report_unnamed_images(
    release: Release, component: Component, name: str, recorded: str, versions: Iterable[str]
) -> Finding:
    known = join_words(sorted(versions, key=version_key), last="and")
    message = (
        f"found {name} {recorded} recorded, whose default images no runtimeImages of {component.name} "
        f"{component.version} name; known are {known}"
    )
    key = "records" if name in release.records else "components"
    return make_problem("image-record", message, hint=f"add them with record: {name}@{recorded}").to_finding(
        get_release_origin(release, key, name)
    )


def check_related_images(package: Package, uses: Iterable[ImageUse]) -> Iterator[Finding]:
    """Yield images of a bundle's component that its relatedImages lack, each once."""
    listed = {each.get("image") for each in package.csv.body["spec"].get("relatedImages", ())}
    for each in {use.image: use for use in uses if use.image not in listed}.values():
        yield make_problem(
            "image-unrelated",
            f"found {quote_text(each.image)}, which is not in relatedImages of the bundle",
            hint="name it in runtimeImages",
        ).to_finding(each.origin or package.settings.origin, f"{each.use.value}: {each.place}")
