"""Run kitgen as `python -m kitgen` and as the `kitgen` program."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from kitgen.cli.main import main as run


def main() -> NoReturn:
    """Run a command; then leave at once, since taking all its objects down would only cost time."""
    try:
        run()
    except SystemExit as stop:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(int(stop.code or 0))


if __name__ == "__main__":
    main()
