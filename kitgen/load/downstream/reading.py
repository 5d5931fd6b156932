"""Recognise files by their names and by what is in them, and read each by the reader of its kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from posixpath import basename
from typing import NamedTuple, TypeVar

from msgspec import Struct, field

from kitgen.findings import Finding, Origin
from kitgen.load.downstream.catalogs import catalogs_in, read_channels, read_csv
from kitgen.load.downstream.configs import read_config
from kitgen.load.downstream.images import read_patch, read_stream
from kitgen.load.downstream.metadata import read_metadata
from kitgen.load.downstream.readmes import read_readme
from kitgen.load.downstream.records import AGAINST_NOTHING, Csv, File, Record
from kitgen.load.downstream.scripts import read_script
from kitgen.load.downstream.texts import read_go_mod, read_makefile, read_params
from kitgen.load.downstream.walking import Folder, Walked, Wanted, walk
from kitgen.load.manifests import Intake
from kitgen.schema.wording import choice, counted

T = TypeVar("T")
SHOWN = 5
"""How many files are named that were not recognised."""


class Kind(NamedTuple):
    """A kind of file: what it is called, what is in it, and who reads it."""

    name: re.Pattern[str]
    sign: re.Pattern[str]
    read: Callable[[File, Intake], Iterator[Record]]
    sure: bool = True
    """Whether the name tells what it is, so that one which cannot be read is worth a finding."""


def _kind(
    name: str, sign: str, read: Callable[[File, Intake], Iterator[Record]], *, sure: bool = True
) -> Kind:
    return Kind(re.compile(name, re.IGNORECASE), re.compile(sign, re.MULTILINE | re.IGNORECASE), read, sure)


YAML = r".+\.(?:ya?ml|json)"
KINDS = (
    _kind(r".+\.md|readme", r"matrix", read_readme),
    _kind(r"component_metadata\.ya?ml", "", read_metadata),
    _kind(r"params\.env", "", read_params),
    _kind(r".+\.sh", r"COMPONENT_MANIFESTS=\(", read_script),
    _kind(r"manifests-config\.ya?ml", "", read_config),
    _kind(r"(?:bundle|additional-images)-patch\.ya?ml", "", read_patch),
    _kind(r".+\.clusterserviceversion\.ya?ml", "", read_csv),
    _kind(YAML, r"\bkind[\"']?\s*:\s*[\"']?ClusterServiceVersion\b", read_csv, sure=False),
    _kind(YAML, r"\bkind[\"']?\s*:\s*[\"']?ImageStream\b", read_stream, sure=False),
    _kind(YAML, r"\bschema[\"']?\s*:\s*[\"']?olm\.channel\b", read_channels, sure=False),
    _kind(YAML, r"^(?:patch|additionalImages):", read_patch, sure=False),
    _kind(r"(?:GNU)?makefile|.+\.mk", r"_VERSION\s*[?:]*=", read_makefile),
    _kind(r"go\.mod", "", read_go_mod),
)


class Downstream(Struct, frozen=True, kw_only=True):
    """What was read behind names."""

    records: tuple[Record, ...] = ()
    folders: tuple[Folder, ...] = ()
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
    found = {file.name: read for file in walked.files if (read := _recognised(file, intake))}
    records = [*chain.from_iterable(found.values())]
    folders = ((each.name, each.place.folder, each.place.root) for each in walked.folders)
    records += catalogs_in(folders, [each for each in records if isinstance(each, Csv)])
    strange = [file.name for file in walked.files if file.name not in found]
    wrong = (each for each in records if isinstance(each, Finding))
    return Downstream(
        records=tuple(each for each in records if not isinstance(each, Finding)),
        folders=walked.folders,
        findings=(*walked.findings, *wrong, *_nothing(names, walked, found)),
        texts={file.name: file.text for file in walked.files if file.name in found},
        remarks=tuple(_remarks(sorted([*walked.left, *strange]), found)),
    )


def _wanted(name: str) -> Wanted:
    kinds = [kind for kind in KINDS if kind.name.fullmatch(name)]
    if not kinds:
        return Wanted.NO
    return Wanted.SURELY if any(not kind.sign.pattern for kind in kinds) else Wanted.PERHAPS


def _recognised(file: File, intake: Intake) -> list[Record]:
    """Return what a file holds; nothing if it is of no known kind."""
    for kind in KINDS:
        if kind.name.fullmatch(basename(file.name)) and kind.sign.search(file.text):
            found = list(kind.read(file, intake))
            broken = found and all(isinstance(each, Finding) for each in found)
            if found and (kind.sure or file.named or not broken):
                return found
    return []


def _nothing(names: Iterable[str], walked: Walked, found: Mapping[str, object]) -> Iterator[Finding]:
    """Yield names behind which nothing was recognised, and of which nothing else is told."""
    known = [*found, *(each.origin.file for each in walked.findings)]
    for name in names:
        path = Path(name)
        if not any(Path(each) == path or path in Path(each).parents for each in known):
            hint = "a README with a matrix, component_metadata.yaml, params.env, get_all_manifests.sh, …"
            yield AGAINST_NOTHING("found nothing that can be held to a release", hint=hint).at(Origin(name))


def _remarks(strange: list[str], found: Mapping[str, object]) -> Iterator[str]:
    if strange and found:
        told = choice(strange, last="and", most=SHOWN)
        yield f"{counted(len(strange), 'file')} of no kind that can be held to a release: {told}"
