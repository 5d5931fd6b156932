"""Report an import of CRDs: its input, what was stripped, what was written, and what to review."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from kitgen.report.finish import print_lines
from kitgen.text.values import group_pairs
from kitgen.text.wording import format_count

if TYPE_CHECKING:
    from kitgen.importing.crd_import import CrdImportResult


def print_crd_report(work: CrdImportResult) -> None:
    """Print what was made of the CRDs, what they carried, and what is not in the declarations."""
    imported, others, lines = work.made, len(work.given.others), 0
    for file in imported.files:
        note = "  (written out: no shorter form comes back exactly)" if file.is_literal else ""
        print_lines([f"{file.name}: {format_count(file.text.count(chr(10)), 'line')}{note}"])
        lines += file.text.count("\n")
    words = [
        f"{format_count(len(imported.files), 'CRD')}, {format_count(lines, 'line')}",
        f"Kubernetes 1.{imported.minor}",
    ]
    if imported.descriptions:
        words.append(f"{imported.descriptions} descriptions dropped")
    if others:
        words.append(f"{format_count(others, 'other object')} passed over")
    print_lines([", ".join(words), *_describe_changes(work)])
    if work.others:
        print_lines(
            [f"not touched: {', '.join(work.others)}; they hold the component to its minor"], err=True
        )


def _describe_changes(work: CrdImportResult) -> Iterator[str]:
    by_givers = group_pairs(
        (_describe_label_sources(files, work.request.component), f"{key}={value}")
        for (key, value), files in work.bare.labels.items()
    )
    for givers, pairs in by_givers.items():
        yield f"taken out: {format_count(len(pairs), 'label')}, given by {givers}: {', '.join(pairs)}"
    left = [body["metadata"].get("labels") or {} for body in work.bare.bodies]
    if kept := sorted({f"{key}={value}" for labels in left for key, value in labels.items()}):
        yield f"kept: {format_count(len(kept), 'label')} that no label rule gives: {', '.join(kept)}"
    for given, meant in work.bare.services.items():
        yield f"taken out: the conversion's Service {given} is the component's own, {meant}"
    if work.start.taken:
        names = " and ".join(["component.yaml", *work.start.others])
        yield f"taken over: {names} of {work.start.taken}; look at its images and what else is new"


def _describe_label_sources(files: tuple[str, ...], component: str) -> str:
    """Name the files that give a label; where the component does, targets need not."""
    own = f"components/{component}/"
    return "component.yaml" if any(file.startswith(own) for file in files) else " and ".join(files)
