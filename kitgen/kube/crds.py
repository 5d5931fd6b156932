"""CustomResourceDefinitions of any shape, and the kinds that they declare."""

from __future__ import annotations

from functools import cached_property

from msgspec import Struct

from kitgen.text.values import entries_at, text_at, value_at
from kitgen.text.yaml import JsonObject


class CrdView(Struct, frozen=True, dict=True):
    """A CRD; what it lacks is empty."""

    body: JsonObject

    @cached_property
    def group(self) -> str:
        """Return the API group of its kind."""
        return text_at(self.body, "spec", "group")

    @cached_property
    def kind(self) -> str:
        """Return its kind."""
        return text_at(self.body, "spec", "names", "kind")

    @cached_property
    def plural(self) -> str:
        """Return the resource that its objects are."""
        return text_at(self.body, "spec", "names", "plural")

    @property
    def is_namespaced(self) -> bool:
        """Return whether its objects live in a namespace."""
        return bool(value_at(self.body, "spec", "scope") != "Cluster")

    @property
    def versions(self) -> list[JsonObject]:
        """Return its versions."""
        return [each for _, each in entries_at(self.body, "spec", "versions")]

    def has_subresource(self, subresource: str) -> bool:
        """Return whether any version has a subresource."""
        return any(value_at(each, "subresources", subresource) is not None for each in self.versions)
