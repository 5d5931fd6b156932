"""What a value was before: rules with oldSelf compare the two."""

from __future__ import annotations

from msgspec import Struct

from kitgen.crds.outline.fields import compact
from kitgen.yamlio import Json, JsonObject


class Place(Struct, frozen=True):
    """A value with its schema, and what it was before, if that is known."""

    schema: JsonObject
    value: Json
    old: Json
    whole: bool
    """Whether it is an object of its own."""


class Past:
    """The items that a list had before; only keys tell which of them an item was."""

    def __init__(self, schema: JsonObject, old: Json) -> None:
        """Take the list with its defaults, or what stands for none."""
        is_map = schema.get("x-kubernetes-list-type") == "map"
        self.keys = [str(name) for name in schema.get("x-kubernetes-list-map-keys") or ()] if is_map else []
        fields = (schema.get("items") or {}).get("properties") or {}
        self.defaults = {name: (fields.get(name) or {}).get("default") for name in self.keys}
        self.items = {self._key(item): item for item in old} if self.keys and isinstance(old, list) else {}

    def of(self, item: Json) -> Json:
        """Return what an item was, or nothing."""
        return self.items.get(self._key(item)) if self.items else None

    def _key(self, item: Json) -> str:
        if not isinstance(item, dict):
            return ""
        return compact([item.get(name, self.defaults[name]) for name in self.keys])
