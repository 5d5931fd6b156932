"""Read what people name on the command line: files, folders, standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from kitgen.errors import KitgenError, UsageError
from kitgen.findings import Finding, Origin

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
            findings.append(Finding(rule="file-size", message=message, origin=Origin(file, (), 1)))
            continue
        try:
            texts[file] = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            message = "found bytes that are not UTF-8"
            findings.append(Finding(rule="file-encoding", message=message, origin=Origin(file, (), line)))
    return texts, findings


def _bytes(file: str) -> bytes:
    """Read a file, but never more of it than shows that it is too large."""
    try:
        if file == STDIN:
            return sys.stdin.buffer.read(MAX_BYTES + 1)
        with Path(file).open("rb") as stream:
            return stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise KitgenError(f"cannot read {file}: {error.strerror}") from error


def _files(path: Path) -> Iterator[str]:
    """Yield a file, or every manifest in a folder; hidden ones aside."""
    if not path.exists():
        raise UsageError(f"no such file or folder: {path}")
    if not path.is_dir():
        yield str(path)
        return
    for file in sorted(path.rglob("*")):
        inside = file.relative_to(path).parts
        if file.suffix in ENDINGS and file.is_file() and not any(part.startswith(".") for part in inside):
            yield str(file)
