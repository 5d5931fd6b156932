"""Run a command as a process of its own, and hold it to little memory and time."""

from __future__ import annotations

import json
import os
import resource
from pathlib import Path
from typing import Any

import kits
from forks import run_fork

MEMORY, SECONDS = 300, 10
"""Megabytes that a command may take at most, and seconds of the processor."""
VALIDATE = ("crd", "validate", "-o", "lines", "a.yaml", "--crds", "crd.yaml")
"""The CRD stands apart: where it is read as an object too, all that is beside it would be read twice."""
CHECK = ("check", "-o", "lines", "a.yaml")
# What takes too much still ends.
LIMITS = ((resource.RLIMIT_AS, 2_000_000_000), (resource.RLIMIT_CPU, 2 * SECONDS))


def taken(folder: Path, *args: str, codes: tuple[int, ...] = (0, 1)) -> str:
    """Run a command, and return what it said; it fails if it takes too much or ends with a fault."""
    env = {**os.environ, "KITGEN_CACHE_DIR": str(folder / "cache")}
    with (folder / "out.txt").open("w") as out:
        code, seconds, kilobytes = run_fork(folder, env, args, out.fileno(), LIMITS)
    said = (folder / "out.txt").read_text()
    assert code in codes, said[-500:]
    assert not [word for word in ("Traceback", "kitgen failed", "more memory than") if word in said], said[
        -500:
    ]
    assert kilobytes < MEMORY * 1024
    assert seconds < SECONDS
    return said


def written(folder: Path, *objects: Any, name: str = "a.yaml") -> Path:
    """Write objects into one file of a folder."""
    kits.write(folder, {name: "\n".join(f"---\n{json.dumps(each, ensure_ascii=False)}" for each in objects)})
    return folder
