"""List the exceptions that make one schema of another."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from kitgen.crds.declare.edits import Action, Edit
from kitgen.crds.declare.format import Scale
from kitgen.crds.schema import paths
from kitgen.crds.schema.intern import Interner, frozen
from kitgen.crds.schema.paths import Steps
from kitgen.yamlio import Json, JsonObject

Encode = Callable[[JsonObject, str], JsonObject]


class Comparer:
    """Compares schemas; new ones are written with `encode`, which gets a schema and its field's name."""

    def __init__(self, interner: Interner, encode: Encode, scale: Scale) -> None:
        self.interner = interner
        self.encode = encode
        self.scale = scale

    def edits(self, base: JsonObject, want: JsonObject, steps: Steps = ()) -> list[Edit]:
        """Return what to set, add and remove in base so that it becomes what is wanted."""
        found: list[Edit] = []
        for keyword in (*base, *(key for key in want if key not in base)):
            if keyword == "description" and not self.interner.descriptions:
                continue
            at = (*steps, keyword)
            if keyword not in want:
                found.append(_edit(Action.REMOVE, at))
            elif keyword not in base:
                found.append(_edit(Action.ADD, at, self._value(keyword, want[keyword], steps)))
            elif keyword == "properties":
                found += self._fields(base[keyword], want[keyword], at)
            elif (
                keyword in paths.SIGNS and isinstance(base[keyword], dict) and isinstance(want[keyword], dict)
            ):
                found += self._below(base[keyword], want[keyword], at)
            elif not same(keyword, base[keyword], want[keyword]):
                found.append(_edit(Action.SET, at, self._value(keyword, want[keyword], steps)))
        return found

    def _fields(self, base: JsonObject, want: JsonObject, steps: Steps) -> list[Edit]:
        found = [_edit(Action.REMOVE, (*steps, name)) for name in base if name not in want]
        for name, schema in want.items():
            if name in base:
                found += self._below(base[name], schema, (*steps, name))
            else:
                found.append(_edit(Action.ADD, (*steps, name), self.encode(schema, name)))
        return found

    def _below(self, base: JsonObject, want: JsonObject, steps: Steps) -> list[Edit]:
        """Return the exceptions inside one schema, or one that sets it, whichever is shorter."""
        if self.interner.number(base) == self.interner.number(want):
            return []
        inside = self.edits(base, want, steps)
        whole = _edit(Action.SET, steps, self.encode(want, paths.field_of(steps)))
        return inside if self.weight(inside) <= self.weight([whole]) else [whole]

    def weight(self, edits: Iterable[Edit]) -> int:
        """Return about how many lines exceptions take."""
        return sum(1 + self.scale.lines(edit.value) for edit in edits)

    def _value(self, keyword: str, value: Json, steps: Steps) -> Json:
        """Return the value of a keyword with the schemas in it encoded."""
        encoded = paths.mapped(
            {keyword: value}, lambda below, schema: self.encode(schema, paths.field_of((*steps, *below)))
        )
        return encoded[keyword]


def same(keyword: str, one: Json, other: Json) -> bool:
    """Tell whether two values of a keyword mean the same; the order of required fields means nothing."""
    if keyword == "required":
        return sorted(one) == sorted(other)
    return frozen(one) == frozen(other)


def _edit(action: Action, steps: Steps, value: Json = None) -> Edit:
    return Edit(action=action, path=paths.write(steps), value=value)


def excepted(base: JsonObject, edits: Iterable[Edit]) -> JsonObject:
    """Write a base ($type or $use) with its exceptions; those at its top stand beside it."""
    out = dict(base)
    for edit in edits:
        steps = paths.parse(edit.path)
        if edit.action is Action.REMOVE:
            out.setdefault(edit.action, []).append(edit.path)
        elif len(steps) == 1 and steps[0] not in ("properties", *paths.SIGNS):
            out[steps[0]] = edit.value
        elif len(steps) == 2 and steps[0] == "properties" and edit.action is Action.ADD:
            out.setdefault("properties", {})[steps[1]] = edit.value
        else:
            out.setdefault(edit.action, {})[edit.path] = edit.value
    return out
