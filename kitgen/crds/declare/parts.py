"""Name a part of a component's schemas: plural/version, or plural/version/field.path.

Where two CRDs have the same plural, plural.group takes its place.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from kitgen.crds.schema import paths
from kitgen.crds.schema.paths import PathError, Steps
from kitgen.yamlio import Json, JsonObject


class SchemaPart(Struct, frozen=True, order=True):
    """A place in a schema of the component."""

    name: str
    """The CRD: its plural, or plural and group."""
    version: str
    steps: Steps = ()

    def __str__(self) -> str:
        return "/".join(filter(None, (self.name, self.version, paths.write(self.steps))))

    def below(self, *steps: str) -> SchemaPart:
        """Return the place some steps further down."""
        return SchemaPart(self.name, self.version, self.steps + steps)


def parse_part(text: str) -> SchemaPart:
    """Read plural/version/path; the path may be missing."""
    name, _, rest = text.partition("/")
    version, _, path = rest.partition("/")
    steps = paths.parse(path)
    if not name or not version or not paths.is_schema(steps):
        raise PathError(text)
    return SchemaPart(name, version, steps)


def named(node: Json, keyword: str) -> Iterator[str]:
    """Yield what every $use or $type in declared schemas names."""
    if isinstance(node, dict) and isinstance(name := node.get(keyword), str):
        yield name
    for value in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from named(value, keyword)


def names_types(declaration: JsonObject) -> bool:
    """Tell whether a declaration takes types from Kubernetes, so that their minor counts."""
    return isinstance(declaration.get("types"), dict) or any(named(declaration["versions"], "$type"))
