"""Read an export in blocks of pieces, so that its objects can be shared among processes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kitgen.migrate.exports.reader import split_export
from kitgen.migrate.exports.spool import Spool
from kitgen.migrate.exports.yaml_stream import ExportPiece

SIZE = 1 << 17
"""Characters of a block: some forty objects."""


class ExportBlocks:
    """The blocks of an export by their numbers; reading goes on from the last one, or starts anew."""

    def __init__(self, spool: Spool) -> None:
        """Start before the first."""
        self.spool = spool
        self.known: tuple[int, Sequence[ExportPiece]] = (-1, ())
        """A block whose pieces are known."""
        self._start()

    def __len__(self) -> int:
        return self.spool.size // SIZE + 1

    def _start(self) -> None:
        self._pieces = split_export(self.spool)
        self._next: ExportPiece | None = None
        self._number = self._position = 0
        """The block that is read, and how much was read so far."""

    def read(self, number: int) -> Iterator[ExportPiece]:
        """Yield the pieces of a block; OddExportError, at any time, if all is to be read at once instead."""
        if number < self._number:
            self._start()
        self._number = number + 1
        while (piece := self._next or next(self._pieces, None)) is not None:
            block = min(self._position // SIZE, len(self) - 1)
            self._next = piece if block > number else None
            if self._next:
                return
            self._position += len(piece.text)
            if block == number:
                yield piece

    def find_piece(self, block: int, number: int) -> ExportPiece:
        """Return a piece of a block."""
        if self.known[0] != block:
            self.known = (block, [*self.read(block)])
        return self.known[1][number]
