"""Run a command as a process of its own, and hold it to little memory and time."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import kits

MEMORY, SECONDS = 300, 10
"""Megabytes that a command may take at most, and seconds of the processor."""
VALIDATE = ("crd", "validate", "-o", "lines", "a.yaml", "--crds", "a.yaml")
CHECK = ("check", "-o", "lines", "a.yaml")


def taken(folder: Path, *args: str) -> str:
    """Run a command, and return what it said; it fails if it takes too much or ends with a fault."""
    env = {**os.environ, "PYTHONPATH": str(kits.PROJECT), "KITGEN_CACHE_DIR": str(folder / "cache")}
    command = [sys.executable, "-m", "kitgen", *args]
    with (folder / "out.txt").open("w+") as out:
        process = subprocess.Popen(command, cwd=folder, env=env, stdout=out, stderr=out)
        # What takes too much still ends.
        resource.prlimit(process.pid, resource.RLIMIT_AS, (2_000_000_000,) * 2)
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (3 * SECONDS,) * 2)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        said = out.read()
    assert process.returncode in (0, 1), said[-500:]
    assert "kitgen failed" not in said
    assert used.ru_maxrss < MEMORY * 1024
    assert used.ru_utime + used.ru_stime < SECONDS
    return said


def written(folder: Path, *objects: Any, name: str = "a.yaml") -> Path:
    """Write objects into one file of a folder."""
    kits.write(folder, {name: "\n".join(f"---\n{json.dumps(each, ensure_ascii=False)}" for each in objects)})
    return folder
