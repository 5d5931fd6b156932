"""Run all benchmarks: python -m benchmarks [PART]... The exit code tells whether every goal is reached."""

from __future__ import annotations

import sys
from itertools import chain

from benchmarks import commands, growth, peers
from benchmarks.timing import compile_bytecode, show

PARTS = {"commands": commands.rows, "peers": peers.rows, "growth": growth.rows}

if __name__ == "__main__":
    compile_bytecode()
    wanted = sys.argv[1:] or [*PARTS]
    sys.exit(0 if show(chain.from_iterable(PARTS[name]() for name in wanted)) else 1)
