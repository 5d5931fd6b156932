"""Keys that move although something finds objects by them: selectors, and paths to fields of pods."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from kitgen.findings import Path
from kitgen.kit.model.migration import MovedKey, Policy
from kitgen.migrate.resources.kinds import Policies, SelectedKey, typed_of
from kitgen.text.yaml import Dialect, Json, JsonObject, YamlError, read_all

LABELS, ANNOTATIONS = "labels", "annotations"
CONFIG_MAP = ("v1", "ConfigMap")
WORD = re.compile(r"[A-Za-z0-9][\w./-]*")
FIELD = re.compile(r"metadata\.(labels|annotations)\[(['\"])(.+)\2\]")
"""How the downward API names a label or an annotation."""
LISTED = frozenset({"matchLabelKeys", "mismatchLabelKeys"})
SELECTING = ("elector", "matchLabel", "matchExpressions", "fieldPath")
"""What a text has that selects by something."""


class Selected(NamedTuple):
    """A key that moves, and the place that names it."""

    path: Path
    key: SelectedKey
    said: MovedKey


def selected(body: JsonObject, keys: Policies) -> Iterator[Selected]:
    """Yield the keys that move and that an object selects by; those of the texts of a ConfigMap too."""
    if not keys.moving:
        return
    for path, key in (*_named(body, (), ""), *_in_texts(body, keys)):
        said = keys.of(key.key)
        if said and said.policy is Policy.MOVE:
            yield Selected(path, key, said)


def _named(value: Json, path: Path, above: str) -> Iterator[tuple[Path, SelectedKey]]:
    """Yield what selectors name, in whatever form; items of a list are below what the list is."""
    if isinstance(value, list):
        for at, item in enumerate(value):
            yield from _named(item, (*path, at), above)
    elif isinstance(value, dict):
        if above == "matchExpressions":
            yield (*path, "key"), SelectedKey(LABELS, str(value.get("key")))
        elif above == "matchLabels" or _is_selector(above):
            yield from (((*path, key), SelectedKey(LABELS, key)) for key in value)
        for key, item in value.items():
            yield from _named(item, (*path, key), key)
    elif isinstance(value, str):
        if _is_selector(above) or above in LISTED:
            yield from ((path, SelectedKey(LABELS, word)) for word in WORD.findall(value))
        elif above == "fieldPath" and (found := FIELD.fullmatch(value)):
            yield path, SelectedKey(found[1], found[3])


def _is_selector(field: str) -> bool:
    return field.lower().endswith("selector")


def _in_texts(body: JsonObject, keys: Policies) -> Iterator[tuple[Path, SelectedKey]]:
    """Yield what objects in the texts of a ConfigMap select by."""
    data = body.get("data") if typed_of(body) == CONFIG_MAP else None
    for name, text in data.items() if isinstance(data, dict) else ():
        hinted = isinstance(text, str) and any(each in text for each in SELECTING)
        if not hinted or not any(each in text for each in keys.old):
            continue
        try:
            documents = read_all(text, dialect=Dialect.KUBECTL)
        except (YamlError, RecursionError):
            continue  # it holds no objects
        yield from ((("data", name), key) for _, key in _named(documents, (), ""))
