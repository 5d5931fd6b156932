"""What the update graph needs to know of a bundle, so that the rest of it need not be kept."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from kitgen.check.bundle.openshift import Versions, parse_versions
from kitgen.check.bundle.terms import annotation, text_of, texts_in
from kitgen.check.index import below, entries
from kitgen.findings import Origin
from kitgen.load.packages import Bundle
from kitgen.load.packages.records import CHANNELS, DEFAULT, OPENSHIFT, PACKAGE
from kitgen.objects import Manifest
from kitgen.yamlio import JsonObject

SKIP_RANGE = "olm.skipRange"

LONGEST_FILE = 255
"""Of the name of a template no more counts: it is a file, and stands before each of its channels."""


class Entry(Struct, frozen=True, kw_only=True):
    """A bundle in the channels of its package."""

    name: str
    """That of its ClusterServiceVersion."""
    version: str = ""
    package: str = ""
    channels: tuple[str, ...] = ()
    default: str = ""
    """The channel that its metadata calls the default."""
    replaces: str = ""
    skips: tuple[str, ...] = ()
    skip_range: str = ""
    openshift: Versions | None = None
    origin: Origin
    """Where its name stands."""
    of_replaces: Origin
    of_skips: Origin
    of_range: Origin
    of_metadata: Origin
    of_package: Origin
    of_default: Origin

    @property
    def operator(self) -> str:
        """Return what its name starts with, which all bundles of a package should share."""
        return self.name.partition(".")[0]


def entry_of(bundle: Bundle) -> Entry | None:
    """Return what the graph needs of a bundle; None if it has no name there."""
    csv = bundle.csv
    name = text_of(below(csv.body, "metadata", "name")) if csv is not None else ""
    if csv is None or not name:
        return None
    notes = bundle.annotations
    said = notes.origin(("annotations",)) if notes is not None else csv.origin(())
    return Entry(
        name=name,
        version=text_of(below(csv.body, "spec", "version")),
        package=text_of(bundle.note(PACKAGE)).strip(),
        channels=bundle.channels,
        default=text_of(bundle.note(DEFAULT)).strip(),
        replaces=text_of(below(csv.body, "spec", "replaces")),
        skips=tuple(texts_in(below(csv.body, "spec", "skips"))),
        skip_range=text_of(annotation(csv, SKIP_RANGE)),
        openshift=parse_versions(text_of(bundle.note(OPENSHIFT))),
        origin=csv.origin(("metadata", "name")),
        of_replaces=csv.origin(("spec", "replaces")),
        of_skips=csv.origin(("spec", "skips")),
        of_range=csv.origin(("metadata", "annotations", SKIP_RANGE)),
        of_metadata=said.at(CHANNELS) if notes is not None else said,
        of_package=said.at(PACKAGE) if notes is not None else said,
        of_default=said.at(DEFAULT) if notes is not None else said,
    )


def released(entry: Entry, release: Manifest | None) -> Iterator[Entry]:
    """Yield a bundle as each catalog template takes it in; none if it goes into no template."""
    if release is None:
        return
    for at, each in entries(release.body, "catalog_templates"):
        yield _as_template(entry, release, at, each)


def _as_template(entry: Entry, release: Manifest, at: int, said: JsonObject) -> Entry:
    template = text_of(said.get("template_name"))[:LONGEST_FILE]
    channels = texts_in(said.get("channels"))
    where = release.origin(("catalog_templates", at))
    return Entry(
        name=entry.name,
        version=entry.version,
        package=entry.package,
        channels=tuple(f"{template}: {each}" for each in dict.fromkeys(channels)),
        replaces=text_of(said.get("replaces")),
        skips=tuple(texts_in(said.get("skips"))),
        skip_range=text_of(said.get("skipRange")),
        openshift=entry.openshift,
        origin=entry.origin,
        of_replaces=where.at("replaces"),
        of_skips=where.at("skips"),
        of_range=where.at("skipRange"),
        of_metadata=where.at("channels"),
        of_package=entry.of_package,
        of_default=where.at("defaultChannel"),
    )
