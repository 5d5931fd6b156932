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
MEASURED = """
import atexit, os
from pathlib import Path
def report():
    peak = Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0]
    Path(os.environ["PEAK_FILE"]).write_text(peak)
atexit.register(report)
from kitgen.app.main import main
main()
"""
"""What the system counts for a child includes the process that it was forked from."""


def taken(folder: Path, *args: str, codes: tuple[int, ...] = (0, 1)) -> str:
    """Run a command, and return what it said; it fails if it takes too much or ends with a fault."""
    paths = {"KITGEN_CACHE_DIR": str(folder / "cache"), "PEAK_FILE": str(folder / "peak.txt")}
    env = {**os.environ, "PYTHONPATH": str(kits.PROJECT), **paths}
    command = [sys.executable, "-c", MEASURED, *args]
    with (folder / "out.txt").open("w+") as out:
        process = subprocess.Popen(command, cwd=folder, env=env, stdout=out, stderr=out)
        # What takes too much still ends.
        resource.prlimit(process.pid, resource.RLIMIT_AS, (2_000_000_000,) * 2)
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (2 * SECONDS,) * 2)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        said = out.read()
    assert process.returncode in codes, said[-500:]
    assert not [word for word in ("Traceback", "kitgen failed", "more memory than") if word in said], said[
        -500:
    ]
    assert int((folder / "peak.txt").read_text()) < MEMORY * 1024
    assert used.ru_utime + used.ru_stime < SECONDS
    return said


def written(folder: Path, *objects: Any, name: str = "a.yaml") -> Path:
    """Write objects into one file of a folder."""
    kits.write(folder, {name: "\n".join(f"---\n{json.dumps(each, ensure_ascii=False)}" for each in objects)})
    return folder
