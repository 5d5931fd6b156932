"""Find labels that move although selectors use them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kitgen.findings import Path
from kitgen.kit.model.migration import MovedKey, Policy
from kitgen.migrate.resources.kinds import Policies
from kitgen.migrate.walks import COLLECTIONS
from kitgen.text.patterns import compile_late
from kitgen.text.yaml import Json, JsonObject

WORD = compile_late(r"[A-Za-z0-9][\w./-]*")
LISTED = frozenset({"matchLabelKeys", "mismatchLabelKeys"})


class MovedSelectorKey(NamedTuple):
    """A key that moves, and the place that names it."""

    path: Path
    key: str
    said: MovedKey


def find_moved_keys(body: JsonObject, keys: Policies) -> Iterator[MovedSelectorKey]:
    """Yield the keys that move and that an object selects by."""
    for path, key in _list_selector_keys(body) if keys.has_moved_keys else ():
        if (said := keys.find(key)) and said.policy is Policy.MOVE:
            yield MovedSelectorKey(path, key, said)


def _list_selector_keys(value: Json, above: str = "", path: Path = ()) -> list[tuple[Path, str]]:
    """Return what selectors name, in whatever form; items of a list are below what the list is."""
    found: list[tuple[Path, str]] = []
    is_mapping = isinstance(value, dict)
    if is_mapping and above == "matchExpressions":
        found.append(((*path, "key"), str(value.get("key"))))
    elif is_mapping and (above == "matchLabels" or _is_selector(above)):
        found += (((*path, key), key) for key in value)
    for step, item in value.items() if is_mapping else enumerate(value):
        name = str(step) if is_mapping else above
        if isinstance(item, COLLECTIONS):
            found += _list_selector_keys(item, name, (*path, step))
        elif isinstance(item, str) and (name in LISTED or _is_selector(name)):
            found += (((*path, step), word) for word in WORD.findall(item))
    return found


def _is_selector(name: str) -> bool:
    return name.lower().endswith("selector")
