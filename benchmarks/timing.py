"""Measure commands and print ratios: the machine may be slow, the comparison must not care."""

from __future__ import annotations

import compileall
import os
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "kitgen"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table: a time, what it is compared with, and the ratio that it must keep."""

    name: str
    seconds: float
    peer: str = ""
    peer_seconds: float = 0.0
    limit: float = 0.0


def best(work: Callable[[], None], times: int = 3, before: Callable[[], None] | None = None) -> float:
    """Return the shortest of several runs, since noise only ever adds; `before` is not timed."""
    found = []
    for _ in range(times):
        if before:
            before()
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return min(found)


def compile_bytecode() -> None:
    """Compile kitgen as an installer does: what is measured is how it starts on a user's machine."""
    if not compileall.compile_dir(str(PACKAGE), quiet=1):
        raise SystemExit("kitgen does not compile")


def run(argv: Sequence[str], cwd: Path | None = None, env: dict[str, str] | None = None) -> None:
    """Run a program and throw its output away; a failure ends the benchmark."""
    everything = {**os.environ, **(env or {})}
    subprocess.run(
        argv, cwd=cwd, env=everything, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )


def peak_megabytes(argv: Sequence[str], cwd: Path, env: dict[str, str]) -> float:
    """Return the most memory that a program held."""
    nowhere = subprocess.DEVNULL
    process = subprocess.Popen(argv, cwd=cwd, env={**os.environ, **env}, stdout=nowhere, stderr=nowhere)
    _, _, usage = os.wait4(process.pid, 0)
    return usage.ru_maxrss / (1024 if os.uname().sysname == "Linux" else 1024**2)


def table(title: str, rows: Sequence[Row]) -> bool:
    """Print the rows; tell whether every ratio is within its limit."""
    print(f"\n{title}")
    print(f"  {'what':<44}{'time':>9}  {'compared with':<36}{'time':>9}{'ratio':>9}{'limit':>8}")
    good = True
    for row in rows:
        line = f"  {row.name:<44}{row.seconds:>8.3f}s"
        if row.peer:
            ratio = row.seconds / row.peer_seconds
            line += f"  {row.peer:<36}{row.peer_seconds:>8.3f}s{ratio:>9.3f}{row.limit:>8.3f}"
            if ratio > row.limit:
                line += "  too slow"
                good = False
        print(line)
    return good
