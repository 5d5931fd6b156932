"""Read OLM bundles: a folder with manifests and metadata, or the folder of manifests alone."""

from __future__ import annotations

import re
from pathlib import Path
from posixpath import isabs, isdir, join, normpath
from typing import TypeAlias

from kitgen.files.tree import resolve_inside
from kitgen.findings import Finding, Origin, make_problem
from kitgen.kit.foreign_objects import parse_documents
from kitgen.kit.manifests import ReadBudget, read_manifests
from kitgen.text.patterns import compile_late
from kitgen.text.values import value_at

ANNOTATIONS = ("metadata/annotations.yaml", "metadata/annotations.yml")
TESTS = "tests"
MANIFESTS = "operators.operatorframework.io.bundle.manifests.v1"
CSV = compile_late(
    r"^[^\S\n]*(?:\{[^\S\n]*)?['\"]?kind['\"]?\s*:\s*['\"]?ClusterServiceVersion\b", re.MULTILINE
)
Texts: TypeAlias = tuple[dict[str, str], list[Finding]]


def read_bundle_texts(folder: str, intake: ReadBudget) -> Texts | None:
    """Return the manifests of a bundle, by file, and what is wrong with the others; None if it is none.

    OLM reads those in the folder itself, and none below it.
    """
    if not Path(folder).is_dir():
        return None
    file = next((found for each in ANNOTATIONS if Path(found := join(folder, each)).is_file()), "")
    if file:
        texts, findings = read_manifests(file, intake)
        place = findings or _find_manifest_folder(folder, *next(iter(texts.items())), intake)
        if isinstance(place, list):
            return texts, place
        if place:
            return _add_tests(folder, read_manifests(place, intake, deep=False), intake)
    # Its manifests are read to see whether one is a ClusterServiceVersion, and again if so.
    own = read_manifests(folder, ReadBudget(), deep=False)[0]
    return read_manifests(folder, intake, deep=False) if any(map(CSV.search, own.values())) else None


def _find_manifest_folder(folder: str, file: str, text: str, intake: ReadBudget) -> str | list[Finding]:
    """Return the folder that annotations name, empty if they name none and there is none."""
    documents, wrong = parse_documents(file, text, intake)
    if wrong:
        return wrong
    said = value_at(documents, 0, "annotations", MANIFESTS)
    name = normpath(said) if isinstance(said, str) and said else "manifests"
    at = Origin(file, ("annotations", MANIFESTS))
    if isabs(name) or "\0" in name or resolve_inside(Path(folder), name) is None:
        return [make_problem("path-outside", "the path leaves the bundle").to_finding(at)]
    if isdir(join(folder, name)):
        return join(folder, name)
    return [make_problem("file-missing", "found no such folder in the bundle").to_finding(at)] if said else ""


def _add_tests(folder: str, found: Texts, intake: ReadBudget) -> Texts:
    """Add the tests of a bundle for those who only look: they are none of its objects."""
    tests = join(folder, TESTS)
    if not intake.looking or not Path(tests).is_dir():
        return found
    texts, findings = read_manifests(tests, intake)
    return {**found[0], **texts}, [*found[1], *findings]
