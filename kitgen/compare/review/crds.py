"""Changes of CRDs, as `kitgen crd diff` tells them, each with the differences that it is made of."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from msgspec.structs import replace

from kitgen.compare.change import Change, ChangePlace, build_change
from kitgen.compare.crd_match import Crds
from kitgen.compare.crd_wording import SchemaDetail, SchemaPlace, list_parent_fields, select_unmentioned
from kitgen.compare.crd_wording import schema_place_of as schema_place
from kitgen.compare.objects.difference import Difference, find_name_beside, format_sides, is_deep
from kitgen.compare.upgrade.crds import index_versions, locate_place
from kitgen.findings import Path
from kitgen.kit.model.moves import NO_MOVES, DeclaredMoves

Numbered: TypeAlias = Mapping[str, Mapping[str, int]]
"""CRD → version → its place in the list."""
Told: TypeAlias = Mapping[int, list[Difference]]
"""Index of a change → the differences that it tells of."""
TOPICS = {
    "additionalPrinterColumns": "column",
    "categories": "category",
    "conversion": "conversion",
    "metadata.name": "crd-moved",
    "names": "name",
    "scope": "scope",
    "shortNames": "short-name",
    "spec.group": "crd-moved",
    "subresources": "subresource",
}
"""Field of a CRD → a word in the ids of the rules that are about it."""


def find_crd_changes(old: Crds, new: Crds, moves: DeclaredMoves = NO_MOVES) -> tuple[Change, ...]:
    """Return what changes between two sets of CRDs."""
    if not (old or new):
        return ()
    from kitgen.compare.crds.compare import compare_crds  # most comparisons need none of it

    return compare_crds(old.values(), new.values(), moves)


def assign_differences(
    changes: Sequence[Change], differences: Iterable[Difference]
) -> tuple[Told, list[SchemaDetail]]:
    """Return which change tells of which differences of a CRD, and those that none does."""
    listed = [(each, schema_place(each)) for each in differences]
    loose = {id(each) for each in select_unmentioned(listed, [each for each in changes if each.versions])}
    index = _ChangeIndex(changes)
    told: dict[int, list[Difference]] = {}
    left: list[SchemaDetail] = []
    for each, place in listed:
        meant = (place is None) is (id(each) in loose)
        if meant and (number := index.find_change(each, place)) is not None:
            told.setdefault(number, []).append(each)
        else:
            left.append((each, place))
    return told, left


class _ChangeIndex:
    """Changes by place in schemas and by what that is below, by version and by topic; the first counts."""

    def __init__(self, changes: Sequence[Change]) -> None:
        numbered = [*enumerate(changes)][::-1]  # so that the first is set last
        self._at = {
            (place.object, place.version, place.path): index
            for index, change in numbered
            for place in change.places
        }
        self._below = {
            (place.object, place.version, above): index
            for index, change in numbered
            for place in change.places
            for above in list_parent_fields(place.path)
        }
        whole = [(index, change) for index, change in numbered if not change.path]
        self._versions = {
            (change.object, version): index
            for index, change in whole
            for version in (change.detail, change.places[0].version)
        }
        self._topics = {
            (change.object, word): index
            for index, change in whole
            for word in TOPICS.values()
            if word in change.rule.id
        }

    def find_change(self, difference: Difference, place: SchemaPlace | None) -> int | None:
        """Return the change that tells of a difference, in a schema or outside of any."""
        name = difference.object.name
        if place is not None:
            fields = (place.field, *list_parent_fields(place.field))
            found = (self._at.get((name, place.version, field)) for field in fields)
            # A map of fields, or the list of those that are required, is told field by field.
            below = self._below.get((name, place.version, place.field))
            return next((each for each in found if each is not None), below)
        if words := [word for key, word in TOPICS.items() if key in difference.field]:
            known = (self._topics.get((name, word)) for word in words)
            return min((each for each in known if each is not None), default=None)
        version = difference.field.partition("spec.versions[")[2].partition("]")[0]
        return self._versions.get((name, version)) if version else None


def group_details(details: Iterable[SchemaDetail]) -> Iterator[tuple[Change, list[Difference]]]:
    """Yield what no rule has a word for, details of schemas, as changes: those that read alike are one."""
    said: dict[Hashable, str] = {}
    groups: dict[str, list[SchemaDetail]] = {}
    for each, place in details:
        # A type is shown alike wherever it stands: no field above hides a keyword.
        about = (place.inside or place.field) if place else each.field
        key = (about, id(each.left), id(each.right), find_name_beside(each.field), is_deep(each))
        if key not in said:
            now, was = format_sides(each)
            keyword = (place.keyword or place.field) if place else each.field
            said[key] = f"{keyword} was {was}, now {now}"
        groups.setdefault(said[key], []).append((each, place))
    for message, some in groups.items():
        places = dict.fromkeys(
            ChangePlace(each.object.name, *(place.version_and_field if place else ())) for each, place in some
        )
        change = build_change(next(iter(places)), "schema-detail", message)
        yield replace(change, places=tuple(places)), [each for each, _ in some]


def index_crd_versions(crds: Crds) -> Numbered:
    """Return the places of all versions of CRDs."""
    return {name: index_versions(body) for name, body in crds.items()}


def locate_in_crds(change: Change, new: Crds, numbers: Numbered) -> Iterator[tuple[str, Path]]:
    """Yield the CRDs that a change is in, each once with the first place there."""
    first = {place.object: place for place in reversed(change.places)}
    for name, place in reversed(first.items()):
        yield name, locate_place(place, new[name], numbers[name]) if name in new else ()
