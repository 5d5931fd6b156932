"""Intern schemas so that equal ones are cheap to compare, and measure shared parts once."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from operator import itemgetter

from kitgen.text.values import COLLECTIONS
from kitgen.text.yaml import Json, JsonObject, SharedMapping


class Interner:
    """Numbers schemas; the order of keys and of required fields does not matter, descriptions may not."""

    def __init__(self, *, descriptions: bool = False) -> None:
        self.descriptions = descriptions
        self._numbers: dict[Hashable, int] = {}
        self._known: dict[int, tuple[Json, int]] = {}

    def intern(self, schema: JsonObject) -> int:
        """Return the number of a schema; a mapping that was seen before is not read again."""
        if (known := self._known.get(id(schema))) is not None:
            return known[1]
        items: list[tuple[str, Hashable]] = []
        for keyword, value in schema.items():
            if keyword == "properties" and isinstance(value, dict):
                fields = sorted((name, self.intern(below)) for name, below in value.items())
                items.append((keyword, tuple(fields)))
            elif keyword in ("items", "additionalProperties") and isinstance(value, dict):
                items.append((keyword, self.intern(value)))
            elif keyword == "required" and isinstance(value, list):
                items.append((keyword, tuple(sorted(map(str, value)))))
            elif keyword != "description" or self.descriptions:
                items.append((keyword, freeze_value(value)))
        number = self._numbers.setdefault(tuple(sorted(items, key=itemgetter(0))), len(self._numbers))
        # Holding on to the mapping keeps its id from being given away.
        self._known[id(schema)] = (schema, number)
        return number


def freeze_value(value: Json) -> Hashable:
    """Return a value that can be compared and hashed; 1, 1.0 and true stay apart."""
    if isinstance(value, dict):
        return ("{}", tuple(sorted((key, freeze_value(item)) for key, item in value.items())))
    if isinstance(value, list):
        return ("[]", tuple(freeze_value(item) for item in value))
    return (type(value).__name__, value)


def estimate_json_size(value: Json) -> int:
    """Return about how many bytes a value takes as JSON."""
    if isinstance(value, dict):
        if type(value) is not SharedMapping:
            return _estimate_fields_size(value)
        value.size = value.size or _estimate_fields_size(value)
        return value.size
    if isinstance(value, list):
        return 1 + sum([estimate_json_size(item) + 1 for item in value])
    return len(value) + 2 if isinstance(value, str) else len(str(value))


def _estimate_fields_size(value: JsonObject) -> int:
    size = 1
    for key, item in value.items():
        # Most values are texts, which need no call.
        size += len(key) + 4 + (len(item) + 2 if type(item) is str else estimate_json_size(item))
    return size


def count_values(value: Json) -> int:
    """Return how many values a value holds, itself included."""
    if type(value) is SharedMapping and value.count:
        return value.count
    below = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    count = 1 + len(below) + sum([count_values(each) - 1 for each in below if isinstance(each, COLLECTIONS)])
    if type(value) is SharedMapping:
        value.count = count
    return count


def _walk_values(value: Json) -> Iterator[Json]:
    """Yield a value and all that it holds."""
    waiting = [value]
    while waiting:
        yield (item := waiting.pop())
        if isinstance(item, COLLECTIONS):
            waiting += item.values() if isinstance(item, dict) else item


def drop_type_details(body: Json) -> Json:
    """Return a CRD body with every Kubernetes type replaced by its own top keywords.

    What stands inside a type was checked when the type was made, so a check of the whole stays cheap. A body
    without one, as whoever else wrote it, is returned as it is.
    """
    return _drop_type_details(body) if has_types(body) else body


def has_types(body: Json) -> bool:
    """Return whether a CRD body holds Kubernetes types."""
    return any(type(each) is SharedMapping for each in _walk_values(body))


def _drop_type_details(body: Json) -> Json:
    if isinstance(body, SharedMapping) and body.name:
        return {key: value for key, value in body.items() if not isinstance(value, COLLECTIONS)} or dict(body)
    if isinstance(body, dict):
        return {
            key: _drop_type_details(value) if isinstance(value, COLLECTIONS) else value
            for key, value in body.items()
        }
    return [_drop_type_details(value) for value in body] if isinstance(body, list) else body
