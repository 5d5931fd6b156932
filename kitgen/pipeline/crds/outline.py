"""What `kitgen crd outline` does: choose CRDs, and write each as one line a field."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from kitgen.crds.importer.recognise import recognise
from kitgen.crds.outline.text import outline
from kitgen.errors import UsageError
from kitgen.findings import near
from kitgen.pipeline.crds.sources import crds_of
from kitgen.pipeline.sources import Kits, parse_source
from kitgen.root import in_kit


class OutlineRequest(Struct, frozen=True, kw_only=True):
    """Which CRDs to outline."""

    root: Path | None = None
    name: str | None = None
    """A source, or a CRD or component of the kit; every CRD of the kit when it is None."""


class Outlined(Struct, frozen=True, kw_only=True):
    """The outline of one CRD."""

    label: str
    """The component and the version that declare it; empty for one from a file."""
    text: str


def crd_outline(request: OutlineRequest) -> Iterator[Outlined]:
    """Yield the outlines of the CRDs that a name stands for, as they are made."""
    kits, name = Kits(request.root), request.name
    source = parse_source(name) if name is not None else None
    if source and (kits.find(source) or "@" in source.name or not in_kit(request.root)):
        for body in recognise(crds_of(kits, kits.resolve(source))):
            yield Outlined(label="", text=outline(body))
        return
    known: set[str] = set()
    hits = 0
    for (component, version), manifests in kits.at().crds().items():
        for body in (manifest.body for manifest in manifests):
            names = body["spec"]["names"]
            words = {component, body["metadata"]["name"], names["plural"], names["kind"]}
            known |= words
            if name is None or name in words:
                hits += 1
                yield Outlined(label=f"{component} {version}", text=outline(body))
    if name is not None and not hits:
        raise UsageError(f"no CRD {name!r} in this kit", hint=near(name, sorted(known)))
