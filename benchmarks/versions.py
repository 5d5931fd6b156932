"""What many versions of components cost, and what it costs that they build on one another."""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.kit import KIT, SPECS, own_kit, plain_target
from benchmarks.render import KITGEN
from benchmarks.timing import Row, table
from kitgen.kit.model import Component, Kit
from kitgen.text.yaml import dump_yaml

VERSIONS, CHAIN = 12, 10
DRIFT = re.compile(r"^drift:\n(?:[ #\n].*\n?)*", re.MULTILINE)
RUNS = 15


def depth(kit: Kit, component: Component) -> int:
    """Return how many versions a component consists of, its own among them."""
    parent = kit.parent(component)
    return 1 + (depth(kit, parent) if parent else 0)


OWN = own_kit()
TARGET = plain_target(OWN)
PINNED = OWN.kit.releases[TARGET.release].components
IMAGES = {name: next(iter(OWN.kit.components[name][version].images), "") for name, version in PINNED.items()}
"""The first image of each component, which every version of a chain changes."""
ADDED = {name: CHAIN - depth(OWN.kit, OWN.kit.components[name][version]) for name, version in PINNED.items()}
"""How many versions make a chain of each component, with those that it builds on already."""


def main() -> bool:
    """Measure both; tell whether the limits hold."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        alone = copy(folder / "alone")
        many = copy(folder / "many")
        for component, version in PINNED.items():
            for number in range(VERSIONS - 1):
                add_copy(many, component, version, later(version, number))
        chained, flat = copy(folder / "chained"), copy(folder / "flat")
        for kit in (chained, flat):
            for component, version in PINNED.items():
                build_chain(kit, component, version)
            pin(kit)
        for component, version in PINNED.items():
            last = f"{component}@{later(version, ADDED[component])}"
            subprocess.run([*KITGEN, "flatten", "-q", last], cwd=flat, check=True)
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
    """Copy the project's kit, with one target."""
    folder.mkdir()
    for name in SPECS:
        source = KIT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / name)
    for file in (folder / "targets").glob("*.yaml"):
        if file.stem != TARGET.name:
            file.unlink()
        else:  # there is nothing left that it could be held against
            file.write_text(DRIFT.sub("", file.read_text(encoding="utf-8")), encoding="utf-8")
    return folder


def later(version: str, number: int) -> str:
    """Return a version of the same minor that is none yet: targets say something else of other minors."""
    minor, _, patch = version.rpartition(".")
    return f"{minor}.{int(patch) + 100 + number}"


def add_copy(kit: Path, component: str, old: str, new: str) -> None:
    """Add a version of a component that is another one by a new name."""
    home = kit / "components" / component
    shutil.copytree(home / old, home / new)
    spec = home / new / "component.yaml"
    text = spec.read_text(encoding="utf-8")
    spec.write_text(text.replace(f"version: {old}", f"version: {new}"), encoding="utf-8")


def build_chain(kit: Path, component: str, start: str) -> None:
    """Add versions that build on one another."""
    before = start
    for number in range(1, ADDED[component] + 1):
        version = later(start, number)
        text = f"component: {component}\nversion: {version}\nfrom: {before}\n"
        text += image(component, number)
        home = kit / "components" / component / version
        home.mkdir()
        (home / "component.yaml").write_text(text, encoding="utf-8")
        before = version


def image(component: str, number: int) -> str:
    """Return what one version of a chain says."""
    if not IMAGES[component]:
        return f"about: Step {number}\n"
    return f"images: {{{IMAGES[component]}: quay.io/example/{component}:v99.0.{number}}}\n"


def pin(kit: Path) -> None:
    """Let the target pin a release that builds the last version of every chain."""
    last = {component: later(version, ADDED[component]) for component, version in PINNED.items()}
    release = {"release": "v99.0.0", "components": last}
    (kit / "releases/v99.0.0.yaml").write_text(dump_yaml(release), encoding="utf-8")
    file = kit / f"targets/{TARGET.name}.yaml"
    text = file.read_text(encoding="utf-8")
    pinned = text.replace(f"\nrelease: {TARGET.release}\n", "\nrelease: v99.0.0\n")
    assert pinned != text
    file.write_text(pinned, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
