"""Read what people name on the command line: files, folders, standard input."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from kitgen.errors import KitgenError, UsageError
from kitgen.findings import Finding, Origin
from kitgen.load.files import decoded
from kitgen.load.rules import FILE_SIZE

MAX_BYTES = 32 * 1024 * 1024
ENDINGS = (".yaml", ".yml", ".json")
STDIN = "-"


def manifest_texts(name: str) -> tuple[dict[str, str], list[Finding]]:
    """Return the texts behind a name, by file, and what is wrong with the others."""
    texts: dict[str, str] = {}
    findings: list[Finding] = []
    for file in [STDIN] if name == STDIN else _files(Path(name)):
        data = _bytes(file)
        if len(data) > MAX_BYTES:
            message = f"found more than {MAX_BYTES // 2**20} MiB, expected at most that"
            findings.append(FILE_SIZE(message).at(Origin(file, (), 1)))
            continue
        text = decoded(data, "utf-8-sig")
        if isinstance(text, str):
            texts[file] = text
        else:
            findings.append(text.at(Origin(file)))
    return texts, findings


def _bytes(file: str) -> bytes:
    """Read a file, but never more of it than shows that it is too large."""
    try:
        if file == STDIN:
            return sys.stdin.buffer.read(MAX_BYTES + 1)
        with Path(file).open("rb") as stream:
            return stream.read(MAX_BYTES + 1)
    except OSError as error:
        error.filename = file
        _unreadable(error)


def _files(path: Path) -> Iterator[str]:
    """Yield a file, or every manifest in a folder; hidden ones aside."""
    if not exists(path):
        raise UsageError(f"no such file or folder: {str(path)!r}")
    if not path.is_dir():
        yield str(path)
        return
    for folder, folders, files in os.walk(path, onerror=_unreadable):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            file = Path(folder) / name
            if file.suffix in ENDINGS and not name.startswith(".") and file.is_file():
                yield str(file)


def exists(path: Path) -> bool:
    """Tell whether there is something at a path; not being allowed to look is an error."""
    try:
        return path.exists()
    except OSError as error:
        _unreadable(error)


def _unreadable(error: OSError) -> NoReturn:
    raise KitgenError(f"cannot read {error.filename}: {error.strerror}") from error
