"""Run all benchmarks: python -m benchmarks. The exit code tells whether every limit holds."""

from __future__ import annotations

import sys

from benchmarks import bundle, check, crds, diff, fleet, images, real, render, versions
from benchmarks.timing import compile_bytecode

if __name__ == "__main__":
    compile_bytecode()
    parts = (render, crds, versions, real, check, bundle, diff, fleet, images)
    results = [each.main() for each in parts]
    sys.exit(0 if all(results) else 1)
