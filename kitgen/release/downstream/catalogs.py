"""ClusterServiceVersions, and catalogs: folders with a version each, or channels of a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kitgen.findings import Origin, Path
from kitgen.kit.foreign_objects import objects_in
from kitgen.kit.manifests import Intake
from kitgen.olm.packages.records import CSV
from kitgen.release.downstream.data import documents, inside, listed, text
from kitgen.release.downstream.records import (
    CatalogEntry,
    Csv,
    DownstreamFile,
    PackageCatalog,
    Record,
    RelatedImage,
)
from kitgen.text.semver import is_version
from kitgen.text.yaml import JsonObject

DEPLOYMENTS = ("spec", "install", "spec", "deployments")
POD = ("spec", "template", "spec")
CONTAINER_IMAGE = ("metadata", "annotations", "containerImage")
RELATED = "RELATED_IMAGE_"
CHANNEL = "olm.channel"
MANIFESTS = "manifests"


def read_csv(file: DownstreamFile, intake: Intake) -> Iterator[Record]:
    """Yield the ClusterServiceVersions of a file."""
    found, wrong = documents(file, intake)
    yield from wrong
    for data, origin in found:
        for each in objects_in(data, origin):
            if text(each.body, "kind") == CSV:
                yield _csv(each.body, each.origin, file)


def _csv(body: JsonObject, origin: Origin, file: DownstreamFile) -> Csv:
    containers = list(_containers(body))
    shown = text(body, *CONTAINER_IMAGE)
    images = [(shown, origin.at(*CONTAINER_IMAGE))] if shown else []
    images += [
        (image, origin.at(*path, "image")) for path, each in containers if (image := text(each, "image"))
    ]
    return Csv(
        origin=origin,
        place=file.place,
        package=text(body, "metadata", "name").partition(".")[0],
        version=text(body, "spec", "version"),
        replaces=text(body, "spec", "replaces"),
        images=tuple(images),
        related=(*_variables(containers, origin), *_listed(body, origin)),
        base=not inside(body, *DEPLOYMENTS),
    )


def _containers(body: JsonObject) -> Iterator[tuple[Path, JsonObject]]:
    for index, deployment in listed(body, *DEPLOYMENTS):
        for kind in ("initContainers", "containers"):
            for number, each in listed(deployment, *POD, kind):
                yield (*DEPLOYMENTS, index, *POD, kind, number), each


def _variables(containers: Iterable[tuple[Path, JsonObject]], origin: Origin) -> Iterator[RelatedImage]:
    for path, container in containers:
        for index, each in listed(container, "env"):
            if (name := text(each, "name")).startswith(RELATED):
                place = origin.at(*path, "env", index)
                yield RelatedImage(name=name, image=text(each, "value"), origin=place)


def _listed(body: JsonObject, origin: Origin) -> Iterator[RelatedImage]:
    """Yield what catalogs mirror: under the names of the variables, in lower case and without their start."""
    for index, each in listed(body, "spec", "relatedImages"):
        name = f"{RELATED}{text(each, 'name').upper().replace('-', '_')}"
        yield RelatedImage(
            name=name, image=text(each, "image"), origin=origin.at("spec", "relatedImages", index)
        )


def read_channels(file: DownstreamFile, intake: Intake) -> Iterator[Record]:
    """Yield the channels of a file-based catalog."""
    found, wrong = documents(file, intake)
    yield from wrong
    for data, origin in found:
        if text(data, "schema") == CHANNEL:
            yield PackageCatalog(
                package=text(data, "package"), origin=origin, entries=tuple(_entries(data, origin))
            )


def _entries(data: JsonObject, origin: Origin) -> Iterator[CatalogEntry]:
    for index, each in listed(data, "entries"):
        version = text(each, "name").partition(".")[2].removeprefix("v")
        yield CatalogEntry(
            version=version, replaces=text(each, "replaces"), origin=origin.at("entries", index)
        )


def catalogs_in(
    folders: Iterable[tuple[str, tuple[str, ...], tuple[str, ...]]], csvs: Iterable[Csv]
) -> Iterator[PackageCatalog]:
    """Yield the packages whose versions have folders, each below the folder that was named.

    A folder is its name, its steps and those of the folder that was named.
    """
    replaces = {each.place.folder: each for each in csvs}
    found: dict[tuple[str, ...], list[CatalogEntry]] = {}
    for name, steps, root in folders:
        if steps[-1:] != (MANIFESTS,) or len(steps) < 3 or not is_version(steps[-2]):
            continue
        package = steps[:-2]
        if len(package) >= len(root):
            csv = replaces.get(steps)
            entry = CatalogEntry(
                version=steps[-2].removeprefix("v"),
                replaces=csv.replaces if csv else "",
                origin=csv.origin.at("spec", "version") if csv else Origin(name),
            )
            found.setdefault(package, []).append(entry)
    for package, entries in found.items():
        yield PackageCatalog(package=package[-1], origin=entries[-1].origin, entries=tuple(entries))
