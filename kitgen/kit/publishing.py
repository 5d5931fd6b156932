"""Build and validate the publishing settings and the compatibility matrix of kit.yaml."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from kitgen.findings import Finding, Origin, suggest_word
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
from kitgen.kit.model.publishing import PublishingStep
from kitgen.kit.ranges import check_range_syntax
from kitgen.text.schema_errors import REFERENCE_MISSING
from kitgen.text.yaml import JsonObject

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
        readmes=_build_list(PublishedReadme, "readmes", data, origin),
        forks=_build_list(PublishedFork, "forks", data, origin),
        updates=_build_list(PublishedUpdate, "updates", data, origin),
    )


def _build_list(kind: type[T], key: str, data: JsonObject, origin: Origin) -> tuple[T, ...]:
    return tuple(kind(**each, origin=origin.at(key, index)) for index, each in enumerate(data.get(key, ())))


def check_publishing(kit: Kit) -> Iterator[Finding]:
    """Yield ranges that cannot be read, of what is published and of the matrix."""
    said = kit.publishing
    published: tuple[PublishingStep, ...] = (*said.images, *said.readmes, *said.forks, *said.updates)
    ranges = [(each.releases, each.origin.at("releases")) for each in published]
    if kit.matrix:
        ranges.append((kit.matrix.plain, kit.matrix.origin.at("plain")))
        for row in kit.matrix.rows:
            ranges += [(wanted, row.origin.at("repository", wanted)) for wanted in row.repositories]
    return check_range_syntax(ranges, REFERENCE_MISSING, 'a range is written such as ">=1.4.0 <1.5.0"')


def build_matrix(data: JsonObject, origin: Origin) -> Matrix:
    """Build the matrix from data that fits its schema."""
    first, second = data.get("widths", (0, 0))
    return Matrix(
        title=data.get("title", "Compatibility Matrix"),
        rows=tuple(
            MatrixRow(
                label=each["label"],
                of=each["of"],
                repositories={"": said} if isinstance(said, str) else said,
                origin=origin.at("rows", index),
            )
            for index, each in enumerate(data["rows"])
            for said in (each.get("repository", {}),)
        ),
        plain=data.get("plain", ""),
        widths=(first, second),
        origin=origin,
    )


def check_component_names(kit: Kit) -> Iterator[Finding]:
    """Yield rows of the matrix, and published images, of what no release has a version of."""
    if len(kit.releases) < len(kit.release_names):
        return  # others may know it
    known = {name for each in kit.releases.values() for name in (*each.components, *each.records)}
    named = [(row.of, row.origin) for row in (kit.matrix.rows if kit.matrix else ())]
    named += [(image.of, image.origin) for image in kit.publishing.images]
    yield from (
        REFERENCE_MISSING(
            f"found no release with a version of {name!r}", hint=suggest_word(name, sorted(known))
        ).to_finding(origin.at("of"))
        for name, origin in named
        if name not in (*known, *kit.versions, ITSELF)
    )
