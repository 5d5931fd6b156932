"""How long checking takes, with every rule, beside the kustomize runs that make what is checked.

Run: python -m benchmarks.check.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.kit import KIT, overlays, own_kit
from benchmarks.real import spent
from benchmarks.render import KITGEN, kustomize
from benchmarks.timing import Row, compile_bytecode, peak_megabytes, table

RUNS = 3
LIMIT = 1 / 4
ALONE = 1 / 2
"""Each file by itself, with as many starts as kustomize needs."""
FINDINGS = ["sh", "-c", '"$@" || test $? = 1', "sh"]
"""What upstream ships may have errors, which are findings."""
MEGABYTES = 300


def main() -> bool:
    """Measure the kit's own builds, together and one by one, and the whole kit; tell whether limits hold."""
    pairs = overlays(own_kit())
    with tempfile.TemporaryDirectory() as name:
        files = [Path(name) / f"{pair.replace('/', '-')}.yaml" for pair in pairs]
        folders = [KIT / "overlays" / pair for pair in pairs]
        for file, folder in zip(files, folders, strict=True):
            with file.open("wb") as stream:
                subprocess.run([*kustomize(), str(folder)], stdout=stream, check=True)
        checks = [*FINDINGS, *KITGEN, "check"]
        built, together, each, whole = (
            min(times)
            for times in zip(
                *(
                    (
                        sum(spent([*kustomize(), str(folder)], KIT) for folder in folders),
                        spent([*checks, *map(str, files)], KIT),
                        sum(spent([*checks, str(file)], KIT) for file in files),
                        spent([*KITGEN, "check"], KIT),
                    )
                    for _ in range(RUNS)  # in turns, so that a busy machine is as busy for all
                ),
                strict=True,
            )
        )
        most = max(
            peak_megabytes([*KITGEN, "check", *more], KIT, {})
            for more in ([], [*map(str, files)], *([str(f)] for f in files))
        )
    peer = f"kustomize builds the {len(pairs)} overlays"
    good = table(
        "Checking (processor time)",
        [
            Row(
                name=f"check of all {len(files)} builds in one command",
                seconds=together,
                peer=peer,
                peer_seconds=built,
                limit=LIMIT,
            ),
            Row(
                name="check of what each of them builds",
                seconds=each,
                peer=peer,
                peer_seconds=built,
                limit=ALONE,
            ),
            Row(
                name="check of the kit, all releases",
                seconds=whole,
                peer=peer,
                peer_seconds=built,
                limit=LIMIT,
            ),
        ],
    )
    print(f"  most memory: {most:.0f} MB (limit {MEGABYTES})")
    return good and most < MEGABYTES


if __name__ == "__main__":
    compile_bytecode()
    sys.exit(0 if main() else 1)
