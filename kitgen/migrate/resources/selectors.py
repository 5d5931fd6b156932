"""Find labels that move although selectors use them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from kitgen.findings import Path
from kitgen.kit.model.migration import MovedKey, Policy
from kitgen.migrate.resources.kinds import Policies
from kitgen.text.patterns import compile_late
from kitgen.text.yaml import Json, JsonObject, walk_values

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


def _list_selector_keys(body: Json) -> Iterator[tuple[Path, str]]:
    """Yield what selectors name, in whatever form; items of a list are below what the list is."""
    for path, value in walk_values(body):
        above = next((step for step in reversed(path) if isinstance(step, str)), "")
        is_selector = above.lower().endswith("selector")
        if isinstance(value, dict) and above == "matchExpressions":
            yield (*path, "key"), str(value.get("key"))
        elif isinstance(value, dict) and (above == "matchLabels" or is_selector):
            yield from (((*path, key), key) for key in value)
        elif isinstance(value, str) and (is_selector or above in LISTED):
            yield from ((path, word) for word in WORD.findall(value))
