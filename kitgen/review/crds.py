"""Changes of CRDs, as `kitgen crd diff` tells them, each with the differences that it is made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from kitgen.check.upgrade.crds import Crds
from kitgen.check.upgrade.spots import place_of
from kitgen.diff.change import Change, Place
from kitgen.diff.objects import Difference
from kitgen.diff.objects.saying import both_said
from kitgen.diff.telling import place_of as schema_place
from kitgen.diff.telling import untold, upwards
from kitgen.findings import Path
from kitgen.model.moves import NO_MOVES, DeclaredMoves
from kitgen.review.rules import SCHEMA_DETAIL

Told = dict[int, list[Difference]]
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


def changes_of(old: Crds, new: Crds, moves: DeclaredMoves = NO_MOVES) -> tuple[Change, ...]:
    """Return what changes between two sets of CRDs."""
    if not (old or new):
        return ()
    from kitgen.diff.crds.compare import compare  # most comparisons need none of it

    return compare(old.values(), new.values(), moves)


def assigned(changes: tuple[Change, ...], differences: Iterable[Difference]) -> tuple[Told, list[Difference]]:
    """Return which change tells of which differences of a CRD, and those that none does."""
    listed = list(differences)
    loose = {id(each) for each in untold(listed, [each for each in changes if each.versions])}
    at: dict[tuple[str, str, str], int] = {}
    for index, change in enumerate(changes):
        for place in change.places:
            at.setdefault((place.object, place.version, place.path), index)
    told: Told = {}
    left: list[Difference] = []
    for each in listed:
        found = _schema(each, at) if id(each) not in loose else _other(each, changes)
        if found is None:
            left.append(each)
        else:
            told.setdefault(found, []).append(each)
    return told, left


def _schema(difference: Difference, at: Mapping[tuple[str, str, str], int]) -> int | None:
    place = schema_place(difference)
    if place is None:
        return None
    name = difference.object.name
    below = ((key, index) for key, index in at.items() if key[:2] == (name, place.version))
    for path in (place.field, *upwards(place.field)):
        if (name, place.version, path) in at:
            return at[name, place.version, path]
    # A map of fields, or the list of those that are required, is told field by field.
    return next((index for key, index in below if key[2].startswith(place.field)), None)


def _other(difference: Difference, changes: tuple[Change, ...]) -> int | None:
    """Return the change that is about a place outside of schemas."""
    if schema_place(difference):
        return None
    words = [word for key, word in TOPICS.items() if key in difference.field]
    name, version = difference.object.name, _version(difference.field)
    for index, change in enumerate(changes):
        first = change.places[0]
        if first.object != name or first.path:
            continue
        whole = version and (version in (change.detail, first.version)) and not words
        if whole or any(word in change.rule.id for word in words):
            return index
    return None


def _version(field: str) -> str:
    return field.partition("spec.versions[")[2].partition("]")[0]


def detail(difference: Difference) -> Change:
    """Return a change that no rule has a word for: a detail of a schema."""
    place = schema_place(difference)
    now, was = both_said(difference)
    keyword = (place.keyword or place.field) if place else difference.field
    where = (
        Place(difference.object.name, place.version, place.field) if place else Place(difference.object.name)
    )
    return Change(
        rule=SCHEMA_DETAIL,
        risk=SCHEMA_DETAIL.risk,
        message=f"{keyword} was {was}, now {now}",
        reason=SCHEMA_DETAIL.reason,
        felt_by=SCHEMA_DETAIL.felt_by,
        places=(where,),
    )


def places(change: Change, new: Crds) -> Iterator[tuple[str, Path]]:
    """Yield the CRDs that a change is in, each once with the first place there."""
    seen: dict[str, Place] = {}
    for place in change.places:
        seen.setdefault(place.object, place)
    for name, place in seen.items():
        yield name, place_of(place, new[name]) if name in new else ()
