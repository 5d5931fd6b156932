"""Compare two values place by place, as a cluster would: what it cannot see does not count.

Items of lists are matched by their keys; where the order counts, another order is a difference.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from kitgen.compare.objects.difference import ABSENT, Found, ObjectPlace, PlacedDifference
from kitgen.kube.definitions import get_definition
from kitgen.kube.merge_keys import DefinitionField
from kitgen.kube.quantities import is_same_quantity
from kitgen.text.wording import text_of
from kitgen.text.yaml import Dialect, Json, YamlError, read_yaml

UNORDERED = {
    "webhooks": ("name",),
    "volumes": ("name",),
    "volumeMounts": ("mountPath", "subPath"),
    "ports": ("name", "containerPort", "port", "protocol"),
    "imagePullSecrets": ("name",),
}
"""Lists whose order means nothing, whatever the kind, and what tells their items apart."""
UNSAID = {"protocol": "TCP"}
"""What a key is where an item does not say it."""
NAMED = ("name",)
Below = tuple[Found, Found, ObjectPlace]
Key = tuple[str, ...]
"""The values that tell an item from others."""


def compare_lists(
    left: list[Json], right: list[Json], spot: ObjectPlace
) -> Iterator[PlacedDifference | Below]:
    """Yield what is different about the lists themselves, and the items that are to be compared."""
    items = all(isinstance(each, dict) for each in (*left, *right))
    fields = UNORDERED.get(str(spot.step)) if items and not spot.name and not spot.plain else None
    if fields:
        yield from _match_items(left, right, spot, fields)
    elif items and (fields := _find_key_fields(left, right, spot)):
        yield from _match_items(left, right, spot, fields)
        mine, other = ([_item_key(item, fields) for item in side] for side in (left, right))
        common = set(mine) & set(other)
        had, has = ([key for key in keys if key in common] for keys in (mine, other))
        if had != has:
            yield PlacedDifference(spot, _format_keys(had), _format_keys(has), order=True)
    elif len(left) == len(right) and any(isinstance(each, dict | list) for each in (*left, *right)):
        yield from ((a, b, spot.item(i, str(i))) for i, (a, b) in enumerate(zip(left, right, strict=True)))
    elif left != right or list(map(type, left)) != list(map(type, right)):
        yield PlacedDifference(spot, left, right, order=sorted(map(repr, left)) == sorted(map(repr, right)))


def _find_key_fields(left: list[Any], right: list[Any], spot: ObjectPlace) -> tuple[str, ...]:
    """Return what tells the items apart: what Kubernetes says, or a name; nothing if it is not unique."""
    fields = (spot.type.merge_keys if spot.type else None) or NAMED
    for side in (left, right):
        unique = len({_item_key(item, fields) for item in side}) == len(side)
        if not unique or not all(isinstance(item.get(fields[0]), str | int) for item in side):
            return ()
    return fields


def _item_key(item: Any, fields: tuple[str, ...]) -> Key:
    return tuple(text_of(item.get(field, UNSAID.get(field, ""))) for field in fields)


def _format_keys(keys: list[Key]) -> list[Json]:
    return ["/".join(filter(None, key)) for key in keys]


def _match_items(
    left: list[Any], right: list[Any], spot: ObjectPlace, fields: tuple[str, ...]
) -> Iterator[PlacedDifference | Below]:
    """Yield the items that both have, and those that one of them has."""
    here, there = _index_items(left, fields), _index_items(right, fields)
    first = Counter(next(filter(None, key), "") for key in {key for key, _ in (*here, *there)})
    for each in dict.fromkeys((*here, *there)):
        index = here.get(each, -1)
        a: Found = left[index] if each in here else ABSENT
        b: Found = right[there[each]] if each in there else ABSENT
        if a is not b:
            # A port goes by its name, or else by its number, if that is enough.
            item: Any = b if a is ABSENT else a
            said = [text_of(item[field]) for field in fields if item.get(field, "") != ""]
            name = said[0] if said and first[said[0]] == 1 else "/".join(said)
            yield a, b, spot.item(index, name or str(max(index, 0)))


def _index_items(items: list[Any], fields: tuple[str, ...]) -> dict[tuple[Key, int], int]:
    """Return the index of each item by its key; those of one key are counted."""
    seen: Counter[Key] = Counter()
    found = {}
    for index, item in enumerate(items):
        key = _item_key(item, fields)
        found[key, seen[key]] = index
        seen[key] += 1
    return found


TIMESTAMP = "creationTimestamp"
"""Written as null by tools that mean nothing by it."""
NESTED = (dict, list)
QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity"


def compare_values(left: Found, right: Found, spot: ObjectPlace) -> Iterator[PlacedDifference]:
    """Yield every difference between two values and in them.

    Not by recursion: strangers nest deeply.
    """
    todo = [_compare_level(left, right, spot)]
    while todo:
        if (found := next(todo[-1], None)) is None:
            todo.pop()
        elif isinstance(found, PlacedDifference):
            yield found
        else:
            todo.append(_compare_level(*found))


def _compare_level(left: Found, right: Found, spot: ObjectPlace) -> Iterator[PlacedDifference | Below]:
    """Yield what is different here, and the places below that are to be looked at."""
    if isinstance(left, dict) and isinstance(right, dict):
        for key in sorted(left.keys() | right.keys()):
            a, b = left.get(key, ABSENT), right.get(key, ABSENT)
            if key == TIMESTAMP and not spot.plain:
                a, b = (ABSENT if each is None else each for each in (a, b))
            if a is not b and (isinstance(a, NESTED) or not is_same_scalar(a, b)):
                yield a, b, spot.below(key)
    elif isinstance(left, list) and isinstance(right, list):
        yield from compare_lists(left, right, spot)
    elif not is_same_scalar(left, right):
        yield PlacedDifference(
            spot, left, right, equal=is_quantity(spot.type) and is_same_quantity(left, right)
        )


def is_same_scalar(left: Found, right: Found) -> bool:
    """Return whether two values that are no mappings and no lists are one; true is not 1, and 1 not 1.0."""
    return type(left) is type(right) and left == right


def compare_texts(
    left: Mapping[str, Json], right: Mapping[str, Json], spot: ObjectPlace
) -> Iterator[PlacedDifference]:
    """Compare texts of a ConfigMap: YAML and JSON in them by value."""
    left, right = (
        {key: text for key, text in side.items() if text is not None or key != TIMESTAMP}
        for side in (left, right)
    )
    spot = ObjectPlace(spot.above, spot.step, plain=True)
    for key in sorted(left.keys() | right.keys()):
        a, b = left.get(key, ABSENT), right.get(key, ABSENT)
        if a != b or type(a) is not type(b):
            yield from compare_values(_parse_document(a), _parse_document(b), spot.below(key))


def _parse_document(text: Found) -> Found:
    """Return what a text holds if that is a mapping or a list, else the text itself."""
    if not isinstance(text, str) or not (":" in text or "[" in text):
        return text
    try:
        found = read_yaml(text, dialect=Dialect.TEXT)
    except YamlError:
        return text
    return found if isinstance(found, NESTED) else text


def is_quantity(field: DefinitionField | None) -> bool:
    """Return whether Kubernetes takes what stands in a field as an amount."""
    return field is not None and field.schema == get_definition(QUANTITY, field.minor)
