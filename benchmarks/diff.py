"""How long it takes to tell what changes: between two stacks that are built, and since a commit.

Run: python -m benchmarks.diff. The first is held against the kustomize run that makes one of the two stacks,
the second against a cold render of the kit.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.kit import KIT, SPECS
from benchmarks.real import spent
from benchmarks.render import KITGEN, kustomize
from benchmarks.timing import Row, compile_bytecode, peak_megabytes, run, table

RUNS = 5
STACKS = ("odh", "rhoai")
LIMIT = 1 / 2
SINCE = 2.0
MEGABYTES = 300
GIT = ("git", "-c", "user.name=me", "-c", "user.email=me@example.org")
CHANGED = "components/kueue/v0.7.0/component.yaml"
"""A spec that every target builds on, and a limit in it."""
LIMITED = "cpu: 500m"
DIFFERENT = ["sh", "-c", '"$@"; test $? = 1', "sh"]
"""That there is a difference is what is to be found."""


def main() -> bool:
    """Measure both; tell whether the limits hold."""
    with tempfile.TemporaryDirectory() as name:
        kit = Path(name) / "kit"
        kit.mkdir()
        for each in SPECS:
            source = KIT / each
            (shutil.copytree if source.is_dir() else shutil.copy)(source, kit / each)
        for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "Start"]):
            run([*GIT, *command], cwd=kit)
        spec = kit / CHANGED
        text = spec.read_text(encoding="utf-8")
        spec.write_text(text.replace(LIMITED, "cpu: 600m"), encoding="utf-8")
        run([*KITGEN, "render", "-q"], cwd=kit)
        return _measure(kit)


def _measure(kit: Path) -> bool:
    folders = [kit / "overlays" / each for each in STACKS]
    files = [kit.parent / f"{each}.yaml" for each in STACKS]
    for file, folder in zip(files, folders, strict=True):
        with file.open("wb") as stream:
            subprocess.run([*kustomize(), str(folder)], stdout=stream, check=True)
    two = [*KITGEN, "diff", *map(str, files)]
    since = [*KITGEN, "diff", "git:HEAD"]
    cold = [*KITGEN, "render", "--no-cache", "-q", "--out", str(kit.parent / "out")]
    runs = []
    for _ in range(RUNS):  # in turns, so that a busy machine is as busy for all
        shutil.rmtree(kit.parent / "out", ignore_errors=True)
        built = min(spent([*kustomize(), str(folder)], kit) for folder in folders)
        runs.append((built, *(spent(each, kit) for each in ([*DIFFERENT, *two], cold, [*DIFFERENT, *since]))))
    built, stacks, rendered, revision = (min(each) for each in zip(*runs, strict=True))
    most = max(peak_megabytes(each, kit, {}) for each in (two, since))
    good = table(
        "Changes (processor time)",
        [
            Row(
                name="diff of two stacks that are built",
                seconds=stacks,
                peer="kustomize builds one of them",
                peer_seconds=built,
                limit=LIMIT,
            ),
            Row(
                name="diff since a commit",
                seconds=revision,
                peer="render, cold",
                peer_seconds=rendered,
                limit=SINCE,
            ),
        ],
    )
    print(f"  most memory: {most:.0f} MB (limit {MEGABYTES})")
    return good and most < MEGABYTES


if __name__ == "__main__":
    compile_bytecode()
    sys.exit(0 if main() else 1)
