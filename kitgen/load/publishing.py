"""What kit.yaml says of publishing → model, and what of it leads nowhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from kitgen.findings import Finding, Origin
from kitgen.model import (
    Kit,
    PublishedCatalog,
    PublishedFork,
    PublishedImage,
    PublishedReadme,
    PublishedUpdate,
    Publishing,
)
from kitgen.schema.rules import REFERENCE_MISSING
from kitgen.semver import in_range
from kitgen.yamlio import JsonObject

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
            hint = 'a range is written such as ">=1.4.0 <1.5.0"'
            yield REFERENCE_MISSING(str(error), hint=hint).at(each.origin.at("releases"))
