"""Check the bundles that targets render: the rules of any bundle, with findings that lead to the specs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from kitgen.findings import Cause, CauseKind, Finding, Origin, Path, Severity
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.text.yaml import JsonObject

if TYPE_CHECKING:
    from kitgen.olm.bundle import Package
    from kitgen.olm.packages.records import Bundle
    from kitgen.render.plan import TargetPlan

CAUSE = Cause(CauseKind.BUNDLE)


def check_packages(plans: Iterable[TargetPlan]) -> Iterator[Finding]:
    """Yield what is wrong with the bundle of each plan that has one; objects are checked with all others."""
    from kitgen.olm.bundle import package_of

    for plan in plans:
        if (package := package_of(plan)) is not None:
            bundle = to_bundle(package)
            yield from check_rendered_bundle(package, bundle)
            yield from _check_varied_objects(plan, package, bundle)


def check_rendered_bundle(package: Package, bundle: Bundle) -> list[Finding]:
    """Return what is wrong with one rendered bundle, for whoever it is made for.

    A target that says something of the community's catalog is held to what that asks for, any other to what
    operator-sdk does. Where catalogs are named, these say the channels. An example of the kit's own has no
    excuse: that it does not fit is an error.
    """
    from kitgen.olm.rules.engine import check_bundle, check_package
    from kitgen.olm.rules.examples import CSV_EXAMPLE_INVALID
    from kitgen.olm.rules.fields import CSV_KUBE_VERSION_MISSING
    from kitgen.olm.rules.graph import build_entry
    from kitgen.olm.rules.profiles import Profile, apply_profile
    from kitgen.olm.rules.terms import BundleTerms

    community = package.settings.community
    terms = BundleTerms(from_catalog=community is not None and bool(community.catalogs))
    entries = [entry for entry in (build_entry(bundle),) if entry is not None]
    found = [
        *check_bundle(bundle, terms, objects=False),
        *check_package(None, package.settings.package, entries),
    ]
    profile = Profile.COMMUNITY if community is not None else Profile.OPERATORHUB
    return [
        replace(each, graded=Severity.ERROR) if each.rule is CSV_EXAMPLE_INVALID else each
        for each in apply_profile(profile, found)
        # A target that leaves it out means to.
        if each.rule is not CSV_KUBE_VERSION_MISSING or package.settings.min_kube_version
    ]


def _check_varied_objects(plan: TargetPlan, package: Package, bundle: Bundle) -> list[Finding]:
    """Return what is wrong with the objects of a bundle that has other settings than its target."""
    from kitgen.olm.rules.objects import check_objects

    if any(each is package.unit for each in plan.units):
        return []
    known = {each.id: each.body for unit in plan.units for each in unit.final}
    other = tuple(each for each in bundle.objects if known.get(each.id) != each.body)
    return check_objects(replace(bundle, objects=other), ())


def to_bundle(package: Package) -> Bundle:
    """Return a rendered bundle as any other; every part of it leads to the spec that says it."""
    from kitgen.olm.bundle_files import render_manifest_files
    from kitgen.olm.packages.contents import packed_size
    from kitgen.olm.packages.records import Bundle, PackageFile

    return Bundle(
        origin=package.settings.origin,
        files=tuple(
            PackageFile(path=path, size=packed_size(text))
            for path, text in render_manifest_files(package).items()
        ),
        objects=package.manifests,
        examples=tuple(_to_manifest(body, origin) for origin, body in package.examples),
        annotations=_build_annotations(package),
        rendered=True,
    )


def _build_annotations(package: Package) -> Manifest:
    """Return what the metadata says, each part with the key of the target that it is made from."""
    from kitgen.kit.bundle_settings import OPENSHIFT
    from kitgen.olm.bundle_files import build_annotations
    from kitgen.olm.packages.records import CHANNELS, DEFAULT, PACKAGE

    origin = package.settings.origin
    keys = {CHANNELS: "channels", DEFAULT: "defaultChannel", PACKAGE: "package", OPENSHIFT: "openshift"}
    places: dict[str, Path] = {key: (name,) for key, name in keys.items()}
    places |= {key: ("annotations", key) for key in package.settings.annotations}
    sources = (
        FieldSource(path=("annotations", key), cause=CAUSE, origin=origin.at(*path))
        for key, path in places.items()
    )
    whole = FieldSource(path=(), cause=CAUSE, origin=origin)
    return Manifest(body={"annotations": build_annotations(package)}, sources=(whole, *sources))


def _to_manifest(body: JsonObject, origin: Origin) -> Manifest:
    return Manifest(body=body, sources=(FieldSource(path=(), cause=CAUSE, origin=origin, verbatim=True),))
