"""Tell the forms apart by what is in a file, and read each by the reader of its form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path

from msgspec import Struct, field

from kitgen.findings import MAX_ERRORS, Finding, Origin, problem, too_many
from kitgen.images.digests.lists import (
    is_imgpkg,
    is_kbld,
    is_own,
    is_related,
    read_imgpkg,
    read_kbld,
    read_own,
    read_related,
)
from kitgen.images.digests.outputs import (
    INSPECT,
    is_lines,
    is_manifest,
    is_oc,
    is_skopeo,
    read_lines,
    read_manifest,
    read_oc,
    read_skopeo,
)
from kitgen.images.digests.records import Found, ImageDigest
from kitgen.kit.foreign_objects import documents_of
from kitgen.kit.manifests import STDIN, Intake, exists, manifest_texts
from kitgen.text.wording import shown
from kitgen.text.yaml import Json, JsonObject

FORMS: tuple[tuple[Callable[[JsonObject], bool], Callable[[JsonObject, Origin], Iterator[Found]]], ...] = (
    (is_own, read_own),
    (is_imgpkg, read_imgpkg),
    (is_kbld, read_kbld),
    (is_related, read_related),
    (is_manifest, read_manifest),
    (is_oc, read_oc),
    (is_skopeo, read_skopeo),
)
"""Forms of data: how each is told, and who reads it."""


class Digests(Struct, frozen=True, kw_only=True):
    """What files tell."""

    told: tuple[ImageDigest, ...] = ()
    findings: tuple[Finding, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    """The files, for the lines of findings."""
    releases: Mapping[Origin, str] = field(default_factory=dict)
    """The releases that locks of kitgen among them are for, and where they say so."""


def read_digests(names: Iterable[str]) -> Digests:
    """Read files and standard input (`-`)."""
    intake = Intake()
    parts = []
    for name in dict.fromkeys(names):
        if name != STDIN and exists(Path(name)) and Path(name).is_dir():
            fault = problem("file-kind", "found a folder, expected a file that tells digests", line=1)
            parts.append(Digests(findings=(fault.at(Origin(name)),)))
            continue
        texts, wrong = manifest_texts(name, intake)
        parts.append(Digests(findings=tuple(wrong)))
        parts += (digests_in(file, text, intake) for file, text in texts.items())
    return Digests(
        told=tuple(each for part in parts for each in part.told),
        findings=tuple(each for part in parts for each in part.findings),
        texts={file: text for part in parts for file, text in part.texts.items()},
        releases={origin: name for part in parts for origin, name in part.releases.items()},
    )


def digests_in(file: str, text: str, intake: Intake | None = None) -> Digests:
    """Return what a text tells; one that tells nothing is a finding."""
    releases: dict[Origin, str] = {}
    found: Iterable[Found]
    if is_lines(text):
        found = read_lines(file, text)
    else:
        documents, wrong = documents_of(file, text, intake or Intake())
        places = [Origin(file, document=number) for number in range(len(documents))]
        releases = {
            origin.at("release"): str(data["release"])
            for data, origin in zip(documents, places, strict=True)
            if isinstance(data, dict) and is_own(data)
        }
        found = [*wrong, *chain.from_iterable(map(_read, documents, places))]
        found = found or [_nothing(text, documents, file)]
    told: list[ImageDigest] = []
    findings: list[Finding] = []
    for each in found:
        if isinstance(each, ImageDigest):
            told.append(each)
            continue
        findings.append(each)
        if len(findings) > MAX_ERRORS:
            findings.append(too_many(file))
            break
    return Digests(told=tuple(told), findings=tuple(findings), texts={file: text}, releases=releases)


def _read(data: Json, origin: Origin) -> Iterator[Found]:
    """Yield what a document tells; a list holds others, and what is none of the forms tells nothing."""
    for each, place in _parts(data, origin):
        if (read := next((read for fits, read in FORMS if fits(each)), None)) is not None:
            yield from read(each, place)


def _parts(data: Json, origin: Origin) -> Iterator[tuple[JsonObject, Origin]]:
    """Yield the mappings of a document: itself, or the items of a list or of a List of Kubernetes."""
    steps: tuple[str, ...] = ()
    if (
        isinstance(data, dict)
        and isinstance(data.get("items"), list)
        and str(data.get("kind")).endswith("List")
    ):
        data, steps = data["items"], ("items",)
    for index, each in enumerate(data) if isinstance(data, list) else ():
        if isinstance(each, dict):
            yield each, origin.at(*steps, index)
    if isinstance(data, dict):
        yield data, origin


def _nothing(text: str, documents: list[Json], file: str) -> Finding:
    what = shown(documents[0], reveal=False) if documents and documents[0] is not None else "an empty file"
    if text.strip() and what == "an empty file":
        what = "comments alone"
    return problem("digest-form", f"found {what}, expected digests of images", hint=INSPECT, line=1).at(
        Origin(file)
    )
