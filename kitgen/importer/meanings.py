"""Tell whether two declarations say the same in the same words; what was looked at once is not read again."""

from __future__ import annotations

from collections.abc import Hashable

from kitgen.crds.declare.edits import Action, Edit, of
from kitgen.crds.schema import paths
from kitgen.crds.schema.paths import PathError, Steps
from kitgen.load.changing import OPAQUE
from kitgen.yamlio import Json, JsonObject


class Meanings:
    """Numbers values that will not change any more; those that say the same have the same number.

    The order of keys and of what is removed says nothing. What is set or added right at a named type is the
    same as the keyword or field beside it, if that is not said too.
    """

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._known: dict[int, tuple[Json, int]] = {}

    def same(self, one: Json, other: Json) -> bool:
        """Tell whether two values say the same; 1, 1.0 and true do not."""
        return one is other or self._number(one) == self._number(other)

    def _number(self, value: Json) -> int:
        if not isinstance(value, dict | list):
            return self._given((type(value).__name__, value))
        known = self._known.get(id(value))
        if known is None:
            # Holding on to the value keeps its id from being given away.
            known = self._known[id(value)] = (value, self._given(self._form(value)))
        return known[1]

    def _given(self, form: Hashable) -> int:
        return self._numbers.setdefault(form, len(self._numbers))

    def _form(self, value: JsonObject | list[Json]) -> Hashable:
        if isinstance(value, list):
            return ("[]", tuple(map(self._number, value)))
        if not is_named(value):
            return ("{}", frozenset((key, self._number(each)) for key, each in value.items()))
        fields = value.get("properties") or {}
        said: dict[Hashable, int] = {
            ("properties", name): self._number(each) for name, each in fields.items()
        }
        said |= {key: self._number(each) for key, each in value.items() if key not in (*Action, "properties")}
        for edit in of(value):
            place = beside(edit)
            said[place if place and place not in said else (edit.action, edit.path)] = self._number(
                edit.value
            )
        return ("$", frozenset(said.items()))


def is_named(node: JsonObject) -> bool:
    """Tell whether a schema is a named type or part, with exceptions."""
    return any(isinstance(node.get(key), str) for key in OPAQUE)


def beside(edit: Edit) -> str | Steps | None:
    """Return the keyword or field beside a named type that says the same as an exception."""
    try:
        steps = paths.parse(edit.path)
    except PathError:
        return None
    if edit.action is not Action.REMOVE and len(steps) == 1 and steps[0] not in ("properties", *paths.SIGNS):
        return steps[0]
    if edit.action is Action.ADD and len(steps) == 2 and steps[0] == "properties":
        return steps
    return None
