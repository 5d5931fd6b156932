"""Run all benchmarks: python -m benchmarks. The exit code tells whether every limit holds."""

from __future__ import annotations

import sys

from benchmarks import check, crds, real, render, versions
from benchmarks.timing import compile_bytecode

if __name__ == "__main__":
    compile_bytecode()
    results = [render.main(), crds.main(), versions.main(), real.main(), check.main()]
    sys.exit(0 if all(results) else 1)
