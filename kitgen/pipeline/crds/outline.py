"""What `kitgen crd outline` does: choose CRDs, and write each as one line a field."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kitgen.crds.importer.folding import recognise
from kitgen.crds.outline.text import outline
from kitgen.errors import UsageError
from kitgen.findings import near
from kitgen.pipeline.crds.sources import CrdSources


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlineRequest:
    """Which CRDs to outline."""

    root: Path | None = None
    name: str | None = None
    """A CRD, a component or a version of the kit, or a path; every CRD of the kit when it is None."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlined:
    """The outline of one CRD."""

    label: str
    """The component and the version that declare it; empty for one from a file."""
    text: str


def crd_outline(request: OutlineRequest) -> Iterator[Outlined]:
    """Yield the outlines of the CRDs that a name stands for, as they are made."""
    sources, name = CrdSources(request.root), request.name
    if name is not None and (name == "-" or "@" in name or Path(name).exists()):
        for body in recognise(sources.bodies(name)):
            yield Outlined(label="", text=outline(body))
        return
    if name is not None:
        sources.require_kit(name)
    known: set[str] = set()
    hits = 0
    for component, version, bodies in sources.every():
        for body in bodies:
            names = body["spec"]["names"]
            words = {component, body["metadata"]["name"], names["plural"], names["kind"]}
            known |= words
            if name is None or name in words:
                hits += 1
                yield Outlined(label=f"{component} {version}", text=outline(body))
    if name is not None and not hits:
        raise UsageError(f"no CRD {name!r} in this kit", hint=near(name, sorted(known)))
