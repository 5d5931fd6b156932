"""Copy the input into private files, so that it can be read twice, and report empty input."""

from __future__ import annotations

import errno
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from io import RawIOBase
from pathlib import Path
from typing import Any, BinaryIO

from msgspec import Struct

from kitgen.files import reads
from kitgen.files.read import NoPlainFileError, open_regular_file
from kitgen.files.tree import FILE_SIZE, LOOP, MISSING, NO_FILE
from kitgen.findings import Finding, Origin, Problem, make_problem
from kitgen.findings.errors import KitgenError
from kitgen.kit.foreign_objects import parse_documents
from kitgen.kit.manifest_gathering import GatheredManifests
from kitgen.kit.manifests import HANDLES, STDIN, ReadBudget, list_manifest_files

CHUNK = 1 << 20
MOST = 4 * 2**30
TOO_BIG = FILE_SIZE(f"found more than {MOST // 2**30} GiB, expected at most that", line=1)


class Spool(Struct, frozen=True, kw_only=True):
    """What was read behind a name, byte for byte."""

    name: str
    file: BinaryIO
    size: int


class SpoolReader(RawIOBase):
    """Reads a spooled file from a position of its own: of a file, processes share the one that it has."""

    def __init__(self, spool: Spool) -> None:
        """Start at the start."""
        self.handle = spool.file.fileno()
        self.at = 0

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer as far as there is something to read."""
        part = os.pread(self.handle, len(buffer), self.at)
        buffer[: len(part)] = part
        self.at += len(part)
        return len(part)


def spool_inputs(names: tuple[str, ...]) -> Iterator[Spool | Finding]:
    """Yield what each name stands for, files of a folder one by one, or why it cannot be read."""
    for name in names:
        file = ""
        for file, wrong in [(STDIN, None)] if name == STDIN else list_manifest_files(name):
            found = wrong or _spool_file(file)
            yield found.to_finding(Origin(file)) if isinstance(found, Problem) else found
        if not file:
            yield make_problem(
                "export-empty", "found a folder without manifests, expected exported objects"
            ).to_finding(Origin(name))


def _spool_file(name: str) -> Spool | Problem:
    reads.note_unrecorded()
    try:
        if name == STDIN:
            return _copy_stream(name, sys.stdin.buffer)
        with Path(name).open("rb") if name.startswith(HANDLES) else open_regular_file(name) as source:
            return _copy_stream(name, source)
    except NoPlainFileError:
        return NO_FILE
    except FileNotFoundError:
        return MISSING
    except OSError as error:
        if error.errno == errno.ELOOP:
            return LOOP
        raise KitgenError(f"cannot read {name}: {error.strerror}") from error


def _copy_stream(name: str, source: BinaryIO) -> Spool | Problem:
    """Copy a stream, but no more of it than shows that it is too large."""
    with ExitStack() as stack:
        file, size = stack.enter_context(tempfile.TemporaryFile()), 0
        while part := source.read(CHUNK):
            size += len(part)
            if size > MOST:
                return TOO_BIG
            file.write(part)
        file.flush()
        stack.pop_all()
    return Spool(name=name, file=file, size=size)


FAILED = "what was to print it may have failed; a list without objects has items: []"


def check_empty_input(name: str, gathered: GatheredManifests, intake: ReadBudget) -> Iterator[Finding]:
    """Yield that a name brings nothing; a list without objects says something, and so does a patch."""
    if gathered.aside or gathered.findings or any(gathered.parts):
        return
    documents = (parse_documents(file, text, intake)[0] for file, text in gathered.texts.items())
    if any(each is not None for some in documents for each in some):
        return
    if Path(name).is_dir():
        yield make_problem("export-empty", "found a folder without manifests, expected objects").to_finding(
            Origin(name)
        )
    else:
        yield make_problem("export-empty", "found nothing, expected objects", (), FAILED, 1).to_finding(
            Origin(name)
        )
