"""Parameters: params.env, the ConfigMap that it becomes, and what follows it."""

from __future__ import annotations

from msgspec import Struct

from kitgen.findings import Cause, Kind, Origin, Path
from kitgen.kustomize.hasher import content_hash
from kitgen.objects import Manifest, Source

HASHED = "kustomize adds a hash of the content, so that pods see a change"


class Fill(Struct, frozen=True, kw_only=True):
    """A field that takes its value from a parameter."""

    key: str
    kind: str
    name: str
    field: str
    """The path as kustomize writes it."""
    path: Path
    delimiter: str = ""
    index: int = 0


class Params(Struct, frozen=True, kw_only=True):
    """The content of params.env, the ConfigMap that it becomes, and what follows it."""

    config_map: str
    hashed: bool
    data: dict[str, str]
    fills: tuple[Fill, ...]
    origin: Origin
    sources: tuple[Source, ...]
    """Where each key comes from, and the image that it holds."""

    def manifest(self) -> Manifest:
        """Return the ConfigMap as kustomize will generate it."""
        name = f"{self.config_map}-{content_hash(self.data)}" if self.hashed else self.config_map
        body = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": name},
            "data": dict(sorted(self.data.items())),
        }
        cause = Cause(Kind.FAMILY, "params")
        whole = Source(path=(), cause=cause, origin=self.origin)
        named = Source(path=("metadata", "name"), cause=cause, origin=self.origin, why=HASHED)
        return Manifest(body=body, sources=(whole, *([named] if self.hashed else ()), *self.sources))
