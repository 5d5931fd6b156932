"""Give equal schemas the same number, so that comparing them costs nothing."""

from __future__ import annotations

from collections.abc import Hashable
from operator import itemgetter

from kitgen.yamlio import Json, JsonObject


class Interner:
    """Numbers schemas; the order of keys and of required fields does not matter, descriptions may not."""

    def __init__(self, *, descriptions: bool = False) -> None:
        self.descriptions = descriptions
        self._numbers: dict[Hashable, int] = {}
        self._known: dict[int, tuple[Json, int]] = {}

    def number(self, schema: JsonObject) -> int:
        """Return the number of a schema; a mapping that was seen before is not read again."""
        known = self._known.get(id(schema))
        if known is not None:
            return known[1]
        items: list[tuple[str, Hashable]] = []
        for keyword, value in schema.items():
            if keyword == "properties" and isinstance(value, dict):
                fields = sorted((name, self.number(below)) for name, below in value.items())
                items.append((keyword, tuple(fields)))
            elif keyword in ("items", "additionalProperties") and isinstance(value, dict):
                items.append((keyword, self.number(value)))
            elif keyword == "required" and isinstance(value, list):
                items.append((keyword, tuple(sorted(map(str, value)))))
            elif keyword != "description" or self.descriptions:
                items.append((keyword, frozen(value)))
        number = self._numbers.setdefault(tuple(sorted(items, key=itemgetter(0))), len(self._numbers))
        # Holding on to the mapping keeps its id from being given away.
        self._known[id(schema)] = (schema, number)
        return number


def frozen(value: Json) -> Hashable:
    """Return a value that can be compared and hashed; 1, 1.0 and true stay apart."""
    if isinstance(value, dict):
        return ("{}", tuple(sorted((key, frozen(item)) for key, item in value.items())))
    if isinstance(value, list):
        return ("[]", tuple(frozen(item) for item in value))
    return (type(value).__name__, value)
