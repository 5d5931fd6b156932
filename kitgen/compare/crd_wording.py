"""Say which differences between schemas the words of `crd diff` tell, so that none is told by nobody."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

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
    keyword: str
    """Empty for a field as a whole."""

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


def select_unmentioned(differences: Iterable[Difference], changes: Iterable[Change]) -> list[Difference]:
    """Return the differences of a CRD that the changes say nothing of.

    A change tells of a field as a whole, or of one keyword of its schema: where there are fewer changes of a
    field than keywords, all of them count as untold.
    """
    told = Counter((place.version, place.path) for each in changes for place in each.places)
    above = {(version, each) for version, path in told for each in list_parent_fields(path)}
    found = [(each, schema_place_of(each)) for each in differences]
    keywords = Counter(place.version_and_field for _, place in found if place and place.is_keyword)

    def is_told(place: SchemaPlace) -> bool:
        if place.is_keyword:
            return told[place.version_and_field] >= keywords[place.version_and_field]
        return place.version_and_field in above or (not place.keyword and told[place.version_and_field] > 0)

    return [each for each, place in found if not (place and is_told(place))]


def list_parent_fields(path: str) -> Iterator[str]:
    """Yield the fields that a field is in, the nearest first."""
    while path:
        path = path[: max(path.rfind("."), path.rfind("["), path.rfind("{"), 0)]
        yield path


def _split_schema_path(path: Path) -> tuple[str, str]:
    """Return the field that a place in a schema is about, as `crd diff` writes it, and the keyword."""
    field, rest = "", list(path)
    while rest:
        if (step := rest.pop(0)) == "properties" and rest:
            field += f".{rest.pop(0)}"
        elif step in STEPS:
            field += STEPS[str(step)]
        else:
            return field, str(step)
    return field, ""
