"""Catalogs, and the ClusterServiceVersions in them: whether their versions are releases, in a row."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Finding, rule
from kitgen.kit.model import Release
from kitgen.release.downstream.reading import Downstream
from kitgen.release.downstream.records import CatalogEntry, Csv, PackageCatalog
from kitgen.release.downstream_rules.terms import ReleaseTerms, held, image_of, same
from kitgen.text.semver import is_version, version_key
from kitgen.text.wording import cut

CATALOG_VERSION = rule("catalog-version")
CATALOG_TAG = rule("catalog-tag")
CATALOG_NEWEST = rule("catalog-newest")
CATALOG_CSV = rule("catalog-csv")


def check_catalogs(terms: ReleaseTerms, found: Downstream) -> Iterator[Finding | str]:
    """Yield what is wrong with catalogs and bundles of what the kit makes bundles of."""
    packages = {each.bundle.package for each in terms.kit.targets.values() if each.bundle}
    for catalog in found.of(PackageCatalog):
        if catalog.package in packages:
            yield from _catalog(terms, catalog)
    for csv in found.of(Csv):
        if csv.base:
            yield f"{csv.origin.file} runs nothing: bundles are made from it, and it is not compared"
        elif csv.package in packages:
            yield from _csv(terms, csv)
        elif not csv.related:
            yield f"{csv.origin.file} is of {cut(csv.package)}, which no target of this kit bundles"


def _catalog(terms: ReleaseTerms, catalog: PackageCatalog) -> Iterator[Finding]:
    entries = [each for each in catalog.entries if is_version(each.version)]
    for entry in entries:
        if terms.release is None or _is_near(entry, terms.release):
            yield from _entry(terms, entry)
    release = terms.release
    if release is None or not release.replaces:
        return
    older = [each for each in entries if version_key(each.version) < version_key(release.name)]
    newest = max(older, key=lambda each: version_key(each.version), default=None)
    if newest is not None and not same(newest.version, release.replaces):
        message = f"found {cut(newest.version)}, but {release.name} replaces {release.replaces}"
        yield CATALOG_NEWEST(message).at(newest.origin)


def _is_near(entry: CatalogEntry, release: Release) -> bool:
    """Tell whether a version is no older than what a release replaces: what came before is past mending."""
    return not release.replaces or version_key(entry.version) >= version_key(release.replaces)


def _entry(terms: ReleaseTerms, entry: CatalogEntry) -> Iterator[Finding]:
    tag = f"v{entry.version}"
    tagged = terms.tags.has(repository := terms.repository(tag), tag)
    if tag not in terms.kit.release_names and not tagged:
        message = f"found {cut(entry.version)}, which is neither a release of the kit nor a known tag"
        yield CATALOG_VERSION(message).at(entry.origin)
    elif tagged is False:
        message = f"found {cut(entry.version)}, whose tag {repository} is not known to have"
        yield CATALOG_TAG(message).at(entry.origin)


def _csv(terms: ReleaseTerms, csv: Csv) -> Iterator[Finding | str]:
    """Hold a ClusterServiceVersion to the release that is asked for, or to its own in a catalog."""
    own = terms.own(csv.version) if is_version(csv.version) else None
    if terms.release is None and own is None:
        yield f"{csv.origin.file} is of {cut(csv.version)}, which this kit has no release of"
        return
    in_catalog = is_version(csv.place.folder[-2]) if len(csv.place.folder) > 1 else False
    release = own if in_catalog or terms.release is None else terms.release
    if release is None:
        return  # another rule tells of a version in a catalog
    if not same(csv.version, release.name):
        yield CATALOG_CSV(held(csv.version, (release.name,))).at(csv.origin.at("spec", "version"))
        return
    replaced = csv.replaces.partition(".")[2]
    if release.replaces and not same(replaced, release.replaces):
        message = f"found {cut(csv.replaces)}, expected {csv.package}.{release.replaces}"
        yield CATALOG_CSV(message).at(csv.origin.at("spec", "replaces"))
    for image, origin in csv.images:
        reference = image_of(image)
        known = terms.image_tag(reference.repository, release)
        if known and reference.tag and reference.tag not in known:
            yield CATALOG_CSV(f"{held(reference.tag, known)} in {cut(image)}").at(origin)
