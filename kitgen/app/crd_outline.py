"""Run `kitgen crd outline`: select CRDs and print each as one line per field."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

from kitgen.crd.importer.importer import recognise_types
from kitgen.crd.outline import render_outline
from kitgen.files.root import has_kit
from kitgen.findings import suggest_word
from kitgen.findings.errors import UsageError
from kitgen.kit.apis import find_shipped_crd
from kitgen.kit.manifests import ENDINGS
from kitgen.kube import foreign_kinds
from kitgen.text.values import group_pairs
from kitgen.text.yaml import JsonObject
from kitgen.workspace.crd_sources import read_source_crds
from kitgen.workspace.sources import Kits, SourceKind, SourceName, add_revision_to_errors, parse_source

Declared: TypeAlias = tuple[str, str, JsonObject]
"""A component, its version, and a CRD that it declares."""


def outline_crds(root: Path | None, wanted: str | None) -> list[tuple[str, str]]:
    """Return the outlines of a source, or of a CRD or component of the kit; of all CRDs without a name.

    Before each stand the component and the version that declare it; nothing, if others do.
    """
    kits = Kits(root)
    name = SourceName(kind=SourceKind.KIT) if wanted is None else parse_source(wanted)
    source = kits.find(name)
    if source is None and not has_kit(root) and (known := list(_outline_shipped(name.name))):
        return known
    if source is None and ("@" in name.name or not has_kit(root)):
        source = kits.resolve(name)
    if source and source.kind is not SourceKind.KIT:
        bodies = read_source_crds(kits, source)
        label = f"{source.name} {source.version}" if source.kind is SourceKind.COMPONENT else ""
        shown = recognise_types(bodies) if source.is_foreign else bodies
        return [(label, render_outline(body)) for body in shown]
    opened = kits.open_at(name.revision)
    with add_revision_to_errors(opened):
        declared = [
            (component, version, manifest.body)
            for (component, version), manifests in opened.crds().items()
            for manifest in manifests
        ]
    chosen = (
        declared
        if source
        else _select_crds(declared, name.name, missing=not any(_outline_shipped(name.name)))
    )
    if not chosen and not source:
        return list(_outline_shipped(name.name))
    return [(f"{component} {version}", render_outline(body)) for component, version, body in chosen]


def _outline_shipped(name: str) -> Iterator[tuple[str, str]]:
    """Yield the outline of the CRD of another project with that name, plural or kind, if kitgen has it."""
    for group in foreign_kinds.list_groups():
        for kind, plural in foreign_kinds.plurals_by_kind(group).items():
            if name in (kind, plural, f"{plural}.{group}") and (body := find_shipped_crd(group, kind)):
                yield foreign_kinds.read_group(group).source, render_outline(body)


def _select_crds(declared: list[Declared], name: str, *, missing: bool) -> list[Declared]:
    """Return the CRDs of a component, or those of a name, plural or kind; none is wrong if `missing`."""
    known = group_pairs(
        (word, (component, version, body))
        for component, version, body in declared
        for names in (body["spec"]["names"],)
        for word in {component, body["metadata"]["name"], names["plural"], names["kind"]}
    )
    if name in known or not missing:
        return known.get(name, [])
    if "/" in name or name.endswith(ENDINGS):
        raise UsageError(f"no such file or folder: {name!r}")
    raise UsageError(f"no CRD {name!r} in this kit", hint=suggest_word(name, sorted(known)))
