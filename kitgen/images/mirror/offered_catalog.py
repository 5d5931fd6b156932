"""Which catalog offers the bundle of a target, so that it goes into a mirror too."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from kitgen.findings import Finding, make_problem
from kitgen.findings.errors import UsageError
from kitgen.images.mirror.image_set import INDEXES, OfferedBundle, choose_catalog_name
from kitgen.images.mirror.places import MirrorPlace
from kitgen.kit.model import BundleSettings, TargetCatalog
from kitgen.kube.image_reference import parse_reference_or_error
from kitgen.olm.bundle import Package, package_of
from kitgen.olm.rules.versions import APART, format_openshift, parse_openshift_versions
from kitgen.render.plan import TargetPlan


class CatalogImage(Struct, frozen=True, kw_only=True):
    """The image of a catalog, as it is rendered."""

    image: str = ""
    """Empty if nobody knows it, or there is no bundle."""
    openshift: str = ""
    """The version of OpenShift that it was chosen for, if nobody named the image."""


def resolve_catalog_image(said: str, plan: TargetPlan, minors: Iterable[int]) -> CatalogImage:
    """Return the catalog that offers the bundle: what is said, what `install` names, or OpenShift's own."""
    package = package_of(plan)
    if said:
        if package is None:
            raise UsageError(f"--catalog: target {plan.target.name} has no OLM bundle in {plan.release.name}")
        if isinstance(wrong := parse_reference_or_error(said), str):
            raise UsageError(f"--catalog: {wrong}")
    if package is None:
        return CatalogImage()
    catalog = plan.target.install.catalog if plan.target.install else TargetCatalog()
    image, openshift = said or catalog.image, ""
    if not image and catalog.name in INDEXES:
        openshift = _find_newest_openshift(package.settings, minors)
        image = f"{INDEXES[catalog.name]}:v{openshift}"
    return CatalogImage(image=package.unit.context.renames.get(image, image), openshift=openshift)


def _find_newest_openshift(bundle: BundleSettings, minors: Iterable[int]) -> str:
    """Return the newest version of OpenShift that a bundle is for, as the target says it, or the kit."""
    catalogs = bundle.community.catalogs if bundle.community else ()
    if catalogs:
        return max((each.removeprefix("v") for each in catalogs), key=lambda each: int(each.split(".")[1]))
    newest = max(minors) - APART
    if (versions := parse_openshift_versions(bundle.openshift or "")) and versions.last is not None:
        newest = min(newest, versions.last)
    return format_openshift(max(newest, versions.first) if versions else newest)


def report_missing_catalog(package: Package) -> Finding:
    """Return the finding of a bundle that no known catalog offers."""
    return make_problem(
        "mirror-catalog",
        f"found no image of the catalog that offers {package.settings.package}, so none is mirrored",
        hint="--catalog IMAGE names it",
    ).to_finding(package.settings.origin)


def find_offered_bundle(
    plan: TargetPlan, catalog: CatalogImage, places: Iterable[MirrorPlace]
) -> OfferedBundle | None:
    """Return the bundle as its catalog offers it; None if that is not mirrored."""
    found = next((each for each in places if catalog.image in each.names), None)
    package = package_of(plan)
    if found is None or package is None:
        return None
    install = plan.target.install
    said = install.catalog if install else None
    return OfferedBundle(
        package=package,
        catalog=found,
        openshift=catalog.openshift,
        name=choose_catalog_name(found, said),
        namespace=(said or TargetCatalog()).namespace,
        channel=(install.channel if install else "") or package.settings.channels[0],
        rendered=bool(said and said.image),
    )
