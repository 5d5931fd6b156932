"""Measure commands as ratios within one run: the machine may be slow, the comparison must not care.

A command starts with an empty cache, unless it is given one.
"""

from __future__ import annotations

import compileall
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "kitgen"
KITGEN = (sys.executable, "-m", "kitgen")
FINDINGS = ("sh", "-c", '"$@" || test $? = 1', "sh")
"""Put before a command that may find something."""
COUNTED = re.compile(r"^summary: (\d+)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table: what was measured, in which unit, and how much it may be."""

    name: str
    cost: float
    unit: str
    goal: float


def compile_bytecode() -> None:
    """Compile kitgen as an installer does: what is measured is how it starts on a user's machine."""
    if not compileall.compile_dir(str(PACKAGE), quiet=1):
        raise SystemExit("kitgen does not compile")


def kustomize() -> tuple[str, ...]:
    """Return the command that builds a folder."""
    if shutil.which("kustomize"):
        return ("kustomize", "build")
    if shutil.which("kubectl"):
        return ("kubectl", "kustomize")
    sys.exit("the benchmarks need kustomize or kubectl to compare with")


def run(argv: Sequence[str], folder: Path, cache: Path | None = None) -> None:
    """Run a program and throw its output away; a failure ends the benchmark."""
    with tempfile.TemporaryDirectory() as empty:
        env = {**os.environ, "KITGEN_CACHE_DIR": str(cache or empty)}
        done = subprocess.run(argv, cwd=folder, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(argv)} failed: {done.stderr}")


def save(argv: Sequence[str], file: Path) -> Path:
    """Write what a program prints into a file."""
    with file.open("wb") as stream:
        subprocess.run(argv, stdout=stream, check=True)
    return file


def processor_time(argv: Sequence[str], folder: Path, cache: Path | None = None) -> float:
    """Return the processor time of a program and its children; others on the machine take none of it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(argv, folder, cache)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def instructions(argv: Sequence[str], folder: Path, cache: Path | None = None) -> float:
    """Count the instructions of a program and its children; a busy machine does not matter then.

    Where valgrind is missing, that is the least processor time of three runs.
    """
    if not shutil.which("valgrind"):
        return min(processor_time(argv, folder, cache) for _ in range(3))
    with tempfile.TemporaryDirectory() as out:
        tool = ("valgrind", "--tool=cachegrind", "--cache-sim=no", "--trace-children=yes")
        run([*tool, f"--cachegrind-out-file={out}/%p", *argv], folder, cache)
        return float(sum(int(COUNTED.findall(path.read_text())[0]) for path in Path(out).iterdir()))


def seconds(work: Callable[[], object]) -> float:
    """Return how long something takes, as a watch shows it."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def least(times: int, *works: Callable[[], float]) -> list[float]:
    """Return the least of several measurements, since noise only ever adds.

    They are taken in turns, so that a busy machine is as busy for all.
    """
    found = [[work() for work in works] for _ in range(times)]
    return [min(each) for each in zip(*found, strict=True)]


def peak_megabytes(argv: Sequence[str], folder: Path) -> float:
    """Return the most memory that a program held, with an empty cache."""
    with tempfile.TemporaryDirectory() as cache:
        env = {**os.environ, "KITGEN_CACHE_DIR": cache}
        nowhere = subprocess.DEVNULL
        process = subprocess.Popen(argv, cwd=folder, env=env, stdout=nowhere, stderr=nowhere)
        _, _, usage = os.wait4(process.pid, 0)
    return usage.ru_maxrss / (1024 if os.uname().sysname == "Linux" else 1024**2)


def show(rows: Iterable[Row]) -> bool:
    """Print rows as they come; tell whether all are within their goals."""
    print(f"{'what':<46}{'cost':>8}{'goal':>8}  unit")
    good = True
    for row in rows:
        over = row.cost > row.goal
        good &= not over
        line = f"{row.name:<46}{row.cost:>8.2f}{row.goal:>8.2f}  {row.unit}"
        print(f"{line}{'  TOO MUCH' if over else ''}", flush=True)
    return good
