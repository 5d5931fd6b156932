"""What many versions of components cost, and what it costs that they build on one another."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.kit import copy_kit, own_kit, plain_target
from benchmarks.timing import KITGEN, Row, least, processor_time, run
from kitgen.kit.model import Component, Kit
from kitgen.text.yaml import dump_yaml

VERSIONS, CHAIN = 50, 10
DRIFT = re.compile(r"^drift:\n(?:[ #\n].*\n?)*", re.MULTILINE)


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


def rows() -> Iterator[Row]:
    """Render a target whose components have many versions, or versions that build on one another."""
    with tempfile.TemporaryDirectory() as name:
        alone, many, chained, flat = (
            _copy(Path(name) / each) for each in ("alone", "many", "chained", "flat")
        )
        for component, version in PINNED.items():
            for number in range(VERSIONS - 1):
                add_copy(many, component, version, later(version, number))
        for kit in (chained, flat):
            for component, version in PINNED.items():
                build_chain(kit, component, version)
            pin(kit)
        for component, version in PINNED.items():
            last = f"{component}@{later(version, ADDED[component])}"
            run([*KITGEN, "flatten", "-q", last], flat)
        some, one, long, short = least(5, *(partial(_render, kit) for kit in (many, alone, chained, flat)))
    unit = "the pinned ones alone"
    yield Row(name=f"render with {VERSIONS} versions of each", cost=some / one, unit=unit, goal=1.5)
    unit = "the same in one file each"
    yield Row(name=f"render with chains of {CHAIN} versions", cost=long / short, unit=unit, goal=1.3)


def _render(kit: Path) -> float:
    shutil.rmtree(kit / "overlays", ignore_errors=True)
    return processor_time([*KITGEN, "render", "--no-cache", "-q"], kit)


def _copy(folder: Path) -> Path:
    """Copy the project's kit, with one target."""
    copy_kit(folder)
    for file in (folder / "targets").glob("*.yaml"):
        if file.stem != TARGET.name:
            file.unlink()
        else:  # there is nothing left that it could be compared with
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
