"""ClusterServiceVersions, and catalogs: folders with a version each, or channels of a file.

Their versions are releases, in a row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kitgen.findings import Finding, Origin, problem, rule
from kitgen.kube.pods import containers_of
from kitgen.release.downstream.records import (
    Csv,
    Downstream,
    DownstreamFile,
    NamedVersion,
    PackageCatalog,
    Record,
    WalkedFolder,
    scalar_at,
)
from kitgen.release.downstream.terms import ReleaseTerms, check_tag, held, same
from kitgen.text.semver import is_version, version_key
from kitgen.text.values import entries_at, value_at
from kitgen.text.wording import cut
from kitgen.text.yaml import JsonObject

CATALOG_CSV = rule("catalog-csv")

DEPLOYMENTS = ("spec", "install", "spec", "deployments")
POD = ("spec", "template", "spec")
CONTAINER_IMAGE = ("metadata", "annotations", "containerImage")
RELATED_IMAGES = ("spec", "relatedImages")
RELATED = "RELATED_IMAGE_"
CHANNEL = "olm.channel"
MANIFESTS = "manifests"


def read_csv(body: JsonObject, origin: Origin, file: DownstreamFile) -> Iterator[Record]:
    """Yield a ClusterServiceVersion, with its images and the variables that name others."""
    found = [NamedVersion(value=scalar_at(body, *CONTAINER_IMAGE), origin=origin.at(*CONTAINER_IMAGE))]
    related = []
    for index, deployment in entries_at(body, *DEPLOYMENTS):
        for each in containers_of(value_at(deployment, *POD), (*DEPLOYMENTS, index, *POD)):
            image = scalar_at(each.body, "image")
            found.append(NamedVersion(value=image, origin=origin.at(*each.at("image"))))
            for place, variable in each.variables:
                if (name := scalar_at(variable, "name")).startswith(RELATED):
                    value, at = scalar_at(variable, "value"), origin.at(*each.at("env", place))
                    related.append(NamedVersion(name=name, value=value, origin=at))
    for index, listed in entries_at(body, *RELATED_IMAGES):
        # Catalogs mirror them under the names of the variables, in lower case and without their start.
        name = f"{RELATED}{scalar_at(listed, 'name').upper().replace('-', '_')}"
        image, at = scalar_at(listed, "image"), origin.at(*RELATED_IMAGES, index)
        related.append(NamedVersion(name=name, value=image, origin=at))
    yield Csv(
        origin=origin,
        place=file.place,
        package=scalar_at(body, "metadata", "name").partition(".")[0],
        version=scalar_at(body, "spec", "version"),
        replaces=scalar_at(body, "spec", "replaces"),
        entries=tuple(each for each in found if each.value),
        related=tuple(related),
        base=not value_at(body, *DEPLOYMENTS),
    )


def read_channel(data: JsonObject, origin: Origin, _file: DownstreamFile) -> Iterator[Record]:
    """Yield a channel of a file-based catalog."""
    if scalar_at(data, "schema") == CHANNEL:
        entries = (
            NamedVersion(
                value=scalar_at(each, "name").partition(".")[2].removeprefix("v"),
                origin=origin.at("entries", index),
            )
            for index, each in entries_at(data, "entries")
        )
        yield PackageCatalog(package=scalar_at(data, "package"), origin=origin, entries=tuple(entries))


def catalogs_in(folders: Iterable[WalkedFolder], csvs: Iterable[Csv]) -> Iterator[PackageCatalog]:
    """Yield the packages whose versions have folders, each below the folder that was named."""
    known = {each.place.folder: each for each in csvs}
    found: dict[tuple[str, ...], list[NamedVersion]] = {}
    for folder in folders:
        steps = folder.place.folder
        package = steps[:-2]
        if (
            steps[-1:] == (MANIFESTS,)
            and package
            and len(package) >= len(folder.place.root)
            and is_version(steps[-2])
        ):
            csv = known.get(steps)
            at = csv.origin.at("spec", "version") if csv else Origin(folder.name)
            entry = NamedVersion(value=steps[-2].removeprefix("v"), origin=at)
            found.setdefault(package, []).append(entry)
    for package, entries in found.items():
        yield PackageCatalog(package=package[-1], origin=entries[-1].origin, entries=tuple(entries))


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
    entries = [each for each in catalog.entries if is_version(each.value)]
    release = terms.release
    # What is older than what a release replaces is past mending.
    oldest = version_key(release.replaces) if release and release.replaces else None
    for entry in entries:
        if oldest is None or version_key(entry.value) >= oldest:
            yield from _entry(terms, entry)
    if release is None or not release.replaces:
        return
    older = [each for each in entries if version_key(each.value) < version_key(release.name)]
    newest = max(older, key=lambda each: version_key(each.value), default=None)
    if newest is not None and not same(newest.value, release.replaces):
        message = f"found {cut(newest.value)}, but {release.name} replaces {release.replaces}"
        yield problem("catalog-newest", message).at(newest.origin)


def _entry(terms: ReleaseTerms, entry: NamedVersion) -> Iterator[Finding]:
    tag = f"v{entry.value}"
    tagged = terms.tags.has(repository := terms.repository(tag), tag)
    if tag not in terms.kit.release_names and not tagged:
        message = f"found {cut(entry.value)}, which is neither a release of the kit nor a known tag"
        yield problem("catalog-version", message).at(entry.origin)
    elif tagged is False:
        message = f"found {cut(entry.value)}, whose tag {repository} is not known to have"
        yield problem("catalog-tag", message).at(entry.origin)


def _csv(terms: ReleaseTerms, csv: Csv) -> Iterator[Finding | str]:
    """Validate a ClusterServiceVersion by the release that is asked for, or by its own in a catalog."""
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
    for image in csv.entries:
        yield from check_tag(CATALOG_CSV, image, terms, release)
