"""What `kitgen crd validate` does: hold custom resources against the CRDs that declare them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from kitgen.crd.definition import Catalog, by_kind
from kitgen.crd.validate.objects import Validation, check_object, join
from kitgen.crd.validate.rules import Effort
from kitgen.files.root import in_kit
from kitgen.findings import MAX_ERRORS, Origin, too_many
from kitgen.findings.errors import UsageError
from kitgen.kit.foreign_objects import Foreign, ForeignObject
from kitgen.kit.manifest_gathering import read_files
from kitgen.text.wording import choice, counted
from kitgen.text.yaml import JsonObject
from kitgen.workspace.crd_sources import CRD_NONE, crds_of
from kitgen.workspace.sources import Kits, SourceKind, SourceName, parse_source


class ValidateRequest(Struct, frozen=True, kw_only=True):
    """What to validate, and against what."""

    root: Path | None = None
    files: tuple[str, ...]
    crds: tuple[str, ...] = ()
    """Where the CRDs are; those of the kit when empty."""


class Validated(Struct, frozen=True, kw_only=True):
    """What was looked at and found."""

    checked: Validation
    texts: Mapping[str, str]
    """What was read, for the lines of findings."""
    remarks: tuple[str, ...] = ()
    """What was left out, and why."""


def crd_validate(request: ValidateRequest) -> Validated:
    """Check the objects in files, folders and standard input."""
    kits = Kits(request.root)
    known = by_kind(_bodies(kits, request))
    read, remarks = read_files(request.files, kits.intake, known)
    return Validated(checked=validated(known, read), texts=read.texts, remarks=tuple(remarks))


def validated(known: Catalog, read: Foreign) -> Validation:
    """Check what was read; a document that is no object is a finding, and so is that nothing was checked."""
    found = join([Validation(findings=read.findings), *_parts(known, read)])
    if found.objects or not found.skipped or any(each.blocks for each in found.findings):
        return found
    kinds = choice(sorted({*found.skipped}), last="and", most=3)
    message = f"found {counted(len(found.skipped), 'object')} and no CRD that declares one: {kinds}"
    none = CRD_NONE(message, hint="name the component or file that declares them with --crds")
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
    wrong = [problem for problem in each.problems if problem.path != ("metadata",)]
    if wrong:
        return Validation(findings=(wrong[0].at(each.origin),))
    return check_object(each.body, each.origin, known, effort)


def _bodies(kits: Kits, request: ValidateRequest) -> list[JsonObject]:
    if not request.crds and not in_kit(request.root):
        hint = "name a file or a folder that has them"
        raise UsageError("no kit here that declares CRDs: --crds is needed", hint=hint)
    names = [kits.resolve(parse_source(each)) for each in request.crds] or [SourceName(kind=SourceKind.KIT)]
    return [body for name in names for body in crds_of(kits, name)]
