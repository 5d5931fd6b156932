"""Every kind of file with the function that holds it to a release."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from msgspec import Struct

from kitgen.findings import MAX_ERRORS, MAX_FINDINGS, Finding, too_many, too_many_findings
from kitgen.release.downstream.reading import Downstream
from kitgen.release.downstream.records import (
    BuiltVersion,
    ComponentMetadata,
    ParamsFile,
    RelatedImages,
    Sources,
    Stream,
)
from kitgen.release.downstream_rules.built import check_built
from kitgen.release.downstream_rules.catalogs import check_catalogs
from kitgen.release.downstream_rules.images import check_images, check_streams
from kitgen.release.downstream_rules.metadata import check_metadata
from kitgen.release.downstream_rules.params import check_params
from kitgen.release.downstream_rules.readmes import check_readmes
from kitgen.release.downstream_rules.sources import check_sources
from kitgen.release.downstream_rules.terms import ReleaseTerms
from kitgen.text.wording import choice

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
SHOWN = 5
SILENT = (BuiltVersion, ComponentMetadata, ParamsFile, RelatedImages, Sources, Stream)
"""Records that do not say which release they are of."""


class DownstreamResult(Struct, frozen=True, kw_only=True):
    """What came of holding files to a release."""

    findings: tuple[Finding, ...]
    remarks: tuple[str, ...]


def _said(terms: ReleaseTerms, found: Downstream) -> Iterator[Finding | str]:
    """Yield what every check says, and not more errors than anybody reads."""
    errors = findings = 0
    for each in chain.from_iterable(check(terms, found) for check in CHECKS):
        yield each
        if isinstance(each, Finding):
            errors += each.blocks
            findings += 1
            if errors > MAX_ERRORS or findings > MAX_FINDINGS:
                enough = too_many if errors > MAX_ERRORS else too_many_findings
                yield enough(each.origin.file)
                return


def hold(terms: ReleaseTerms, found: Downstream) -> DownstreamResult:
    """Hold all that was read to a release, or to those that it says it is of."""
    said = [*_said(terms, found)]
    remarks = [each for each in said if isinstance(each, str)]
    if terms.release is None:
        files = [each.origin.file for each in found.records if isinstance(each, SILENT)]
        if silent := [*dict.fromkeys(files)]:
            told = choice(silent, last="and", most=SHOWN)
            remarks.append(f"held to no release, since they do not say which: {told} (name the VERSION)")
    return DownstreamResult(
        findings=tuple(each for each in said if isinstance(each, Finding)),
        remarks=tuple(dict.fromkeys(remarks)),
    )
