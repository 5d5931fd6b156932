"""Run commands as forks of one process that has imported kitgen: most take less time than its imports."""

from __future__ import annotations

import atexit
import gc
import importlib
import marshal
import os
import pkgutil
import resource
import socket
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from typing import NamedTuple, NoReturn

ANY, LONGEST = socket.SOCK_SEQPACKET, 2**20
"""What is asked, and what is answered, is one message each."""
PROGRAM = """#!{python} -IS
import _socket, marshal, posix, sys
asked = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
asked.connect({place!r})
streams = b"".join(each.to_bytes(4, sys.byteorder) for each in range(3))
command = marshal.dumps((posix.getcwd(), dict(posix.environ), sys.argv[1:], []))
asked.sendmsg([command], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
code = marshal.loads(asked.recv(4096))[0]
posix._exit(code if code >= 0 else 128 - code)
"""
"""Stands for `kitgen`: the fork gets its streams, folder and environment, and it ends as the fork does."""


class Taken(NamedTuple):
    """How a command ended, and what it took, with what it took to import kitgen."""

    code: int
    seconds: float
    kilobytes: int


def write_program(folder: Path) -> None:
    """Write a `kitgen` that starts at once."""
    program = folder / "kitgen"
    program.write_text(PROGRAM.format(python=sys.executable, place=_start_server()))
    program.chmod(0o755)


def run_fork(
    folder: Path, env: dict[str, str], args: Sequence[str], out: int, limits: Sequence[tuple[int, int]] = ()
) -> Taken:
    """Run a command without input, and with one file for all that it says; limits are those of resource."""
    names = {os.fsencode(name): os.fsencode(value) for name, value in env.items()}
    with socket.socket(socket.AF_UNIX, ANY) as asked, Path(os.devnull).open() as nothing:
        asked.connect(_start_server())
        command = marshal.dumps((os.fsencode(folder), names, [*args], [*limits]))
        socket.send_fds(asked, [command], [nothing.fileno(), out, out])
        return Taken(*marshal.loads(asked.recv(LONGEST)))


@cache
def _start_server() -> str:
    """Start what forks, and return where it is asked; it ends with the tests."""
    place = f"\0kitgen-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, ANY) as listening:
        listening.bind(place)
        listening.listen()
        number = listening.fileno()
        command = [sys.executable, __file__, str(number)]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=[number])
    atexit.register(process.communicate)
    return place


def _serve(listening: socket.socket) -> None:
    """Fork for whoever asks, until nobody is there to ask."""
    import kitgen
    from kitgen.workspace.program import fingerprint_program

    for each in pkgutil.walk_packages(kitgen.__path__, "kitgen."):
        if not each.name.startswith("kitgen.testing"):
            importlib.import_module(each.name)
    fingerprint_program()
    gc.collect()
    gc.freeze()
    own = resource.getrusage(resource.RUSAGE_SELF)
    with DefaultSelector() as ready:
        ready.register(listening, EVENT_READ)
        ready.register(sys.stdin, EVENT_READ)
        while True:
            for key, _ in ready.select():
                if key.fileobj is sys.stdin:
                    return
                if key.fileobj is listening:
                    asked, _ = listening.accept()
                    if (child := os.fork()) == 0:
                        _run_command(asked)
                    ready.register(os.pidfd_open(child), EVENT_READ, (child, asked))
                    continue
                ready.unregister(key.fileobj)
                os.close(key.fd)
                child, asked = key.data
                _, status, used = os.wait4(child, 0)
                seconds = used.ru_utime + used.ru_stime + own.ru_utime + own.ru_stime
                with asked:
                    asked.send(marshal.dumps((os.waitstatus_to_exitcode(status), seconds, used.ru_maxrss)))


def _run_command(asked: socket.socket) -> NoReturn:
    from kitgen.__main__ import main

    try:
        message, streams, _, _ = socket.recv_fds(asked, LONGEST, 3)
        folder, names, args, limits = marshal.loads(message)
        for number, each in enumerate(streams):
            os.dup2(each, number)
        os.closerange(3, 256)
        os.chdir(folder)
        os.environb.clear()
        os.environb.update(names)
        for kind, limit in limits:
            resource.setrlimit(kind, (limit, limit))
        sys.stdin, sys.stdout, sys.stderr = (
            open(each, kind, closefd=False)  # noqa: SIM115
            for each, kind in enumerate("rww")
        )
        sys.argv = ["kitgen", *args]
        main()
    finally:
        sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]
        os._exit(99)


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
