"""ClusterServiceVersions: one of the kit's has the version of a release, what it replaces, its images."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Finding, Origin, Path, get_rule
from kitgen.kit.foreign_objects import objects_in
from kitgen.kit.model import Release
from kitgen.kube.pods import containers_of
from kitgen.olm.packages.records import CSV
from kitgen.release.downstream.records import (
    Csv,
    Downstream,
    DownstreamFile,
    NamedVersion,
    Record,
    scalar_at,
)
from kitgen.release.downstream.terms import ReleaseTerms, describe_mismatch, is_same_version, parse_image
from kitgen.release.publishing import compute_tag
from kitgen.text.semver import is_in_range, is_version
from kitgen.text.values import entries_at, text_at, value_at
from kitgen.text.wording import quote_text
from kitgen.text.yaml import JsonObject

CATALOG_CSV = get_rule("catalog-csv")

DEPLOYMENTS = ("spec", "install", "spec", "deployments")
POD = ("spec", "template", "spec")
CONTAINER_IMAGE = ("metadata", "annotations", "containerImage")


def read_csvs(data: JsonObject, origin: Origin, file: DownstreamFile) -> Iterator[Record]:
    """Yield the ClusterServiceVersions of a document, out of lists too, with their images."""
    for each in objects_in(data, origin):
        if text_at(each.body, "kind").strip() != CSV:
            continue
        images: list[tuple[Path, str]] = [(CONTAINER_IMAGE, scalar_at(each.body, *CONTAINER_IMAGE))]
        for index, deployment in entries_at(each.body, *DEPLOYMENTS):
            containers = containers_of(value_at(deployment, *POD), (*DEPLOYMENTS, index, *POD))
            images += [(one.path_to("image"), scalar_at(one.body, "image")) for one in containers]
        yield Csv(
            origin=each.origin,
            place=file.place,
            package=scalar_at(each.body, "metadata", "name").partition(".")[0],
            version=scalar_at(each.body, "spec", "version"),
            replaces=scalar_at(each.body, "spec", "replaces"),
            entries=tuple(
                NamedVersion(value=image, origin=each.origin.at(*path)) for path, image in images if image
            ),
            base=not value_at(each.body, *DEPLOYMENTS),
        )


def check_csvs(terms: ReleaseTerms, found: Downstream) -> Iterator[Finding | str]:
    """Yield what is wrong with the bundles of what the kit makes bundles of."""
    packages = {each.bundle.package for each in terms.kit.targets.values() if each.bundle}
    for csv in found.records_of(Csv):
        if csv.base:
            yield f"{csv.origin.file} runs nothing: bundles are made from it, and it is not compared"
        elif csv.package in packages:
            yield from _check_csv(terms, csv)
        else:
            yield f"{csv.origin.file} is of {quote_text(csv.package)}, which no target of this kit bundles"


def _check_csv(terms: ReleaseTerms, csv: Csv) -> Iterator[Finding | str]:
    """Validate a ClusterServiceVersion by the release that is asked for, or by its own in a catalog."""
    own = terms.find_release(csv.version) if is_version(csv.version) else None
    in_catalog = len(csv.place.folder) > 1 and is_version(csv.place.folder[-2])
    if (release := own if in_catalog or terms.release is None else terms.release) is None:
        yield f"{csv.origin.file} is of {quote_text(csv.version)}, which this kit has no release of"
    elif not is_same_version(csv.version, release.name):
        yield CATALOG_CSV(describe_mismatch(csv.version, (release.name,))).to_finding(
            csv.origin.at("spec", "version")
        )
    else:
        if release.replaces and not is_same_version(csv.replaces.partition(".")[2], release.replaces):
            message = f"found {quote_text(csv.replaces)}, expected {csv.package}.{release.replaces}"
            yield CATALOG_CSV(message).to_finding(csv.origin.at("spec", "replaces"))
        for image in csv.entries:
            reference = parse_image(image.value)
            known = _tags_of_image(terms, reference.repository, release)
            if known and reference.tag and reference.tag not in known:
                message = f"{describe_mismatch(reference.tag, known)} in {quote_text(image.value)}"
                yield CATALOG_CSV(message).to_finding(image.origin)


def _tags_of_image(terms: ReleaseTerms, repository: str, release: Release) -> tuple[str, ...]:
    """Return the tags that an image has in a release; none if it does not come out with it."""
    for image in terms.kit.publishing.images:
        fits = parse_image(image.image).repository == repository and is_in_range(release.name, image.releases)
        if fits and (known := terms.list_versions(image.of, release)):
            return tuple(compute_tag(image, each).value for each in known)
    return ()
