"""What the CRDs of a kit are called: declared ones, and those that stand among objects as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kitgen.model import Component, Kit
from kitgen.yamlio import Json, JsonObject


@dataclass(frozen=True, slots=True)
class Declared:
    """Group, names and versions of a CRD."""

    group: str
    names: JsonObject
    versions: tuple[str, ...]


def declarations(kit: Kit) -> list[Declared]:
    """Return what every CRD of every component is called; a declaration counts before a whole CRD."""
    whole = [spec for component in kit.every_component for spec in _whole(component)]
    own = (data for component in kit.every_component for _, data in component.crds)
    return [*whole, *(Declared(data["group"], data["names"], tuple(data["versions"])) for data in own)]


def _whole(component: Component) -> Iterator[Declared]:
    """Yield every CRD that stands among the objects of a component, if it has the usual form."""
    for data in (layer.data for part in component.parts for layer in part.layers("objects")):
        spec: Json = data.get("spec")
        if data.get("kind") == "CustomResourceDefinition" and isinstance(spec, dict):
            group, names, versions = spec.get("group"), spec.get("names"), spec.get("versions")
            if (
                isinstance(group, str)
                and isinstance(names, dict)
                and isinstance(names.get("kind"), str)
                and isinstance(versions, list)
                and all(map(_is_named, versions))
            ):
                yield Declared(group, names, tuple(version["name"] for version in versions))


def _is_named(version: Json) -> bool:
    return isinstance(version, dict) and isinstance(version.get("name"), str)
