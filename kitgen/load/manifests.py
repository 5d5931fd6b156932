"""Read manifests that people name on the command line: files, folders, standard input."""

from __future__ import annotations

import sys
from pathlib import Path

from kitgen.errors import KitgenError
from kitgen.findings import Finding, Origin

MAX_BYTES = 32 * 1024 * 1024
SUFFIXES = (".yaml", ".yml", ".json")
STDIN = "-"


def manifest_texts(name: str) -> tuple[dict[str, str], list[Finding]]:
    """Return the texts behind a path, by file, and what could not be read."""
    if name == STDIN:
        data = sys.stdin.buffer.read(MAX_BYTES + 1)
        return _decoded({STDIN: data})
    path = Path(name)
    if not path.exists():
        raise KitgenError(f"no target and no file {name!r}", hint="kitgen list shows the targets")
    files = [path] if not path.is_dir() else sorted(p for p in path.rglob("*") if p.suffix in SUFFIXES)
    found = {}
    for file in files:
        if file.is_file():
            try:
                with file.open("rb") as stream:
                    found[str(file)] = stream.read(MAX_BYTES + 1)
            except OSError as error:
                raise KitgenError(f"cannot read {file}: {error.strerror}") from error
    return _decoded(found)


def _decoded(found: dict[str, bytes]) -> tuple[dict[str, str], list[Finding]]:
    texts, findings = {}, []
    for name, data in found.items():
        if len(data) > MAX_BYTES:
            message = f"found more than {MAX_BYTES / 1e6:.0f} MB"
            findings.append(Finding(rule="file-size", message=message, origin=Origin(name, (), 1)))
            continue
        try:
            texts[name] = data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            message = "found bytes that are not UTF-8"
            findings.append(Finding(rule="file-encoding", message=message, origin=Origin(name, (), line)))
    return texts, findings
