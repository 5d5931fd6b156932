"""Run kitgen as `python -m kitgen` and as the `kitgen` program."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import nullcontext
from typing import NoReturn

from kitgen.workspace.answers import Answer, open_slot

if caught := signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    # Until somebody catches what Python makes of it; who ignores it goes on doing so.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def main() -> NoReturn:
    """Run a command, or give the answer that is known; then leave at once: taking objects down costs time."""
    try:
        slot = open_slot(sys.argv[1:])
        if slot and (answer := slot.find()):
            _print_answer(answer)
        from kitgen.app.main import main as run

        if caught:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        run(slot.record if slot else nullcontext)
    except SystemExit as stop:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(int(stop.code or 0))


def _print_answer(answer: Answer) -> NoReturn:
    from kitgen.report.streams import prepare_streams

    prepare_streams()
    try:
        for number, text in answer.printed:
            (sys.stdout if number == 1 else sys.stderr).write(text)
        sys.stdout.flush()
    except OSError as error:
        from kitgen.app.main import fail_unexpectedly

        fail_unexpectedly(error)
    sys.exit(answer.code)


if __name__ == "__main__":
    main()
