"""What kit.yaml says of publishing → model, and what of it leads nowhere.

The matrix of kit.yaml → model, and what of it leads nowhere.

What kit.yaml shows and publishes versions of: something that a release has, or the kit can build.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from kitgen.findings import Finding, Origin, near
from kitgen.kit.model import (
    ITSELF,
    Kit,
    Matrix,
    MatrixRow,
    PublishedCatalog,
    PublishedFork,
    PublishedImage,
    PublishedReadme,
    PublishedUpdate,
    Publishing,
)
from kitgen.text.schema_errors import REFERENCE_MISSING
from kitgen.text.semver import in_range
from kitgen.text.yaml import Json, JsonObject

T = TypeVar("T", PublishedReadme, PublishedFork, PublishedUpdate)


def build_publishing(data: JsonObject, origin: Origin) -> Publishing:
    """Build it from data that fits its schema."""
    catalog = data.get("catalog")
    return Publishing(
        images=tuple(
            PublishedImage(
                **{**each, "moving": tuple(each.get("moving", ()))}, origin=origin.at("images", index)
            )
            for index, each in enumerate(data.get("images", ()))
        ),
        catalog=PublishedCatalog(**{"fork": catalog["repository"], **catalog}, origin=origin.at("catalog"))
        if catalog
        else None,
        announce=tuple(data.get("announce", ())),
        readmes=_each(PublishedReadme, "readmes", data, origin),
        forks=_each(PublishedFork, "forks", data, origin),
        updates=_each(PublishedUpdate, "updates", data, origin),
    )


def _each(kind: type[T], key: str, data: JsonObject, origin: Origin) -> tuple[T, ...]:
    return tuple(kind(**each, origin=origin.at(key, index)) for index, each in enumerate(data.get(key, ())))


def check_publishing(kit: Kit) -> Iterator[Finding]:
    """Yield ranges that cannot be read."""
    said = kit.publishing
    ranged: list[PublishedImage | PublishedReadme | PublishedFork | PublishedUpdate] = [*said.images]
    ranged += (*said.readmes, *said.forks, *said.updates)
    for each in ranged:
        try:
            in_range("v1.0.0", each.releases)
        except ValueError as error:
            yield REFERENCE_MISSING(str(error), hint='a range is written such as ">=1.4.0 <1.5.0"').at(
                each.origin.at("releases")
            )


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


def check_named(kit: Kit) -> Iterator[Finding]:
    """Yield rows of the matrix, and published images, of what no release has a version of."""
    if len(kit.releases) < len(kit.release_names):
        return  # others may know it
    known = {name for each in kit.releases.values() for name in (*each.components, *each.records)}
    for name, origin in _named(kit):
        if name not in known and name not in kit.versions:
            yield REFERENCE_MISSING(
                f"found no release with a version of {name!r}", hint=near(name, sorted(known))
            ).at(origin)


def _named(kit: Kit) -> Iterator[tuple[str, Origin]]:
    rows = kit.matrix.rows if kit.matrix else ()
    named = [(row.of, row.origin) for row in rows]
    named += [(image.of, image.origin) for image in kit.publishing.images]
    yield from ((name, origin.at("of")) for name, origin in named if name != ITSELF)
