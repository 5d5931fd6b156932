"""READMEs → the compatibility matrix in them: between its markers, or below a title where there are none."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.load.downstream.records import File, Readme, ReadmeRow, Record
from kitgen.load.manifests import Intake
from kitgen.matrix import END, START, Block, find_block, find_table
from kitgen.matrix.cells import address_of


def read_readme(file: File, _intake: Intake) -> Iterator[Record]:
    """Yield the matrix of a text, or what is wrong with its markers; nothing if it has none."""
    marked = START in file.text or END in file.text
    found = find_block(file.text) if marked else find_table(file.text)
    if isinstance(found, Block):
        yield Readme(origin=file.at(found.start + 1), rows=tuple(_rows(file, found)))
    elif found is not None:
        yield found.at(file.at(found.line or 1))


def _rows(file: File, block: Block) -> Iterator[ReadmeRow]:
    for row in block.rows:
        yield ReadmeRow(
            label=row.label,
            version=row.version,
            address=address_of(row.cell),
            origin=file.at(row.index + 1),
        )
