"""Verify an import: compile what would be written, and hold it against the trees."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from kitgen.compile import Session
from kitgen.diff.objects import Comparison, compare
from kitgen.errors import FindingsError
from kitgen.findings import Chapter, Finding, Origin, Rule, unique
from kitgen.importer.trees import Given
from kitgen.load import SpecFiles, load_kit
from kitgen.load.files import Disk
from kitgen.pipeline.imports.files import Overlaid
from kitgen.pipeline.imports.request import ImportRequest
from kitgen.pipeline.imports.whose import built
from kitgen.pipeline.opened import Opened
from kitgen.report import locate

IMPORT_REFUSED = Rule(
    id="import-refused",
    chapter=Chapter.FILE,
    checks="What an import makes of trees is a spec that kitgen takes.",
    fix="Change in the tree what the message names, or write this part of the spec by hand.",
)


def verify(
    root: Path,
    texts: Mapping[str, str],
    request: ImportRequest,
    givens: Sequence[Given],
    carried: Mapping[str, str],
) -> list[Comparison]:
    """Hold each tree against what the kit would build for it with some more files.

    A spec that does not load or compile is a FindingsError about the tree: nobody has seen the spec.
    """
    files = SpecFiles(Overlaid(Disk(root), texts))
    try:
        kit = load_kit(files)
    except FindingsError as error:
        raise FindingsError(_refused(error.findings, request, texts)) from error
    opened = Opened(root=root, kit=kit, session=Session(kit), texts=files.texts)
    component = kit.components[request.component][request.version]
    made = []
    for given in givens:
        objects, findings = built(opened, component, given.who, carried)
        if wrong := [each for each in opened.judged(findings) if each.blocks]:
            raise FindingsError(_refused(wrong, request, texts))
        made.append(compare(objects or [], given.bodies))
    return made


def _refused(findings: Iterable[Finding], request: ImportRequest, texts: Mapping[str, str]) -> list[Finding]:
    """Return what is wrong as findings about the tree, with the place in the spec that nobody has seen."""
    made = []
    for each in locate(findings, texts.get):
        where = f"{each.origin.file}:{each.origin.line}" if each.origin.line else each.origin.file
        message = f"the import cannot be made: {where} would be wrong: {each.rule.id}: {each.message}"
        made.append(IMPORT_REFUSED(message, hint=each.hint).at(Origin(request.real)))
    return unique(made)
