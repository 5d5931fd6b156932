"""Verify an import: compile what would be written, and hold it against the trees."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from kitgen.compare.objects.compare import Comparison, compare
from kitgen.files.tree import Disk
from kitgen.findings import Finding, Origin, pointer, rule, unique
from kitgen.findings.errors import FindingsError
from kitgen.importing.leftovers import Made
from kitgen.importing.ownership import objects_of, unit_of
from kitgen.importing.request import ImportRequest
from kitgen.importing.trees import GivenTree
from kitgen.kit.load import load_kit
from kitgen.kit.spec_files import SpecFiles
from kitgen.kube.manifest import Manifest
from kitgen.render.kustomize.merge_patch import PATCH_NOTHING
from kitgen.report.text import locate
from kitgen.workspace.kit import Opened, Overlaid

IMPORT_REFUSED = rule("import-refused")


def tried(root: Path, texts: Mapping[str, str], request: ImportRequest) -> Opened:
    """Load the kit as it would be with some files.

    What is wrong with them is a FindingsError about the tree: nobody has seen the spec.
    """
    files = SpecFiles(Overlaid(Disk(root), texts))
    try:
        kit = load_kit(files)
    except FindingsError as error:
        wrong = [each for each in error.findings if each.blocks]
        raise FindingsError(_refused(wrong, request, texts)) from error
    return Opened(root=root, kit=kit, texts=files.texts)


def compared(
    opened: Opened, name: str, version: str, givens: Sequence[GivenTree], carried: Mapping[str, str]
) -> list[Comparison]:
    """Hold each tree against what the kit builds for it."""
    component = opened.kit.components[name][version]
    return [
        compare(objects_of(opened, component, given.who, carried) or [], given.bodies) for given in givens
    ]


def assembled(
    opened: Opened, name: str, version: str, givens: Sequence[GivenTree], carried: Mapping[str, str]
) -> list[Made]:
    """Return the objects of each tree as patches find them."""
    component = opened.kit.components[name][version]
    made: list[Made] = []
    for given in givens:
        unit = unit_of(opened, component, given.who, carried)
        made.append(by_name((*unit.assembled, *unit.crds) if unit else ()))
    return made


def by_name(objects: Iterable[Manifest]) -> Made:
    """Return objects by what patches call them."""
    return {(each.id.group, each.id.kind, each.id.name): each.body for each in objects}


def refuse_unsound(
    opened: Opened,
    request: ImportRequest,
    givens: Sequence[GivenTree],
    carried: Mapping[str, str],
    texts: Mapping[str, str],
) -> None:
    """Raise if the new version does not compile, as a target has it or by itself."""
    component = opened.kit.components[request.component][request.version]
    for given in givens:
        unit = unit_of(opened, component, given.who, carried)
        found = opened.judged(unit.findings) if unit else []
        if wrong := [each for each in found if each.blocks]:
            raise FindingsError(_refused(wrong, request, texts))


def idle_patches(
    opened: Opened, request: ImportRequest, givens: Sequence[GivenTree], carried: Mapping[str, str]
) -> list[str]:
    """Return the paths of patches of older versions that change nothing any more, in no tree."""
    component = opened.kit.components[request.component][request.version]
    parts = {
        "": component.part,
        **{f"/features/{name}": each.part for name, each in component.features.items()},
    }
    paths = {
        layer.origin: f"{where}/patches/{layer.data['name']}"
        for where, part in parts.items()
        for layer in part.layers("patches")
    }
    idle: set[Origin] = set()
    for given in givens:
        unit = unit_of(opened, component, given.who, carried)
        idle |= {each.origin for each in (unit.findings if unit else ()) if each.rule is PATCH_NOTHING}
    return [path for origin, path in paths.items() if origin in idle]


def _refused(findings: Iterable[Finding], request: ImportRequest, texts: Mapping[str, str]) -> list[Finding]:
    """Return what is wrong as findings about the tree, with the place in the spec that nobody has seen."""
    made = []
    for each in locate(findings, texts.get):
        wrong = _wrong(each.origin, request, texts)
        message = f"the import cannot be made: {wrong}: {each.rule.id}: {each.message}"
        made.append(IMPORT_REFUSED(message, hint=each.hint).at(Origin(request.real)))
    return unique(made)


def _wrong(origin: Origin, request: ImportRequest, texts: Mapping[str, str]) -> str:
    """Say what would be wrong; files that would not be written are right as they are."""
    if origin.file in texts:
        line = f":{origin.line}" if origin.line else ""
        return f"{origin.file}{line} would be wrong"
    place = f" at {pointer(origin.path)}" if origin.path else ""
    return f"{request.component}@{request.version} would be wrong{place} (said in {origin.file})"
