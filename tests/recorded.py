"""Results of the real kustomize, kept for machines that have none.

A result is good only for the files it was made from, so their digest is kept beside it.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from kitgen.yamlio import read

DATA = Path(__file__).parent / "data"
KUSTOMIZE = DATA / "kustomize.json"
REFERENCE = DATA / "reference.json"
RECORD = "run: pytest tests/e2e --record (it needs kustomize or kubectl)"


def load(file: Path) -> dict[str, Any]:
    return json.loads(file.read_text()) if file.exists() else {}


def store(file: Path, name: str, value: Any) -> None:
    """Keep one result."""
    kept = {**load(file), name: value}
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps(dict(sorted(kept.items())), indent=1) + "\n")


def used_files(tree: dict[str, str], folder: str) -> dict[str, str]:
    """Return the files that a build of a folder reads: its own, and those of what it builds on."""
    prefix = f"{folder}/"
    found = {path: text for path, text in tree.items() if path.startswith(prefix)}
    for name in read(tree[f"{folder}/kustomization.yaml"]).get("resources", []):
        other = _joined(folder, name)
        if f"{other}/kustomization.yaml" in tree:
            found |= used_files(tree, other)
    return found


def _joined(folder: str, name: str) -> str:
    steps: list[str] = []
    for step in (PurePosixPath(folder) / name).parts:
        if step == "..":
            steps.pop()
        else:
            steps.append(step)
    return "/".join(steps)


def files_digest(tree: dict[str, str], folder: str) -> str:
    """Return a digest of what the files say; comments and quotes mean nothing to kustomize."""
    said = {path: _said(path, text) for path, text in sorted(used_files(tree, folder).items())}
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()


@cache
def _said(path: str, text: str) -> str:
    data = read(text) if path.endswith(".yaml") else text
    return hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
