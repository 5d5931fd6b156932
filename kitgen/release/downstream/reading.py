"""Recognise files by their names and by what is in them, and read each by the reader of its kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from posixpath import basename
from typing import NamedTuple, TypeVar

from msgspec import Struct, field

from kitgen.findings import MAX_ERRORS, Finding, Origin, too_many
from kitgen.kit.manifests import Intake
from kitgen.release.downstream.catalogs import catalogs_in, read_channels, read_csv
from kitgen.release.downstream.configs import read_config, read_patch, read_stream
from kitgen.release.downstream.metadata import read_metadata, read_readme
from kitgen.release.downstream.records import AGAINST_NOTHING, Csv, DownstreamFile, Record
from kitgen.release.downstream.texts import read_go_mod, read_makefile, read_params, read_script
from kitgen.release.downstream.walk import FileFilter, Walked, WalkedFolder, walk
from kitgen.text.wording import choice, counted

T = TypeVar("T")
SHOWN = 5
"""How many files are named that were not recognised."""


class FileKind(NamedTuple):
    """A kind of file: what it is called, what is in it, and who reads it."""

    name: re.Pattern[str]
    signs: tuple[str, ...]
    """Texts of which a file has one; none if its name tells what it is."""
    read: Callable[[DownstreamFile, Intake], Iterator[Record]]
    sure: bool
    """Whether one that cannot be read is worth a finding, though only a folder above it was named."""


def _kind(
    name: str, read: Callable[[DownstreamFile, Intake], Iterator[Record]], *signs: str, sure: bool = True
) -> FileKind:
    return FileKind(re.compile(name, re.IGNORECASE), signs, read, sure)


YAML = r".+\.(?:ya?ml|json)"
KINDS = (
    _kind(r".+\.md|readme", read_readme, "atrix"),
    _kind(r"component_metadata\.ya?ml", read_metadata),
    _kind(r"params\.env", read_params),
    _kind(r".+\.sh", read_script, "COMPONENT_MANIFESTS=("),
    _kind(r"manifests-config\.ya?ml", read_config),
    _kind(r"(?:bundle|additional-images)-patch\.ya?ml", read_patch),
    _kind(r".+\.clusterserviceversion\.ya?ml", read_csv),
    _kind(YAML, read_csv, "ClusterServiceVersion", sure=False),
    _kind(YAML, read_stream, "ImageStream", sure=False),
    _kind(YAML, read_channels, "olm.channel", sure=False),
    _kind(YAML, read_patch, "relatedImages:", "additionalImages:", sure=False),
    _kind(r"(?:GNU)?makefile|.+\.mk", read_makefile, "_VERSION"),
    _kind(r"go\.mod", read_go_mod),
)


class Downstream(Struct, frozen=True, kw_only=True):
    """What was read behind names."""

    records: tuple[Record, ...] = ()
    folders: tuple[WalkedFolder, ...] = ()
    findings: tuple[Finding, ...] = ()
    """Why something could not be read."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """The files that were recognised, for the lines of findings."""
    remarks: tuple[str, ...] = ()
    """What was not recognised."""

    def of(self, kind: type[T]) -> list[T]:
        """Return the records of a kind."""
        return [each for each in self.records if isinstance(each, kind)]


def read_downstream(names: Iterable[str]) -> Downstream:
    """Read files and folders; a name behind which nothing is recognised is a finding."""
    names, intake = tuple(dict.fromkeys(names)), Intake()
    walked = walk(names, _wanted, intake)
    looked = dict(_read_all(walked.files, intake))
    found = {name: read for name, read in looked.items() if read}
    records = [*chain.from_iterable(found.values())]
    folders = ((each.name, each.place.folder, each.place.root) for each in walked.folders)
    records += catalogs_in(folders, [each for each in records if isinstance(each, Csv)])
    strange = [name for name, read in looked.items() if not read]
    wrong = (each for each in records if isinstance(each, Finding))
    return Downstream(
        records=tuple(each for each in records if not isinstance(each, Finding)),
        folders=walked.folders,
        findings=(*walked.findings, *wrong, *_nothing(names, walked, records)),
        texts={file.name: file.text for file in walked.files if file.name in found},
        remarks=tuple(_remarks(sorted([*walked.left, *strange]), found)),
    )


def _wanted(name: str) -> FileFilter:
    kinds = [kind for kind in KINDS if kind.name.fullmatch(name)]
    if not kinds:
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
            yield AGAINST_NOTHING("found nothing that can be held to a release", hint=hint).at(Origin(name))


def _remarks(strange: list[str], found: Mapping[str, object]) -> Iterator[str]:
    if strange and found:
        told = choice(strange, last="and", most=SHOWN)
        yield f"{counted(len(strange), 'file')} of no kind that can be held to a release: {told}"
