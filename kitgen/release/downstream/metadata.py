"""component_metadata.yaml → what a platform is to show of components.

READMEs → the compatibility matrix in them: between its markers, or below a title where there are none.
"""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.kit.manifests import Intake
from kitgen.release.downstream.data import documents, inside, listed, misshapen, repository_of, text
from kitgen.release.downstream.records import (
    AGAINST_SHAPE,
    ComponentMetadata,
    DownstreamFile,
    MetadataEntry,
    Readme,
    ReadmeRow,
    Record,
)
from kitgen.release.matrix.block import END, START, MatrixBlock, address_of, find_block, find_table

ENTRIES = "a list of releases with name, version and repoUrl"


def read_metadata(file: DownstreamFile, intake: Intake) -> Iterator[Record]:
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
        yield ComponentMetadata(origin=origin, place=file.place, entries=tuple(entries))


def read_readme(file: DownstreamFile, _intake: Intake) -> Iterator[Record]:
    """Yield the matrix of a text, or what is wrong with its markers; nothing if it has none."""
    marked = START in file.text or END in file.text
    found = find_block(file.text) if marked else find_table(file.text)
    if isinstance(found, MatrixBlock):
        yield Readme(origin=file.at(found.start + 1), rows=tuple(_rows(file, found)))
    elif found is not None:
        yield found.at(file.at(found.line or 1))


def _rows(file: DownstreamFile, block: MatrixBlock) -> Iterator[ReadmeRow]:
    for row in block.rows:
        yield ReadmeRow(
            label=row.label,
            version=row.version,
            address=address_of(row.cell),
            origin=file.at(row.index + 1),
        )
