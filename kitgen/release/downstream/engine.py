"""Recognise files by their names and by what is in them, read each, and hold all of them to a release."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from posixpath import basename

from kitgen.findings import (
    MAX_ERRORS,
    MAX_FINDINGS,
    Finding,
    Origin,
    make_problem,
    report_findings_limit,
    report_limit,
)
from kitgen.kit.manifests import ReadBudget
from kitgen.olm.packages.records import CSV
from kitgen.release.downstream.csvs import check_csvs, read_csvs
from kitgen.release.downstream.metadata import check_metadata, read_metadata
from kitgen.release.downstream.params import check_params, read_params
from kitgen.release.downstream.readmes import check_readmes, read_readme
from kitgen.release.downstream.records import (
    ComponentMetadata,
    Downstream,
    DownstreamFile,
    FileKind,
    ParamsFile,
    Record,
    Sources,
    make_document_reader,
)
from kitgen.release.downstream.sources import check_sources, read_config, read_script
from kitgen.release.downstream.terms import ReleaseTerms
from kitgen.release.downstream.walk import WalkedFiles, walk_files
from kitgen.text.wording import format_count, join_words

SHOWN = 5
"""How many files are named that were not recognised, or do not say their release."""
KINDS = (
    FileKind(r".+\.md|readme", read_readme, "atrix"),
    FileKind(r"component_metadata\.ya?ml", read_metadata),
    FileKind(r"params\.env", read_params),
    FileKind(r".+\.sh", read_script, "COMPONENT_MANIFESTS=("),
    FileKind(r"manifests-config\.ya?ml", make_document_reader(read_config)),
    FileKind(r".+\.clusterserviceversion\.ya?ml", make_document_reader(read_csvs)),
    FileKind(r".+\.(?:ya?ml|json)", make_document_reader(read_csvs), CSV, sure=False),
)
CHECKS = (check_readmes, check_metadata, check_params, check_sources, check_csvs)
SILENT = (ComponentMetadata, ParamsFile, Sources)
"""Records that do not say which release they are of."""


def read_downstream(names: Iterable[str]) -> Downstream:
    """Read files and folders; a name behind which nothing is recognised is a finding."""
    names, intake = tuple(dict.fromkeys(names)), ReadBudget()
    walked = walk_files(names, KINDS, intake)
    read = dict(_read_all(walked.files, intake))
    found = {name: each for name, each in read.items() if each}
    records = [*chain.from_iterable(found.values())]
    strange = sorted([*walked.left, *(name for name in read if name not in found)])
    told = f"{format_count(len(strange), 'file')} of no kind that can be held to a release"
    return Downstream(
        records=tuple(each for each in records if not isinstance(each, Finding)),
        folders=walked.folders,
        findings=(
            *walked.findings,
            *(each for each in records if isinstance(each, Finding)),
            *_check_unrecognised(names, walked, records),
        ),
        texts={file.name: file.text for file in walked.files if file.name in found},
        remarks=(f"{told}: {join_words(strange, last='and', most=SHOWN)}",) if strange and found else (),
    )


def _read_all(files: Iterable[DownstreamFile], intake: ReadBudget) -> Iterator[tuple[str, list[Record]]]:
    """Yield what each file holds, by its name; behind more errors than anybody reads, no other is read."""
    errors = 0
    for file in files:
        found: list[Record] = []
        for each in _read_records(file, intake):
            found.append(each)
            errors += isinstance(each, Finding)
            if errors > MAX_ERRORS:
                yield file.name, [*found, report_limit(file.name)]
                return
        yield file.name, found


def _read_records(file: DownstreamFile, intake: ReadBudget) -> Iterator[Record]:
    """Yield what a file holds; nothing if it is of no known kind."""
    name = basename(file.name)
    kind = next((kind for kind in KINDS if kind.sign in file.text and kind.matches_name(name)), None)
    if kind and (kind.sure or file.named):
        yield from kind.read(file, intake)
    elif kind:
        found = [*kind.read(file, intake)]
        yield from found if not all(isinstance(each, Finding) for each in found) else ()


def _check_unrecognised(
    names: Iterable[str], walked: WalkedFiles, records: Iterable[Record]
) -> Iterator[Finding]:
    """Yield names behind which nothing was recognised, and of which nothing else is told."""
    known = {Path(each.origin.file) for each in (*records, *walked.findings)}
    around = known.union(*(each.parents for each in known))
    for name in names:
        if Path(name) not in around:
            yield make_problem(
                "against-nothing",
                "found nothing that can be held to a release",
                hint="a README with a matrix, component_metadata.yaml, params.env, get_all_manifests.sh, …",
            ).to_finding(Origin(name))


def check_downstream(terms: ReleaseTerms, found: Downstream) -> Iterator[Finding | str]:
    """Yield what differs from a release, or from those that files say they are of, and remarks on it.

    Of errors, it yields not more than anybody reads.
    """
    errors = findings = 0
    for each in chain.from_iterable(check(terms, found) for check in CHECKS):
        yield each
        if isinstance(each, Finding):
            errors += each.is_blocking
            findings += 1
            if errors > MAX_ERRORS or findings > MAX_FINDINGS:
                yield (report_limit if errors > MAX_ERRORS else report_findings_limit)(each.origin.file)
                break
    silent = dict.fromkeys(each.origin.file for each in found.records if isinstance(each, SILENT))
    if silent and terms.release is None:
        told = join_words([*silent], last="and", most=SHOWN)
        yield f"held to no release, since they do not say which: {told} (name the VERSION)"
