"""Read files that tell digests, in whichever form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path

from msgspec import Struct, field

from kitgen.findings import MAX_ERRORS, Finding, Origin, make_problem, report_limit
from kitgen.images.digests.forms import find_digests, has_digest_lines, parse_digest_lines
from kitgen.images.digests.records import Found, ImageDigest
from kitgen.kit.foreign_objects import parse_documents
from kitgen.kit.manifests import STDIN, ReadBudget, exists, read_manifests
from kitgen.text.values import entries_at, text_at
from kitgen.text.wording import describe_value
from kitgen.text.yaml import Json

INSPECT = "skopeo inspect --no-tags docker://IMAGE prints it"


class ReadDigests(Struct, frozen=True, kw_only=True):
    """What files tell."""

    told: tuple[ImageDigest, ...] = ()
    findings: tuple[Finding, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    """The files, for the lines of findings."""


def read_digests(names: Iterable[str]) -> ReadDigests:
    """Read files and standard input (`-`)."""
    intake = ReadBudget()
    parts = []
    for name in dict.fromkeys(names):
        if name != STDIN and exists(Path(name)) and Path(name).is_dir():
            fault = make_problem("file-kind", "found a folder, expected a file that tells digests", line=1)
            parts.append(ReadDigests(findings=(fault.to_finding(Origin(name)),)))
            continue
        texts, wrong = read_manifests(name, intake)
        parts.append(ReadDigests(findings=tuple(wrong)))
        parts += (parse_digests(file, text, intake) for file, text in texts.items())
    return ReadDigests(
        told=tuple(each for part in parts for each in part.told),
        findings=tuple(each for part in parts for each in part.findings),
        texts={file: text for part in parts for file, text in part.texts.items()},
    )


def parse_digests(file: str, text: str, intake: ReadBudget | None = None) -> ReadDigests:
    """Return what a text tells; one that tells nothing is a finding."""
    found: Iterable[Found]
    if has_digest_lines(text):
        found = parse_digest_lines(file, text)
    else:
        documents, wrong = parse_documents(file, text, intake or ReadBudget())
        places = [Origin(file, document=number) for number in range(len(documents))]
        found = [*wrong, *chain.from_iterable(map(_find_document_digests, documents, places))]
        found = found or [_report_no_digests(text, documents, file)]
    told: list[ImageDigest] = []
    findings: list[Finding] = []
    for each in found:
        if isinstance(each, ImageDigest):
            told.append(each)
            continue
        findings.append(each)
        if len(findings) > MAX_ERRORS:
            findings.append(report_limit(file))
            break
    return ReadDigests(told=tuple(told), findings=tuple(findings), texts={file: text})


def _find_document_digests(data: Json, origin: Origin) -> Iterator[Found]:
    """Yield what a document tells: itself, or the items of a list or of a List of Kubernetes."""
    if isinstance(data, list):
        data = {"kind": "List", "items": data}
    elif text_at(data, "kind").endswith("List"):
        origin = origin.at("items")
    elif isinstance(data, dict):
        yield from find_digests(data, origin)
        return
    for index, each in entries_at(data, "items"):
        yield from find_digests(each, origin.at(index))


def _report_no_digests(text: str, documents: list[Json], file: str) -> Finding:
    what = (
        describe_value(documents[0], reveal=False)
        if documents and documents[0] is not None
        else "an empty file"
    )
    if text.strip() and what == "an empty file":
        what = "comments alone"
    return make_problem(
        "digest-form", f"found {what}, expected digests of images", hint=INSPECT, line=1
    ).to_finding(Origin(file))
