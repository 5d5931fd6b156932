"""Parameters: params.env, its ConfigMap, and the fields that are replaced from it."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from kitgen.findings import CauseKind, Path
from kitgen.kit.model import Component, Settings
from kitgen.kube.manifest import FieldSource, Manifest
from kitgen.kube.names import content_hash
from kitgen.render.layers import merge_layers
from kitgen.render.settings import apply_features
from kitgen.text.yaml import JsonObject

HASHED = "kustomize adds a hash of the content, so that pods see a change"
FILLED = "params.env may change it"


class ParameterFill(Struct, frozen=True, kw_only=True):
    """A field that takes its value from a parameter."""

    key: str
    kind: str
    name: str
    field: str
    """The path as kustomize writes it."""
    path: Path
    delimiter: str = ""
    index: int = 0


def list_image_keys(component: Component, settings: Settings) -> list[str]:
    """Return the keys of params.env that hold images, without compiling the component."""
    items = apply_features(component, settings)["params"]
    keys = merge_layers(items[0].layers).data["keys"] if items else {}
    return [key for key, content in keys.items() if "image" in content]


class Params(Struct, frozen=True, kw_only=True):
    """The content of params.env, the ConfigMap that it becomes, and what follows it."""

    config_map: str
    hashed: bool
    data: dict[str, str]
    fills: tuple[ParameterFill, ...]
    sources: tuple[FieldSource, ...]
    """Of the ConfigMap: where it and each key comes from, and the image that a key holds."""

    @property
    def images(self) -> dict[str, str]:
        """Return the keys that hold images, with these."""
        keys = (str(each.path[1]) for each in self.sources if each.cause.kind is CauseKind.IMAGE)
        return {key: self.data[key] for key in keys}

    def to_manifest(self) -> Manifest:
        """Return the ConfigMap as kustomize will generate it."""
        name = f"{self.config_map}-{content_hash(self.data)}" if self.hashed else self.config_map
        body: JsonObject = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}
        return Manifest(body={**body, "data": dict(sorted(self.data.items()))}, sources=self.sources)

    def add_fill_sources(self, manifest: Manifest) -> Manifest:
        """Return an object that knows which parameters its fields follow."""
        own = [fill for fill in self.fills if (fill.kind, fill.name) == (manifest.id.kind, manifest.id.name)]
        keys = {
            source.cause.name: source for source in self.sources if source.cause.kind is CauseKind.PARAMETER
        }
        sources = (replace(keys[fill.key], path=fill.path, why=FILLED, aside=True) for fill in own)
        return manifest.replace_body(manifest.body, *sources) if own else manifest
