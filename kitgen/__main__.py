"""Run kitgen as `python -m kitgen` and as the `kitgen` program."""

from __future__ import annotations

import os
import signal
import sys
from typing import NoReturn

if caught := signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    # Until somebody catches what Python makes of it; who ignores it goes on doing so.
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from kitgen.app.main import main as run


def main() -> NoReturn:
    """Run a command; then leave at once, since taking all its objects down would only cost time."""
    try:
        if caught:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        run()
    except SystemExit as stop:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(int(stop.code or 0))


if __name__ == "__main__":
    main()
