"""Read files, folders and standard input as YAML streams, as kubectl does.

A byte order mark selects UTF-16 or UTF-8, and may precede each document of concatenated files. JSON objects
may follow one another without a separator.
"""

from __future__ import annotations

import codecs
import errno
import json
import os
import re
import sys
from collections.abc import Container, Iterator
from pathlib import Path
from posixpath import join
from typing import BinaryIO, NoReturn

from kitgen.files import reads
from kitgen.files.read import FileTooLargeError, NoPlainFileError, read_file
from kitgen.files.root import PATH_SYMLINK
from kitgen.files.tree import FILE_SIZE, LOOP, MISSING, NO_FILE, decode_text, resolve_inside
from kitgen.findings import Finding, Origin, Problem, make_problem
from kitgen.findings.errors import KitgenError, UsageError
from kitgen.text.patterns import compile_late
from kitgen.text.yaml import Values

UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
MARK = "\ufeff"
MARKED = compile_late(rf"^(---[^\n]*\n){MARK}", re.MULTILINE)
NEXT = compile_late(r"\}\s*\{")
SPACE = compile_late(r"\s*")
ODD_START = compile_late(r"\n(---[^\S\n]*[^\s#]|%(?:YAML|TAG)\b)")


REFUSED = {
    "%": ("a directive", "remove the line"),
    "-": ("text behind ---", "begin a new line behind ---"),
}
"""How what kubectl refuses begins → what it is, and a hint."""


def decode_manifest(data: bytes) -> str | Problem:
    """Return what a file holds as one text, or why it is none; lines stay where they are."""
    # UTF-32 begins like UTF-16 and goes on with a zero, which is no text.
    text = decode_text(data, "utf-16" if (data.startswith(UTF_16) and data[2:4] != b"\0\0") else "utf-8-sig")
    if not isinstance(text, str):
        return text
    if MARK in text:
        text = MARKED.sub(r"\1", text)
    return _split_json(text) if text.lstrip().startswith("{") and NEXT.search(text) else text


def _split_json(text: str) -> str:
    """Put a mark between JSON objects that follow one another; anything else stays as it is."""
    parts: list[str] = []
    at = 0
    while (start := _skip_space(text, at)) < len(text):
        try:
            _, end = json.JSONDecoder().raw_decode(text, start)
        except (ValueError, RecursionError):
            return text
        space = text[at:start]
        parts.append(space if not parts else f"{space if space.endswith(chr(10)) else chr(10)}--- ")
        parts.append(text[start:end])
        at = end
    return "".join((*parts, text[at:]))


def _skip_space(text: str, at: int) -> int:
    found = SPACE.match(text, at)
    return found.end() if found else at


def check_kubectl_syntax(text: str) -> Iterator[Problem]:
    """Yield what YAML allows and kubectl does not: directives, and a document on the line of its marker."""
    if text.lstrip().startswith(("{", "[")):
        return  # JSON, which is parted by other means
    text = f"\n{text}"  # a pattern that starts with a line end is found many times as fast as one with ^
    line, at = 0, 0
    for match in ODD_START.finditer(text):
        line, at = line + text.count("\n", at, match.end()), match.end()
        what, hint = REFUSED[match[1][0]]
        yield make_problem("yaml-syntax", f"found {what}, which kubectl does not take", (), hint, line)


MAX_BYTES = 32 * 1024 * 1024
MAX_TOTAL = 48 * 1024 * 1024
MAX_VALUES = 700_000
"""For all that one command reads; the largest known trees of manifests have half as many."""
MAX_EFFORT = 12_000_000
"""Pairs of objects, and of objects and patches, that kustomize may be given by one command: seconds."""
MAX_SECONDS, A_BUILD, A_MEGABYTE = 6.0, 0.1, 10.0
"""Of the processor, that kustomize may use for one command; more for each build, and for each MB but one."""
ENDINGS = (".yaml", ".yml", ".json")
STDIN = "-"
DEEPEST, MAX_FILES = 50, 50_000
"""Of a folder: how far down it is looked at, and how many of its files."""
HANDLES = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")
"""What the caller has open already, such as `<(command)` in a shell: a pipe is meant."""
TOO_BIG = FILE_SIZE(f"found more than {MAX_BYTES // 2**20} MiB, expected at most that", line=1)
ALL_TOO_BIG = FILE_SIZE(
    f"found more than {MAX_TOTAL // 2**20} MiB in all files, expected at most that",
    hint="name some of them at a time",
    line=1,
)
LEADS_OUT = PATH_SYMLINK("a symbolic link leads out of the folder", line=1)


class ReadBudget:
    """How much one command may still read, behind however many names."""

    def __init__(self, *, looking: bool = False) -> None:
        """Start with all. For those who only look, keys and objects may come twice, and have no name."""
        self.looking = looking
        self.left = MAX_TOTAL
        self.values = Values(MAX_VALUES)
        self.builds, self.seconds = MAX_EFFORT, MAX_SECONDS

    def consume(self, size: int) -> bool:
        """Take so many bytes; return whether that is within the limit."""
        self.left -= size
        return self.left >= 0


def read_manifests(
    name: str, intake: ReadBudget, *, deep: bool = True, without: Container[str] = ()
) -> tuple[dict[str, str], list[Finding]]:
    """Return the texts behind a name, by file, and what is wrong with the others.

    Of a folder, those below count if `deep`, but for some folders and all below them.
    """
    texts: dict[str, str] = {}
    findings: list[Finding] = []
    for file, wrong in [(STDIN, None)] if name == STDIN else list_manifest_files(name, deep, without):
        if isinstance(data := wrong or _read_bytes(file), bytes) and not intake.consume(len(data)):
            return texts, [*findings, ALL_TOO_BIG.to_finding(Origin(name))]
        text = decode_manifest(data) if isinstance(data, bytes) else data
        if isinstance(text, str):
            texts[file] = text
        else:
            findings.append(text.to_finding(Origin(file)))
    return texts, findings


def _read_bytes(file: str) -> bytes | Problem:
    """Read the requested input, but never more of it than shows that it is too large."""
    reads.note_unrecorded()
    try:
        if file == STDIN:
            return _read_limited(sys.stdin.buffer)
        if file.startswith(HANDLES):
            with Path(file).open("rb") as stream:
                return _read_limited(stream)
        return read_file(file, MAX_BYTES, links=True)
    except NoPlainFileError:
        return NO_FILE
    except FileTooLargeError:
        return TOO_BIG
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ELOOP):
            return MISSING if error.errno == errno.ENOENT else LOOP
        error.filename = file
        _raise_unreadable(error)


def _read_limited(stream: BinaryIO) -> bytes | Problem:
    found = stream.read(MAX_BYTES + 1)
    return found if len(found) <= MAX_BYTES else TOO_BIG


def list_manifest_files(
    name: str, deep: bool = True, without: Container[str] = ()
) -> Iterator[tuple[str, Problem | None]]:
    """Yield a file, or every manifest in a folder, hidden ones aside, and why one must not be read.

    What is named may be a link; a folder may be anybody's, so none in it leads out of it.
    """
    path = Path(name)
    if not exists(path):
        raise UsageError(f"no such file or folder: {str(path)!r}")
    if not path.is_dir():
        yield str(path), None
        return
    count = 0
    for folder, files in walk_folders(str(path), deep=deep, without=without):
        for each in files:
            file = Path(folder) / each
            if file.suffix in ENDINGS and not each.startswith("."):
                count += 1
                if count > MAX_FILES:
                    raise KitgenError(f"cannot read {path}: found more than {MAX_FILES} manifests")
                stays = not file.is_symlink() or resolve_inside(path, file.relative_to(path)) is not None
                yield str(file), None if stays else LEADS_OUT


def walk_folders(
    path: str, *, deep: bool = True, without: Container[str] = ()
) -> Iterator[tuple[str, list[str]]]:
    """Yield a folder and those below it, hidden ones aside, each with the names of its files."""
    for folder, folders, files in os.walk(path, onerror=_raise_unreadable):
        if len(Path(folder).relative_to(path).parts) > DEEPEST:
            raise KitgenError(f"cannot read {path}: found folders more than {DEEPEST} levels deep")
        folders[:] = sorted(
            name
            for name in folders
            if deep and not name.startswith(".") and join(folder, name) not in without
        )
        yield folder, sorted(files)


def exists(path: Path) -> bool:
    """Return whether there is something at a path; not being allowed to look is an error."""
    reads.note_kind(str(path.absolute()))
    try:
        return path.exists()
    except OSError as error:
        _raise_unreadable(error)


def _raise_unreadable(error: OSError) -> NoReturn:
    raise KitgenError(f"cannot read {error.filename}: {error.strerror}") from error
