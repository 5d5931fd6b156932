"""The effective spec of a component's version, target or release, merged with its bases."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from kitgen.files.tree import Memory
from kitgen.findings.errors import UsageError
from kitgen.kit.inheritance import Chains, format_chain
from kitgen.kit.inherited_files import CompanionFiles, InheritedFile
from kitgen.kit.merge import SpecValue
from kitgen.kit.spec_files import SpecFiles
from kitgen.workspace.kit import OpenedKit, get_by_name
from kitgen.workspace.sources import FORMS, Kits, SourceKind, SourceName, component_of, parse_source

WHOLE = f"expected {FORMS[SourceKind.COMPONENT]}, target:NAME or {FORMS[SourceKind.RELEASE]}"


class EffectiveSpec(Struct, frozen=True, kw_only=True):
    """A spec as it is in the end."""

    root: Path
    source: str
    """As people name it, with the chain: kueue@v0.7.1 from v0.7.0."""
    way: tuple[str, ...]
    """The file of the spec, then those that it builds on, the nearest first."""
    said: SpecValue
    beside: Mapping[str, InheritedFile]
    """Of a component: its config.yaml and CRDs, by their paths in its folder."""
    texts: Mapping[str, str]
    """All specs of the kit, by file."""
    revision: str = ""


def resolve_effective_spec(root: Path | None, source: str) -> EffectiveSpec:
    """Return what a spec says in the end; a kit that is wrong is a FindingsError."""
    kits = Kits(root)
    name = parse_source(source)
    if (found := kits.find(name, paths=False)) is None and name.name in kits.open_at(
        name.revision
    ).kit.releases:
        found = replace(name, kind=SourceKind.RELEASE)
    name = found or kits.resolve(name, paths=False)
    if (
        name.is_foreign
        or name.kind is SourceKind.KIT
        or (name.kind is SourceKind.TARGET and (name.component or name.version))
    ):
        raise UsageError(f"{name} is no spec as a whole", hint=WHOLE)
    opened = kits.open_at(name.revision)
    file = _find_spec_file(opened, name)
    specs = SpecFiles(Memory({path: text.encode() for path, text in opened.texts.items()}))
    chains = Chains(specs, specs.list_specs()[0])
    said, way = chains.spec(file), chains.list_chain(file)
    assert said is not None  # the kit was loaded
    beside = CompanionFiles(chains).files(file) if name.kind is SourceKind.COMPONENT else {}
    return EffectiveSpec(
        root=opened.root,
        source=format_chain(way),
        way=tuple(way),
        said=said,
        beside=dict(sorted(beside.items())),
        texts=opened.texts,
        revision=opened.revision,
    )


def _find_spec_file(opened: OpenedKit, name: SourceName) -> str:
    """Return the file of what a source names."""
    if name.kind is SourceKind.COMPONENT:
        return component_of(opened, name).origin.file
    if name.kind is SourceKind.TARGET:
        return opened.target(name.name).origin.file
    return get_by_name(opened.kit.releases, "release", name.name).origin.file
