"""component_metadata.yaml → what a platform is to show of components."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.load.downstream.data import documents, inside, listed, misshapen, repository_of, text
from kitgen.load.downstream.records import AGAINST_SHAPE, File, Metadata, MetadataEntry, Record
from kitgen.load.manifests import Intake

ENTRIES = "a list of releases with name, version and repoUrl"


def read_metadata(file: File, intake: Intake) -> Iterator[Record]:
    """Yield the entries; without any, the platform shows nothing."""
    found, wrong = documents(file, intake)
    yield from wrong
    if not (found or wrong):
        yield AGAINST_SHAPE(f"found nothing, expected {ENTRIES}").at(file.at(1))
    for data, origin in found:
        there = inside(data, "releases")
        if not (there and isinstance(there, list)):
            yield misshapen(data, ("releases",), ENTRIES, origin)
            continue
        entries = [
            MetadataEntry(
                name=text(each, "name"),
                version=text(each, "version"),
                repository=repository_of(text(each, "repoUrl")),
                origin=origin.at("releases", index, "version"),
            )
            for index, each in listed(data, "releases")
        ]
        yield Metadata(origin=origin, place=file.place, entries=tuple(entries))
