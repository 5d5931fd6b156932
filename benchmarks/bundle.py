"""How long checking bundles takes: beside a check of the manifests alone, and as a package grows.

Run: python -m benchmarks.bundle.
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

from benchmarks.check import FINDINGS
from benchmarks.kit import KIT, own_kit
from benchmarks.real import spent
from benchmarks.render import KITGEN
from benchmarks.timing import Row, compile_bytecode, peak_megabytes, table
from kitgen.olm.bundle import package_of
from kitgen.olm.bundle_files import render_bundle_files
from kitgen.render.file_tree import FileTree

RUNS = 3
TWICE = 2.0
"""A bundle may take twice the time that its manifests do."""
GROWTH = 1.25
"""A package of fifty may take a quarter more than five of ten: nothing grows with the square."""
FEW, MANY = 10, 50
MEGABYTES = 300
REPLACES = re.compile(r"^(  replaces: \S+\.v)\S+$", re.MULTILINE)


def main() -> bool:
    """Measure the kit's own bundle, and packages of many versions of it; tell whether limits hold."""
    opened = own_kit()
    packages = [package_of(opened.plan(each)) for each in opened.kit.targets.values()]
    made = next(each for each in packages if each is not None)
    files = render_bundle_files(made)
    checks = [*FINDINGS, *KITGEN]
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        bundle = _write(root / "bundle", files)
        few, many = (_package(root / str(size), files, made.version, size) for size in (FEW, MANY))
        plain, whole, short, long = (
            min(times)
            for times in zip(
                *(
                    (
                        spent([*checks, "check", str(bundle)], KIT),
                        spent([*checks, "bundle", "check", str(bundle)], KIT),
                        spent([*checks, "bundle", "check", str(few)], KIT),
                        spent([*checks, "bundle", "check", str(many)], KIT),
                    )
                    for _ in range(RUNS)  # in turns, so that a busy machine is as busy for all
                ),
                strict=True,
            )
        )
        most = peak_megabytes([*KITGEN, "bundle", "check", str(many)], KIT, {})
    good = table(
        "Bundles (processor time)",
        [
            Row(
                name="bundle check of the kit's own bundle",
                seconds=whole,
                peer="check of its manifests",
                peer_seconds=plain,
                limit=TWICE,
            ),
            Row(
                name=f"bundle check of a package of {MANY} versions",
                seconds=long,
                peer=f"{MANY // FEW} packages of {FEW} versions",
                peer_seconds=short * MANY / FEW,
                limit=GROWTH,
            ),
        ],
    )
    print(f"  most memory: {most:.0f} MB (limit {MEGABYTES})")
    return good and most < MEGABYTES


def _package(folder: Path, files: FileTree, version: str, size: int) -> Path:
    """Write a package whose bundles replace each other, each with CRDs that are a little different."""
    for number in range(size):
        own, before = f"90.{number}.0", f"90.{number - 1}.0"
        tree = {}
        for path, text in files.items():
            renamed = text.replace(version, own).replace("\nspec:\n", f"\nspec:  # {own}\n", 1)
            tree[path] = REPLACES.sub(rf"\g<1>{before}", renamed)
        _write(folder / own, tree)
    return folder


def _write(folder: Path, files: FileTree) -> Path:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


if __name__ == "__main__":
    compile_bytecode()
    sys.exit(0 if main() else 1)
