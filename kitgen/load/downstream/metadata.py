"""component_metadata.yaml → what a platform is to show of components."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.load.downstream.data import documents, inside, listed, misshapen, repository_of, text
from kitgen.load.downstream.records import File, Metadata, MetadataEntry, Record
from kitgen.load.manifests import Intake


def read_metadata(file: File, intake: Intake) -> Iterator[Record]:
    """Yield the entries; those without a version are left out, as the platform does."""
    found, wrong = documents(file, intake)
    yield from wrong
    for data, origin in found:
        if not isinstance(inside(data, "releases"), list):
            yield misshapen(data, ("releases",), "a list of name, version and repoUrl", origin)
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
