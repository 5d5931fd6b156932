"""What of the project's kit is measured: it is asked, so that it may grow."""

from __future__ import annotations

import shutil
from pathlib import Path

from kitgen.kit.model import Component, Target
from kitgen.render.placement import build_placement
from kitgen.workspace.kit import OpenedKit, open_kit

KIT = Path(__file__).resolve().parent.parent
SPECS = ("kit.yaml", "components", "targets", "releases")


def copy_kit(folder: Path) -> Path:
    """Copy the specs of the project's kit."""
    folder.mkdir(parents=True)
    for name in SPECS:
        source = KIT / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / name)
    return folder


def overlays(opened: OpenedKit) -> list[str]:
    """Return every overlay of a component, as TARGET/COMPONENT."""
    return [
        f"{name}/{each.name}"
        for name, target in opened.kit.targets.items()
        for each in _units(opened, target)
    ]


def most_crds(opened: OpenedKit) -> str:
    """Return the overlay whose component declares the most CRDs, the last by name, as TARGET/COMPONENT."""
    units = [(name, each) for name, target in opened.kit.targets.items() for each in _units(opened, target)]
    return max((len(each.crds), f"{name}/{each.name}") for name, each in units)[1]


def plain_target(opened: OpenedKit) -> Target:
    """Return a target that takes the versions of its release, with as many components as any such."""
    plain = [each for each in opened.kit.targets.values() if not any(each.overrides.values())]
    return max(plain, key=lambda each: len(_units(opened, each)))


def declaring(opened: OpenedKit) -> list[Component]:
    """Return of each component the newest version that holds its CRDs in whole files."""
    whole = (
        [each for each in some.values() if each.crds and not each.parent]
        for some in opened.kit.components.values()
    )
    return [versions[-1] for versions in whole if versions]


def _units(opened: OpenedKit, target: Target) -> list[Component]:
    return build_placement(opened.kit, target, opened.kit.releases[target.release]).overlay_components


def own_kit() -> OpenedKit:
    """Return the project's kit."""
    return open_kit(KIT)
