"""How long comparing with a real tree takes, and importing one, beside the kustomize run that both need.

Run: python -m benchmarks.real. The tree is the kit's own overlay with the most CRDs, so it runs anywhere.
"""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.kit import KIT, SPECS, overlays, own_kit
from benchmarks.render import KITGEN, kustomize
from benchmarks.timing import Row, compile_bytecode, run, table
from kitgen.render.placement import build_placement

RUNS = 9
COMPARE_LIMIT = 1 / 2
IMPORT_LIMIT = 2.0
FRESH = "benchmark@v1.0.0"
"""A component that the kit does not have: all of its spec is to be written."""


def most_crds() -> str:
    """Return the overlay whose component declares the most CRDs, the last by name, as TARGET/COMPONENT."""
    opened = own_kit()

    def count(overlay: str) -> tuple[int, str]:
        target, name = overlay.split("/")
        taken = build_placement(
            opened.kit, opened.target(target), opened.release(opened.target(target), None)
        )
        return len(opened.component(taken, name).crds), overlay

    return max(overlays(opened), key=count)


def main() -> bool:
    """Measure both; tell whether the limits hold."""
    overlay = most_crds()
    with tempfile.TemporaryDirectory() as name:
        kit = Path(name) / "kit"
        kit.mkdir()
        for each in SPECS:
            source = KIT / each
            (shutil.copytree if source.is_dir() else shutil.copy)(source, kit / each)
        run([*KITGEN, "render", "-q"], cwd=kit)
        return _measure(kit, overlay)


def spent(argv: list[str], folder: Path) -> float:
    """Return the processor time of a program and its children; others on the machine take none of it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run(argv, cwd=folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _measure(kit: Path, overlay: str) -> bool:
    folder = kit / "overlays" / overlay
    real = kit.parent / "real.yaml"
    with real.open("wb") as file:
        subprocess.run([*kustomize(), str(folder)], stdout=file, check=True)
    compare = [*KITGEN, "compare", f"target:{overlay}", str(folder)]
    importing = [*KITGEN, "import", str(real), "--as", FRESH]

    def forget() -> None:
        shutil.rmtree(kit / "components" / FRESH.partition("@")[0], ignore_errors=True)

    runs = []
    for _ in range(RUNS):  # in turns, so that a busy machine is as busy for all
        forget()
        runs.append([spent(each, kit) for each in ([*kustomize(), str(folder)], compare, importing)])
    built, whole, imported = (min(each) for each in zip(*runs, strict=True))
    peer = f"kustomize builds {overlay}"
    return table(
        "Real trees (processor time)",
        [
            Row(
                name="compare, the kustomize run aside",
                seconds=max(whole - built, 0.0),
                peer=peer,
                peer_seconds=built,
                limit=COMPARE_LIMIT,
            ),
            Row(
                name="import of what kustomize built",
                seconds=imported,
                peer=peer,
                peer_seconds=built,
                limit=IMPORT_LIMIT,
            ),
        ],
    )


if __name__ == "__main__":
    compile_bytecode()
    sys.exit(0 if main() else 1)
