"""Name a part of a component's schemas: plural/version, or plural/version/field.path.

Where two CRDs have the same plural, plural.group takes its place.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kitgen.crds.schema import paths
from kitgen.crds.schema.paths import PathError, Steps
from kitgen.yamlio import Json, JsonObject


@dataclass(frozen=True, slots=True, order=True)
class Part:
    """A place in a schema of the component."""

    name: str
    """The CRD: its plural, or plural and group."""
    version: str
    steps: Steps = ()

    def __str__(self) -> str:
        return "/".join(filter(None, (self.name, self.version, paths.write(self.steps))))

    def below(self, *steps: str) -> Part:
        """Return the place some steps further down."""
        return Part(self.name, self.version, self.steps + steps)


def parse_part(text: str) -> Part:
    """Read plural/version/path; the path may be missing."""
    name, _, rest = text.partition("/")
    version, _, path = rest.partition("/")
    steps = paths.parse(path)
    if not name or not version or not paths.is_schema(steps):
        raise PathError(text)
    return Part(name, version, steps)


def uses(node: Json) -> Iterator[str]:
    """Yield every $use below a declared schema."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "$use" and isinstance(value, str):
                yield value
            elif isinstance(value, dict):
                yield from uses(value)


def names_types(declaration: JsonObject) -> bool:
    """Tell whether a declaration takes types from Kubernetes, so that their minor counts."""
    return isinstance(declaration.get("types"), dict) or _has_type(declaration["versions"])


def _has_type(node: Json) -> bool:
    if isinstance(node, dict):
        return isinstance(node.get("$type"), str) or any(map(_has_type, node.values()))
    return isinstance(node, list) and any(map(_has_type, node))
