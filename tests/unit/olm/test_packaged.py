"""The bundles of the kit's targets: held to the same rules, with findings that lead to the specs."""

from __future__ import annotations

import kits
import pytest
from msgspec.structs import replace

from kitgen.kube.manifest import Manifest
from kitgen.olm.bundle import Package, package_of
from kitgen.olm.target_bundles import check_rendered_bundle, to_bundle
from kitgen.workspace.kit import open_kit


@pytest.fixture(scope="module")
def package() -> Package:
    opened = open_kit(kits.PROJECT)
    found = [package_of(opened.plan(each)) for each in opened.kit.targets.values()]
    return next(each for each in found if each is not None)


def with_csv(package: Package, **spec: object) -> Package:
    body = {**package.csv.body, "spec": {**package.csv.body["spec"], **spec}}
    return replace(package, csv=Manifest(body=body, sources=package.csv.sources))


def test_the_own_bundle_has_no_errors(package: Package) -> None:
    assert [each for each in check_rendered_bundle(package, to_bundle(package)) if each.is_blocking] == []


def test_it_is_a_bundle_as_any_other(package: Package) -> None:
    bundle = to_bundle(package)
    assert bundle.csv is package.csv
    assert bundle.channels == package.settings.channels
    assert len(bundle.files) == len(package.manifests)


def test_findings_lead_to_the_specs(package: Package) -> None:
    channels = replace(package, settings=replace(package.settings, channels=("beta",)))
    (finding,) = [
        each
        for each in check_rendered_bundle(channels, to_bundle(channels))
        if each.rule.id == "bundle-channel-name"
    ]
    assert finding.origin == package.settings.origin.at("channels")
    links = with_csv(package, links=[{"name": "a"}])
    (finding,) = [
        each for each in check_rendered_bundle(links, to_bundle(links)) if each.rule.id == "csv-link"
    ]
    listing = package.unit.context.component.listing
    assert listing is not None
    assert finding.origin.file == listing.origin.file
    assert finding.subject == f"ClusterServiceVersion/{package.name} /spec/links/0"


def test_only_what_is_for_the_community_is_held_to_its_rules(package: Package) -> None:
    short = with_csv(package, description="short")
    assert "csv-community" in {each.rule.id for each in check_rendered_bundle(short, to_bundle(short))}
    elsewhere = replace(short, settings=replace(package.settings, community=None))
    assert "csv-community" not in {
        each.rule.id for each in check_rendered_bundle(elsewhere, to_bundle(elsewhere))
    }
