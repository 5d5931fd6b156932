"""Run `kitgen crd validate`: validate custom resources against the CRDs that declare them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from kitgen.crd.definition import Catalog, group_by_kind
from kitgen.crd.validate.objects import Validation, check_object, merge_validations
from kitgen.crd.validate.rules import Effort
from kitgen.files.root import has_kit
from kitgen.findings import MAX_ERRORS, Origin, make_problem, report_limit
from kitgen.findings.errors import UsageError
from kitgen.kit.foreign_objects import Foreign, ForeignObject
from kitgen.kit.manifest_gathering import read_files
from kitgen.text.wording import format_count, join_words
from kitgen.workspace.crd_sources import read_source_crds
from kitgen.workspace.sources import Kits, SourceKind, SourceName, parse_source


def validate_resources(
    root: Path | None, files: tuple[str, ...], crds: tuple[str, ...]
) -> tuple[Validation, Mapping[str, str], list[str]]:
    """Check the objects in files, folders and standard input, against the kit's CRDs if none are named.

    Return what was found, what was read for the lines of findings, and what was left out.
    """
    if not crds and not has_kit(root):
        raise UsageError(
            "no kit here that declares CRDs: --crds is needed", hint="name a file or a folder that has them"
        )
    kits = Kits(root)
    names = [kits.resolve(parse_source(each)) for each in crds] or [SourceName(kind=SourceKind.KIT)]
    known = group_by_kind([body for name in names for body in read_source_crds(kits, name)])
    read, remarks = read_files(files, kits.intake, known)
    return validate_objects(known, read), read.texts, remarks


def validate_objects(known: Catalog, read: Foreign) -> Validation:
    """Check what was read; a document that is no object is a finding, and so is that nothing was checked."""
    found = merge_validations([Validation(findings=read.findings), *_validate_each(known, read)])
    if found.objects or not found.skipped or any(each.is_blocking for each in found.findings):
        return found
    kinds = join_words(sorted({*found.skipped}), last="and", most=3)
    none = make_problem(
        "crd-none",
        f"found {format_count(len(found.skipped), 'object')} and no CRD that declares one: {kinds}",
        hint="name the component or file that declares them with --crds",
    )
    return merge_validations(
        [found, Validation(findings=(none.to_finding(Origin(read.objects[0].origin.file, (), 1)),))]
    )


def _validate_each(known: Catalog, read: Foreign) -> Iterator[Validation]:
    errors, effort = 0, Effort()
    for each in read.objects:
        found = _validate_object(each, known, effort)
        yield found
        errors += sum(finding.is_blocking for finding in found.findings)
        if errors > MAX_ERRORS:
            yield Validation(findings=(report_limit(each.origin.file),))
            return
        if effort.left < 0:  # said of this object
            return


def _validate_object(each: ForeignObject, known: Catalog, effort: Effort) -> Validation:
    # What is wrong with the metadata of a kind that is known, the walk along its CRD says in full.
    if wrong := [fault for fault in each.problems if fault.path != ("metadata",)]:
        return Validation(findings=(wrong[0].to_finding(each.origin),))
    return check_object(each.body, each.origin, known, effort)
