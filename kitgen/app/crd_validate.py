"""Run `kitgen crd validate`: validate custom resources against the CRDs that declare them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from kitgen.crd.definition import Catalog, by_kind
from kitgen.crd.validate.objects import Validation, check_object, join
from kitgen.crd.validate.rules import Effort
from kitgen.files.root import in_kit
from kitgen.findings import MAX_ERRORS, Origin, problem, too_many
from kitgen.findings.errors import UsageError
from kitgen.kit.foreign_objects import Foreign, ForeignObject
from kitgen.kit.manifest_gathering import read_files
from kitgen.text.wording import choice, counted
from kitgen.workspace.crd_sources import crds_of
from kitgen.workspace.sources import Kits, SourceKind, SourceName, parse_source


def crd_validate(
    root: Path | None, files: tuple[str, ...], crds: tuple[str, ...]
) -> tuple[Validation, Mapping[str, str], list[str]]:
    """Check the objects in files, folders and standard input, against the kit's CRDs if none are named.

    Return what was found, what was read for the lines of findings, and what was left out.
    """
    if not crds and not in_kit(root):
        raise UsageError(
            "no kit here that declares CRDs: --crds is needed", hint="name a file or a folder that has them"
        )
    kits = Kits(root)
    names = [kits.resolve(parse_source(each)) for each in crds] or [SourceName(kind=SourceKind.KIT)]
    known = by_kind([body for name in names for body in crds_of(kits, name)])
    read, remarks = read_files(files, kits.intake, known)
    return validated(known, read), read.texts, remarks


def validated(known: Catalog, read: Foreign) -> Validation:
    """Check what was read; a document that is no object is a finding, and so is that nothing was checked."""
    found = join([Validation(findings=read.findings), *_parts(known, read)])
    if found.objects or not found.skipped or any(each.blocks for each in found.findings):
        return found
    kinds = choice(sorted({*found.skipped}), last="and", most=3)
    none = problem(
        "crd-none",
        f"found {counted(len(found.skipped), 'object')} and no CRD that declares one: {kinds}",
        hint="name the component or file that declares them with --crds",
    )
    return join([found, Validation(findings=(none.at(Origin(read.objects[0].origin.file, (), 1)),))])


def _parts(known: Catalog, read: Foreign) -> Iterator[Validation]:
    errors, effort = 0, Effort()
    for each in read.objects:
        found = _checked(each, known, effort)
        yield found
        errors += sum(finding.blocks for finding in found.findings)
        if errors > MAX_ERRORS:
            yield Validation(findings=(too_many(each.origin.file),))
            return
        if effort.left < 0:  # said of this object
            return


def _checked(each: ForeignObject, known: Catalog, effort: Effort) -> Validation:
    # What is wrong with the metadata of a kind that is known, the walk along its CRD says in full.
    if wrong := [fault for fault in each.problems if fault.path != ("metadata",)]:
        return Validation(findings=(wrong[0].at(each.origin),))
    return check_object(each.body, each.origin, known, effort)
