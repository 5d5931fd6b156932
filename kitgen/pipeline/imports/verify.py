"""Verify an import by compiling what would be written, and patch what is left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from kitgen.compile import Session
from kitgen.diff.objects import Comparison, compare
from kitgen.errors import FindingsError
from kitgen.importer.leftover import Made
from kitgen.importer.trees import Given
from kitgen.load import SpecFiles, load_kit
from kitgen.load.files import Disk
from kitgen.pipeline.imports.files import Overlaid
from kitgen.pipeline.imports.whose import objects_of, unit_of
from kitgen.pipeline.opened import Opened


def tried(root: Path, texts: Mapping[str, str]) -> Opened:
    """Load the kit as it would be with some files; what is wrong with it is a FindingsError."""
    files = SpecFiles(Overlaid(Disk(root), texts))
    try:
        kit = load_kit(files)
    except FindingsError as error:
        raise FindingsError(error.findings, root, dict(texts)) from error
    return Opened(root=root, kit=kit, session=Session(kit), texts=files.texts)


def compared(
    opened: Opened, name: str, version: str, givens: Sequence[Given], carried: Mapping[str, str]
) -> list[Comparison]:
    """Hold each tree against what the kit builds for it."""
    component = opened.kit.components[name][version]
    made = []
    for given in givens:
        objects = objects_of(opened, component, given.who, carried)
        made.append(compare(objects or [], given.bodies))
    return made


def assembled(
    opened: Opened, name: str, version: str, givens: Sequence[Given], carried: Mapping[str, str]
) -> list[Made]:
    """Return the objects of each tree as patches find them."""
    component = opened.kit.components[name][version]
    made: list[Made] = []
    for given in givens:
        unit = unit_of(opened, component, given.who, carried)
        known = unit.assembled if unit else ()
        made.append({(each.id.group, each.id.kind, each.id.name): each.body for each in known})
    return made
