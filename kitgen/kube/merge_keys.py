"""Merge keys of lists: which fields identify their items, as Kubernetes' own definitions declare.

A list without merge keys is replaced as a whole, and so is every list of a kind that Kubernetes does not
define.
"""

from __future__ import annotations

from msgspec import Struct

from kitgen.kube.definitions import Kind, get_definition, list_kinds, list_minors
from kitgen.kube.identity import split_api_version
from kitgen.text.yaml import JsonObject


class DefinitionField(Struct, frozen=True):
    """A part of an object, as a minor of Kubernetes defines it."""

    schema: JsonObject
    minor: int

    def get_field(self, name: str) -> DefinitionField | None:
        """Return a field of this one; None when the definition does not name it."""
        inner = self.schema.get("properties", {}).get(name) or self.schema.get("additionalProperties")
        return self._resolve(inner) if isinstance(inner, dict) else None

    @property
    def item(self) -> DefinitionField | None:
        """Return what every item of a list is."""
        inner = self.schema.get("items")
        return self._resolve(inner) if isinstance(inner, dict) else None

    @property
    def merge_keys(self) -> tuple[str, ...] | None:
        """Return the keys that identify items: when empty, the items themselves; None: nothing does."""
        if "merge" not in self.schema.get("x-kubernetes-patch-strategy", "").split(","):
            return None
        if "x-kubernetes-list-map-keys" in self.schema:
            return tuple(self.schema["x-kubernetes-list-map-keys"])
        key = self.schema.get("x-kubernetes-patch-merge-key")
        return (key,) if key else ()

    def _resolve(self, schema: JsonObject) -> DefinitionField:
        reference = schema.get("$ref")
        return DefinitionField(
            get_definition(reference.rpartition("/")[2], self.minor) if reference else schema, self.minor
        )


def definition_of(body: JsonObject, minor: int) -> DefinitionField | None:
    """Return the definition of an object's kind: of a minor, or of the newest one that still serves it."""
    api_version, kind = body.get("apiVersion"), body.get("kind")
    if not isinstance(api_version, str) or not isinstance(kind, str):
        return None
    wanted = Kind(*split_api_version(api_version), kind)
    for each in (minor, *sorted(list_minors(), reverse=True)):
        if each in list_minors() and wanted in list_kinds(each):
            return DefinitionField(get_definition(list_kinds(each)[wanted], each), each)
    return None
