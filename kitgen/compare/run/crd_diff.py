"""What `kitgen crd diff` does: compare CRDs, and judge the changes by what people accept."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from kitgen.compare.crds.compare import build_bases_hint, compare_crds
from kitgen.compare.exceptions import ExceptionResult, apply_exceptions, read_exceptions
from kitgen.findings import Finding
from kitgen.findings.errors import FindingsError, KitgenError, UsageError
from kitgen.kit.foreign_objects import parse_documents
from kitgen.kit.manifests import ReadBudget, read_manifests
from kitgen.text.yaml import Json
from kitgen.workspace.crd_sources import read_source_crds
from kitgen.workspace.sources import Kits, parse_source

MAX_CHANGES = 50_000
"""Nobody reads as many, and they take time and space to write."""


class CrdDiff(Struct, frozen=True, kw_only=True):
    """What changed, and what of it counts."""

    verdict: ExceptionResult
    texts: Mapping[str, str] = field(default_factory=dict)
    """What was read, for the lines of findings."""
    unread: tuple[Finding, ...] = ()
    """Migrations that do not count, since they are wrong."""


def diff_crds(root: Path | None, former: str, current: str, file: str | None) -> CrdDiff:
    """Compare the CRDs of two sources; the file names changes that are accepted, with reasons."""
    data, texts = _read_exceptions_file(file) if file else (None, {})
    accepted, wrong = read_exceptions(data, next(iter(texts), ""))
    kits = Kits(root)
    old, new = (kits.resolve(parse_source(each)) for each in (former, current))
    # Of a CRD that a kit has in several versions the newest counts: it comes first, and then last.
    before, after = (read_source_crds(kits, each)[::-1] for each in (old, new))
    declared = kits.load_declared_moves()
    if len(changes := compare_crds(before, after, declared.moves)) > MAX_CHANGES:
        raise KitgenError(
            f"found {len(changes)} changes, expected at most {MAX_CHANGES}",
            hint="compare some CRDs at a time",
        )
    hint = build_bases_hint(before if old.is_foreign else None, after if new.is_foreign else None, changes)
    return CrdDiff(
        verdict=replace(apply_exceptions(changes, accepted, wrong), hint=hint),
        texts=texts,
        unread=declared.unread,
    )


def _read_exceptions_file(name: str) -> tuple[Json, dict[str, str]]:
    """Read the exceptions; one document, and a name that leads to a file."""
    intake = ReadBudget()
    texts, findings = read_manifests(name, intake)
    documents: list[Json] = []
    for file, text in texts.items():
        found, wrong = parse_documents(file, text, intake)
        documents += found
        findings += wrong
    if findings:
        raise FindingsError(findings, texts=texts)
    if len(texts) != 1 or len(documents) > 1:
        raise UsageError(f"{name} is not one file with one list of exceptions")
    return (documents[0] if documents else None), texts
