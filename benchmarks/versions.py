"""What many versions of components cost, and what it costs that they build on one another."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.render import KIT, KITGEN, SPECS
from benchmarks.timing import Row, table

VERSIONS, CHAIN = 12, 10
RUNS = 15
PINNED = {"appwrapper": "v0.20.2", "codeflare-operator": "v1.5.0", "kuberay": "v1.1.0", "kueue": "v0.7.0"}
IMAGES = {"codeflare-operator", "kuberay", "kueue"}
"""Those that have an image called manager, which every version of a chain changes."""


def main() -> bool:
    """Measure both; tell whether the limits hold."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        alone = copy(folder / "alone")
        many = copy(folder / "many")
        for component, version in PINNED.items():
            for number in range(VERSIONS - 1):
                add_copy(many, component, version, f"v99.0.{number}")
        chained, flat = copy(folder / "chained"), copy(folder / "flat")
        for component, version in PINNED.items():
            build_chain(chained, component, version)
            flatten(flat, component, version)
        some, one = both(lambda: seconds(many), lambda: seconds(alone))
        long, short = both(lambda: seconds(chained), lambda: seconds(flat))
        return table(
            "Versions (processor time of a cold render)",
            [
                Row(
                    name=f"{VERSIONS} versions of each component",
                    seconds=some,
                    peer="the pinned ones alone",
                    peer_seconds=one,
                    limit=1.3,
                ),
                Row(
                    name=f"chains of {CHAIN} for all components",
                    seconds=long,
                    peer="the same, each in one file",
                    peer_seconds=short,
                    limit=1.2,
                ),
            ],
        )


def both(first: Callable[[], float], second: Callable[[], float]) -> tuple[float, float]:
    """Return the shortest run of two, which take turns, so that a busy machine is as busy for both."""
    runs = [(first(), second()) for _ in range(RUNS)]
    return min(run[0] for run in runs), min(run[1] for run in runs)


def seconds(kit: Path) -> float:
    """Return the processor time of a cold render; other programs on the machine take none of it."""
    shutil.rmtree(kit / "overlays", ignore_errors=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    env = {**os.environ, "KITGEN_CACHE_DIR": str(kit.with_suffix(".cache"))}
    subprocess.run([*KITGEN, "render", "--no-cache", "-q"], cwd=kit, env=env, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def copy(folder: Path) -> Path:
    """Copy the project's kit."""
    folder.mkdir()
    for name in SPECS:
        source = KIT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / name)
    return folder


def add_copy(kit: Path, component: str, old: str, new: str) -> None:
    """Add a version of a component that is another one by a new name."""
    home = kit / "components" / component
    shutil.copytree(home / old, home / new)
    spec = home / new / "component.yaml"
    text = spec.read_text(encoding="utf-8")
    spec.write_text(text.replace(f"version: {old}", f"version: {new}"), encoding="utf-8")


def build_chain(kit: Path, component: str, start: str) -> None:
    """Add versions that build on one another, and let the release take the last."""
    before = start
    for number in range(1, CHAIN):
        version = f"v99.0.{number}"
        text = f"component: {component}\nversion: {version}\nfrom: {before}\n"
        text += image(component, number)
        home = kit / "components" / component / version
        home.mkdir()
        (home / "component.yaml").write_text(text, encoding="utf-8")
        before = version
    pin(kit, component, start, before)


def flatten(kit: Path, component: str, start: str) -> None:
    """Add the last version of such a chain, written out."""
    last = CHAIN - 1
    add_copy(kit, component, start, f"v99.0.{last}")
    spec = kit / "components" / component / f"v99.0.{last}" / "component.yaml"
    lines = spec.read_text(encoding="utf-8").splitlines(keepends=True)
    if component in IMAGES:
        at = next(index for index, line in enumerate(lines) if line.startswith("  manager: "))
        lines[at] = f"  manager: quay.io/example/{component}:v99.0.{last}\n"
    spec.write_text("".join(lines), encoding="utf-8")
    pin(kit, component, start, f"v99.0.{last}")


def image(component: str, number: int) -> str:
    """Return what one version of a chain says."""
    if component not in IMAGES:
        return f"about: Step {number}\n"
    return f"images: {{manager: quay.io/example/{component}:v99.0.{number}}}\n"


def pin(kit: Path, component: str, old: str, new: str) -> None:
    """Let the release that targets pin build another version."""
    file = kit / "releases/v1.5.0.yaml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace(f"  {component}: {old}\n", f"  {component}: {new}\n"), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
