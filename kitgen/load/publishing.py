"""What kit.yaml says of publishing → model, and what of it leads nowhere."""

from __future__ import annotations

from collections.abc import Iterator

from kitgen.findings import Finding, Origin
from kitgen.model import Kit, PublishedCatalog, PublishedImage, PublishedReadme, Publishing
from kitgen.schema.rules import REFERENCE_MISSING
from kitgen.semver import in_range
from kitgen.yamlio import JsonObject


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
        readmes=tuple(
            PublishedReadme(**each, origin=origin.at("readmes", index))
            for index, each in enumerate(data.get("readmes", ()))
        ),
    )


def check_publishing(kit: Kit) -> Iterator[Finding]:
    """Yield ranges that cannot be read."""
    ranges = [(each.releases, each.origin) for each in kit.publishing.images]
    ranges += [(each.releases, each.origin) for each in kit.publishing.readmes]
    for wanted, origin in ranges:
        try:
            in_range("v1.0.0", wanted)
        except ValueError as error:
            hint = 'a range is written such as ">=1.4.0 <1.5.0"'
            yield REFERENCE_MISSING(str(error), hint=hint).at(origin.at("releases"))
