"""A difference: an object, a place in it, and what the two sides have there.

`ObjectPlace` is where a comparison stands; its name is put together only if there is a difference.
`format_sides` writes what the two sides have in few words, without what may be a secret.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from kitgen.findings import Path, Step
from kitgen.kube.identity import ObjectId
from kitgen.kube.manifest import existing_value
from kitgen.kube.merge_keys import DefinitionField
from kitgen.text.credentials import HIDDEN
from kitgen.text.patterns import compile_late
from kitgen.text.secrets import redact_value
from kitgen.text.wording import quote_text
from kitgen.text.yaml import Json, JsonObject


class AbsentValue(Enum):
    """Stands for a value that is not there."""

    ABSENT = "absent"


ABSENT = AbsentValue.ABSENT
Found: TypeAlias = Json | AbsentValue
"""A value, or that there is none."""


class Difference(Struct, frozen=True, kw_only=True):
    """One thing that is not the same on both sides."""

    object: ObjectId
    """As the side has it that has the object; as the left one does where both have it."""
    field: str = ""
    """The place in words: items of lists by their names, permissions by their resource; empty for the whole
    object."""
    path: Path = ()
    """The place in the left object, or where it would be; what is inside a text goes on below that text."""
    left: Found
    right: Found
    order: bool = False
    """Both have the same items, in another order."""
    equal: bool = False
    """Both have the same amount, written otherwise."""


def find_value(body: Json, path: Path) -> Found:
    """Return the value at a path, or that there is none."""
    try:
        return existing_value(body, path)
    except KeyError:
        return ABSENT


class ObjectPlace(Struct, frozen=True):
    """A place in two objects. Most are never told of, so what it is called is put together late."""

    above: ObjectPlace | None = None
    step: Step | None = None
    """What leads to it in the left object; None for an item that the left one does not have."""
    name: str = ""
    """What it is called, if that is not its key."""
    type: DefinitionField | None = None
    """How Kubernetes defines the place, where it does."""
    plain: bool = False
    """Whether nothing but the values counts here: no list is known to have an order that means nothing."""

    def below(self, key: str) -> ObjectPlace:
        """Return a field of the place."""
        return ObjectPlace(self, key, "", self.type.get_field(key) if self.type else None, self.plain)

    def item(self, index: int, name: str) -> ObjectPlace:
        """Return an item of a list, by its index on the left, below 0 if it is not there, and its name."""
        below = self.type.item if self.type else None
        return ObjectPlace(self, index if index >= 0 else None, name, below, self.plain)

    @property
    def places_from_root(self) -> list[ObjectPlace]:
        """Return the places that lead here from the whole object, this one last."""
        found, spot = [], self
        while spot.above is not None:
            found.append(spot)
            spot = spot.above
        return found[::-1]

    @property
    def path(self) -> Path:
        """Return the place in the left object, or the nearest thing above it that can be there."""
        steps: list[Step] = []
        for spot in self.places_from_root:
            if spot.step is None:
                break
            steps.append(spot.step)
        return tuple(steps)

    @property
    def words(self) -> str:
        """Return the place in words that go on behind others."""
        return "".join(
            f"[{spot.name}]" if spot.name or not isinstance(spot.step, str) else format_step(spot.step)
            for spot in self.places_from_root
        )


def format_step(key: str) -> str:
    """Return what a field is called behind the place that it is in."""
    return f"[{key}]" if "." in key or "/" in key else f".{key}"


class PlaceBelow(NamedTuple):
    """What leads from one place to another, by steps and in words."""

    steps: Path = ()
    words: str = ""

    def join(self, below: PlaceBelow) -> PlaceBelow:
        """Return what leads on to what is below."""
        return PlaceBelow(self.steps + below.steps, self.words + below.words)


class PlacedDifference(NamedTuple):
    """A difference at a place."""

    spot: ObjectPlace
    left: Found
    right: Found
    order: bool = False
    equal: bool = False
    """Written otherwise, and the same amount."""
    below: PlaceBelow = PlaceBelow()
    """Where it is below that place."""

    @property
    def path(self) -> Path:
        """Return the place in the left object."""
        return self.spot.path + self.below.steps

    @property
    def field(self) -> str:
        """Return the place in words."""
        return (self.spot.words + self.below.words).removeprefix(".")

    def to_difference(self, name: ObjectId) -> Difference:
        """Return it as one of an object."""
        return Difference(
            object=name,
            field=self.field,
            path=self.path,
            left=self.left,
            right=self.right,
            order=self.order,
            equal=self.equal,
        )


LONGEST = 100
DEEPEST = 50
"""How many names around a value are looked at; what is deeper is not shown."""
NAMED_VALUE = compile_late(r"\[([^\[\]]*+)\]\.value")
"""How the place of a value in words ends that stands beside a name, as of an environment variable."""


def format_sides(difference: Difference) -> tuple[str, str]:
    """Write what the two sides have; where what is shown of it would look alike, from where it does not."""
    left, right = redact_sides(difference)
    said = _format_value(left), _format_value(right)
    if said[0] != said[1] or left == right:
        return said
    if isinstance(left, str) and isinstance(right, str):
        start = max(_find_first_difference(left, right) - LONGEST // 4, 0)
        return _format_value(f"…{left[start:]}"), _format_value(f"…{right[start:]}")
    if isinstance(left, list) and isinstance(right, list):
        start = _find_first_difference(left, right)
        return _format_value(["…", *left[start:]]), _format_value(["…", *right[start:]])
    return said


def _find_first_difference(left: Sequence[Json], right: Sequence[Json]) -> int:
    return next(
        (index for index, (a, b) in enumerate(zip(left, right, strict=False)) if a != b),
        min(len(left), len(right)),
    )


def _format_value(value: Json) -> str:
    if isinstance(value, str):
        return quote_text(value)
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def find_name_beside(field: str) -> str:
    """Return the name that stands beside a value, or the number of its item where two are called so."""
    found = NAMED_VALUE.search(field)
    return found[1] if found and (found[1].isdecimal() or field.endswith(found[0])) else ""


def is_deep(difference: Difference) -> bool:
    """Return whether a place is too deep to look at all the names around it."""
    return len(difference.path) > DEEPEST


def redact_sides(difference: Difference) -> tuple[Json, Json]:
    """Return what the two sides have, without what may be a secret; None stands for nothing at all."""
    name = find_name_beside(difference.field)
    if name.isdecimal():  # what it is called is not known
        return HIDDEN, HIDDEN
    left, right = (
        None if each is ABSENT else HIDDEN if is_deep(difference) else _redact_value(each, difference, name)
        for each in (difference.left, difference.right)
    )
    return left, right


def _redact_value(value: Json, difference: Difference, name: str) -> Json:
    """Return a value without what may be a secret, by the names of all that it is in."""
    beside: JsonObject = {"name": name} if name else {}
    whole, path = value, difference.path
    for step in reversed(path):
        whole = [whole] if isinstance(step, int) else {**beside, step: whole}
        beside = {}
    head = {"kind": difference.object.kind, "metadata": {}}
    found: Json = redact_value({**head, **whole} if isinstance(whole, dict) and path else whole)
    for step in path:
        if not isinstance(found, dict | list):
            return HIDDEN
        found = found[0] if isinstance(found, list) else found[step]
    return found
