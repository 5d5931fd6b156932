"""Recognise files by their names and by what is in them, read each, and hold all of them to a release."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from posixpath import basename
from typing import NamedTuple

from kitgen.findings import MAX_ERRORS, MAX_FINDINGS, Finding, Origin, problem, too_many, too_many_findings
from kitgen.kit.manifests import Intake
from kitgen.olm.packages.records import CSV
from kitgen.release.downstream.built import check_built, read_go_mod, read_makefile
from kitgen.release.downstream.catalogs import CHANNEL, catalogs_in, check_catalogs, read_channel, read_csv
from kitgen.release.downstream.images import check_images, check_streams, read_patch, read_stream
from kitgen.release.downstream.metadata import check_metadata, read_metadata
from kitgen.release.downstream.params import check_params, read_params
from kitgen.release.downstream.readmes import check_readmes, read_readme
from kitgen.release.downstream.records import (
    ComponentMetadata,
    Csv,
    Downstream,
    DownstreamFile,
    GoModules,
    Makefile,
    ParamsFile,
    Reader,
    Record,
    RelatedImages,
    Sources,
    Stream,
    in_documents,
    in_objects,
)
from kitgen.release.downstream.sources import check_sources, read_config, read_script
from kitgen.release.downstream.terms import ReleaseTerms
from kitgen.release.downstream.walk import FileFilter, Walked, walk
from kitgen.text.wording import choice, counted

SHOWN = 5
"""How many files are named that were not recognised, or do not say their release."""
STREAM = "ImageStream"


class FileKind(NamedTuple):
    """A kind of file: what it is called, what is in it, and who reads it."""

    name: re.Pattern[str]
    signs: tuple[str, ...]
    """Texts of which a file has one; none if its name tells what it is."""
    read: Reader
    sure: bool
    """Whether one that cannot be read is worth a finding, though only a folder above it was named."""


def _kind(name: str, read: Reader, *signs: str, sure: bool = True) -> FileKind:
    return FileKind(re.compile(name, re.IGNORECASE), signs, read, sure)


YAML = r".+\.(?:ya?ml|json)"
KINDS = (
    _kind(r".+\.md|readme", read_readme, "atrix"),
    _kind(r"component_metadata\.ya?ml", read_metadata),
    _kind(r"params\.env", read_params),
    _kind(r".+\.sh", read_script, "COMPONENT_MANIFESTS=("),
    _kind(r"manifests-config\.ya?ml", in_documents(read_config)),
    _kind(r"(?:bundle|additional-images)-patch\.ya?ml", in_documents(read_patch)),
    _kind(r".+\.clusterserviceversion\.ya?ml", in_objects(CSV, read_csv)),
    _kind(YAML, in_objects(CSV, read_csv), CSV, sure=False),
    _kind(YAML, in_objects(STREAM, read_stream), STREAM, sure=False),
    _kind(YAML, in_documents(read_channel), CHANNEL, sure=False),
    _kind(YAML, in_documents(read_patch), "relatedImages:", "additionalImages:", sure=False),
    _kind(r"(?:GNU)?makefile|.+\.mk", read_makefile, "_VERSION"),
    _kind(r"go\.mod", read_go_mod),
)
CHECKS = (
    check_readmes,
    check_metadata,
    check_params,
    check_sources,
    check_images,
    check_catalogs,
    check_built,
    check_streams,
)
SILENT = (Makefile, GoModules, ComponentMetadata, ParamsFile, RelatedImages, Sources, Stream)
"""Records that do not say which release they are of."""


def read_downstream(names: Iterable[str]) -> Downstream:
    """Read files and folders; a name behind which nothing is recognised is a finding."""
    names, intake = tuple(dict.fromkeys(names)), Intake()
    walked = walk(names, _wanted, intake)
    looked = dict(_read_all(walked.files, intake))
    found = {name: read for name, read in looked.items() if read}
    records = [*chain.from_iterable(found.values())]
    records += catalogs_in(walked.folders, [each for each in records if isinstance(each, Csv)])
    strange = sorted([*walked.left, *(name for name, read in looked.items() if not read)])
    told = f"{counted(len(strange), 'file')} of no kind that can be held to a release"
    wrong = (each for each in records if isinstance(each, Finding))
    return Downstream(
        records=tuple(each for each in records if not isinstance(each, Finding)),
        folders=walked.folders,
        findings=(*walked.findings, *wrong, *_nothing(names, walked, records)),
        texts={file.name: file.text for file in walked.files if file.name in found},
        remarks=(f"{told}: {choice(strange, last='and', most=SHOWN)}",) if strange and found else (),
    )


def _wanted(name: str) -> FileFilter:
    if not (kinds := [kind for kind in KINDS if kind.name.fullmatch(name)]):
        return FileFilter.NO
    return FileFilter.SURELY if any(not kind.signs for kind in kinds) else FileFilter.PERHAPS


def _read_all(files: Iterable[DownstreamFile], intake: Intake) -> Iterator[tuple[str, list[Record]]]:
    """Yield what each file holds, by its name; behind more errors than anybody reads, no other is read."""
    errors = 0
    for file in files:
        found = _recognised(file, intake)
        errors += sum(isinstance(each, Finding) for each in found)
        if errors > MAX_ERRORS:
            yield file.name, [*found, too_many(file.name)]
            return
        yield file.name, found


def _recognised(file: DownstreamFile, intake: Intake) -> list[Record]:
    """Return what a file holds; nothing if it is of no known kind."""
    for kind in KINDS:
        signed = not kind.signs or any(sign in file.text for sign in kind.signs)
        if signed and kind.name.fullmatch(basename(file.name)):
            found = list(_bounded(kind.read(file, intake)))
            broken = found and all(isinstance(each, Finding) for each in found)
            if found and (kind.sure or file.named or not broken):
                return found
    return []


def _bounded(records: Iterable[Record]) -> Iterator[Record]:
    """Yield records, up to more errors than anybody reads."""
    errors = 0
    for each in records:
        yield each
        errors += isinstance(each, Finding)
        if errors > MAX_ERRORS:
            return


def _nothing(names: Iterable[str], walked: Walked, records: Iterable[Record]) -> Iterator[Finding]:
    """Yield names behind which nothing was recognised, and of which nothing else is told."""
    known = {Path(each.origin.file) for each in (*records, *walked.findings)}
    around = known.union(*(each.parents for each in known))
    for name in names:
        if Path(name) not in around:
            hint = "a README with a matrix, component_metadata.yaml, params.env, get_all_manifests.sh, …"
            yield problem("against-nothing", "found nothing that can be held to a release", hint=hint).at(
                Origin(name)
            )


def check_downstream(terms: ReleaseTerms, found: Downstream) -> Iterator[Finding | str]:
    """Yield what differs from a release, or from those that files say they are of, and remarks on it.

    Of errors, it yields not more than anybody reads.
    """
    errors = findings = 0
    for each in chain.from_iterable(check(terms, found) for check in CHECKS):
        yield each
        if isinstance(each, Finding):
            errors += each.blocks
            findings += 1
            if errors > MAX_ERRORS or findings > MAX_FINDINGS:
                yield (too_many if errors > MAX_ERRORS else too_many_findings)(each.origin.file)
                break
    if terms.release is None:
        files = [each.origin.file for each in found.records if isinstance(each, SILENT)]
        if silent := [*dict.fromkeys(files)]:
            told = choice(silent, last="and", most=SHOWN)
            yield f"held to no release, since they do not say which: {told} (name the VERSION)"
