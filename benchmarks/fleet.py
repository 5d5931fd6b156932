"""How long the plan of a fleet takes: beside the start of an empty program, and as the fleet grows.

Run: python -m benchmarks.fleet.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks.kit import KIT, own_kit
from benchmarks.real import spent
from benchmarks.render import KITGEN
from benchmarks.timing import Row, compile_bytecode, peak_megabytes, table

RUNS = 3
THOUSAND = 27.0
"""A plan for 1,000 clusters may take so many times what it takes to import click: two seconds or so."""
GROWTH = 1.25
"""Four times the clusters may take a quarter more than four times as long: nothing grows with the square."""
NONE, SOME, MANY, MOST = 3, 1_000, 10_000, 40_000
MEGABYTES = 200


def main() -> bool:
    """Measure plans for fleets of several sizes; tell whether limits hold."""
    targets = [*own_kit().kit.targets]
    with tempfile.TemporaryDirectory() as name:
        lists = {
            size: _clusters(Path(name) / f"{size}.yaml", size, targets) for size in (NONE, SOME, MANY, MOST)
        }
        plans = {size: [*KITGEN, "fleet", "plan", "--clusters", str(each)] for size, each in lists.items()}
        runs = [
            {"click": spent([sys.executable, "-c", "import click"], KIT)}
            | {str(size): spent(plan, KIT) for size, plan in plans.items()}
            for _ in range(RUNS)  # in turns, so that a busy machine is as busy for all
        ]
        least = {key: min(run[key] for run in runs) for key in runs[0]}
        memory = peak_megabytes(plans[SOME], KIT, {})
    few, many = (least[str(size)] - least[str(NONE)] for size in (MANY, MOST))
    good = table(
        "Fleets (processor time)",
        [
            Row(
                name=f"plan for {SOME:,} clusters",
                seconds=least[str(SOME)],
                peer="import click",
                peer_seconds=least["click"],
                limit=THOUSAND,
            ),
            Row(
                name=f"each of {MOST:,} clusters (x {MOST:,})",
                seconds=many,
                peer=f"each of {MANY:,} (x {MOST:,})",
                peer_seconds=few * MOST / MANY,
                limit=GROWTH,
            ),
        ],
    )
    print(f"  memory for {SOME:,} clusters: {memory:.0f} MB, limit {MEGABYTES} MB")
    return good and memory <= MEGABYTES


def _clusters(path: Path, size: int, targets: list[str]) -> Path:
    """Write a list of clusters, every thirtieth a canary."""
    lines = []
    for number in range(size):
        lines.append(f"- name: cluster-{number}\n  server: https://c{number}.example.com:6443\n  labels:\n")
        lines.append(f"    kitgen.target: {targets[number % len(targets)]}\n    region: r{number % 7}\n")
        lines.append("    kitgen.wave: canary\n" if number % 30 == 0 else "")
    path.write_text("".join(lines))
    return path


if __name__ == "__main__":
    compile_bytecode()
    sys.exit(0 if main() else 1)
