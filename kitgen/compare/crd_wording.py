"""Say which differences between schemas the words of `crd diff` tell, so that none is told by nobody."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from kitgen.compare.change import Change
from kitgen.compare.objects.difference import Difference
from kitgen.findings import Path
from kitgen.text.patterns import compile_late

VERSION = compile_late(r"spec\.versions\[([^\]]*)\]\.schema\b")
STEPS = {"items": "[]", "additionalProperties": "{}"}
CHILDREN = ("properties", "required")
"""What a schema says of the fields below it."""


class SchemaPlace(NamedTuple):
    """What a difference in a schema is about."""

    version: str
    field: str
    """As `crd diff` writes it."""
    inside: Path
    """What leads from the field to what is about it: a keyword, and what is in that."""

    @property
    def keyword(self) -> str:
        """Return the keyword; nothing for a field as a whole."""
        return str(self.inside[0]) if self.inside else ""

    @property
    def version_and_field(self) -> tuple[str, str]:
        """Return the version and the field."""
        return self.version, self.field

    @property
    def is_keyword(self) -> bool:
        """Return whether it is about a keyword of the field itself."""
        return self.keyword not in ("", *CHILDREN)


def schema_place_of(difference: Difference) -> SchemaPlace | None:
    """Return what a difference is about, if it is one in a schema."""
    if (match := VERSION.match(difference.field)) is None or difference.path[4:5] != ("openAPIV3Schema",):
        return None
    return SchemaPlace(match[1], *_split_schema_path(difference.path[5:]))


SchemaDetail: TypeAlias = tuple[Difference, SchemaPlace | None]
"""A difference of a CRD, and what it is about if it is one in a schema."""


def select_unmentioned(found: Sequence[SchemaDetail], changes: Iterable[Change]) -> list[Difference]:
    """Return the differences of a CRD that the changes say nothing of.

    A change tells of a field as a whole, or of one keyword of its schema: where there are fewer changes of a
    field than keywords, all of them count as untold.
    """
    told = Counter((place.version, place.path) for each in changes for place in each.places)
    above = {(version, each) for version, path in told for each in list_parent_fields(path)}
    keywords = Counter(place.version_and_field for _, place in found if place and place.is_keyword)

    def is_told(place: SchemaPlace) -> bool:
        if place.is_keyword:
            return told[place.version_and_field] >= keywords[place.version_and_field]
        return place.version_and_field in above or (not place.keyword and told[place.version_and_field] > 0)

    return [each for each, place in found if not (place and is_told(place))]


@lru_cache(maxsize=4096)
def list_parent_fields(path: str) -> tuple[str, ...]:
    """Return the fields that a field is in, the nearest first."""
    found = []
    while path:
        path = path[: max(path.rfind("."), path.rfind("["), path.rfind("{"), 0)]
        found.append(path)
    return tuple(found)


@lru_cache(maxsize=4096)
def _split_schema_path(path: Path) -> tuple[str, Path]:
    """Return the field that a place in a schema is about, as `crd diff` writes it, and what is inside."""
    field, at = "", 0
    while at < len(path):
        if (step := path[at]) == "properties" and at + 1 < len(path):
            field += f".{path[at + 1]}"
            at += 2
        elif step in STEPS:
            field += STEPS[str(step)]
            at += 1
        else:
            break
    return field, path[at:]
