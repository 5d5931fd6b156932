"""The matrix of kit.yaml → model, and what of it leads nowhere."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Finding, Origin
from kitgen.model import Kit, Matrix, MatrixRow
from kitgen.schema.rules import REFERENCE_MISSING
from kitgen.semver import in_range
from kitgen.yamlio import Json, JsonObject


def build_matrix(data: JsonObject, origin: Origin) -> Matrix:
    """Build the matrix from data that fits its schema."""
    first, second = data.get("widths", (0, 0))
    return Matrix(
        title=data.get("title", "Compatibility Matrix"),
        rows=tuple(_row(each, origin.at("rows", index)) for index, each in enumerate(data["rows"])),
        plain=data.get("plain", ""),
        widths=(first, second),
        origin=origin,
    )


def _row(data: JsonObject, origin: Origin) -> MatrixRow:
    said: Json = data.get("repository", {})
    return MatrixRow(
        label=data["label"],
        of=data["of"],
        repositories={"": said} if isinstance(said, str) else said,
        origin=origin,
    )


def check_matrix(kit: Kit) -> Iterator[Finding]:
    """Yield ranges that cannot be read."""
    if kit.matrix is None:
        return
    ranges = [(kit.matrix.plain, kit.matrix.origin.at("plain"))]
    ranges += [
        (wanted, row.origin.at("repository", wanted))
        for row in kit.matrix.rows
        for wanted in row.repositories
    ]
    for wanted, origin in ranges:
        try:
            in_range("v1.0.0", wanted)
        except ValueError as error:
            yield REFERENCE_MISSING(str(error), hint='a range is written such as ">=1.4.0 <1.5.0"').at(origin)
