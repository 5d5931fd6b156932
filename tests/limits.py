"""Run a command as a process of its own, and hold it to little memory and time."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import kits

MEMORY, SECONDS = 300, 10
"""Megabytes that a command may take at most, and seconds of the processor."""
VALIDATE = ("crd", "validate", "-o", "lines", "a.yaml", "--crds", "a.yaml")
CHECK = ("check", "-o", "lines", "a.yaml")
STARTS = """
import gc, importlib, json, os, pkgutil, resource, sys
import kitgen
from kitgen.app.main import main

def start(folder, env, args):
    os.chdir(folder)
    out = os.open("out.txt", os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
    null = os.open(os.devnull, os.O_RDONLY)
    for number, each in ((0, null), (1, out), (2, out)):
        os.dup2(each, number)
    os.closerange(3, 256)
    os.environ.clear()
    os.environ.update(env)
    # What takes too much still ends.
    resource.setrlimit(resource.RLIMIT_AS, (2_000_000_000,) * 2)
    resource.setrlimit(resource.RLIMIT_CPU, (2 * SECONDS,) * 2)
    sys.argv = ["kitgen", *args]
    try:
        main()
    except SystemExit as stop:
        peak = open("/proc/self/status").read().partition("VmHWM:")[2].split()[0]
        with open("peak.txt", "w") as file:
            file.write(peak)
        os._exit(int(stop.code or 0))

for each in pkgutil.walk_packages(kitgen.__path__, "kitgen."):
    if each.name != "kitgen.__main__" and not each.name.startswith("kitgen.testing"):
        importlib.import_module(each.name)
gc.collect()
gc.freeze()
own = resource.getrusage(resource.RUSAGE_SELF)
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        try:
            start(*json.loads(line))
        finally:
            sys.excepthook(*sys.exc_info())
            os._exit(99)
    _, status, used = os.wait4(child, 0)
    seconds = used.ru_utime + used.ru_stime + own.ru_utime + own.ru_stime
    print(json.dumps([os.waitstatus_to_exitcode(status), seconds]), flush=True)
"""
"""A process that has imported kitgen, and forks for each command; what it took itself counts for each."""


@cache
def _starting() -> subprocess.Popen[str]:
    """Start what starts commands; it ends with the tests."""
    code = STARTS.replace("SECONDS", str(SECONDS))
    env = {**os.environ, "PYTHONPATH": str(kits.PROJECT)}
    pipe = subprocess.PIPE
    process = subprocess.Popen([sys.executable, "-c", code], env=env, stdin=pipe, stdout=pipe, text=True)
    atexit.register(_end, process)
    return process


def _end(process: subprocess.Popen[str]) -> None:
    process.communicate()


def taken(folder: Path, *args: str, codes: tuple[int, ...] = (0, 1)) -> str:
    """Run a command, and return what it said; it fails if it takes too much or ends with a fault."""
    env = {**os.environ, "KITGEN_CACHE_DIR": str(folder / "cache")}
    process = _starting()
    assert process.stdin
    assert process.stdout
    print(json.dumps([str(folder), env, args]), file=process.stdin, flush=True)
    code, seconds = json.loads(process.stdout.readline())
    said = (folder / "out.txt").read_text()
    assert code in codes, said[-500:]
    assert not [word for word in ("Traceback", "kitgen failed", "more memory than") if word in said], said[
        -500:
    ]
    assert int((folder / "peak.txt").read_text()) < MEMORY * 1024
    assert seconds < SECONDS
    return said


def written(folder: Path, *objects: Any, name: str = "a.yaml") -> Path:
    """Write objects into one file of a folder."""
    kits.write(folder, {name: "\n".join(f"---\n{json.dumps(each, ensure_ascii=False)}" for each in objects)})
    return folder
