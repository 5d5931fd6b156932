"""What this project's own kit holds today. Tests that are for any kit take what they expect from here."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from kits import PROJECT

from kitgen.kit.model import Component
from kitgen.render.placement import build_placement, list_shipped_releases
from kitgen.render.unit import Unit
from kitgen.text.semver import version_key
from kitgen.workspace.kit import OpenedKit, open_kit


@cache
def project() -> OpenedKit:
    return open_kit(PROJECT)


def targets() -> list[str]:
    return sorted(project().kit.targets)


def pairs() -> list[tuple[str, str]]:
    """Return every target with each component that has an overlay in it."""
    return [(target, component) for _, target, component in builds()]


def smallest(cases: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return targets with their components, first those with few CRDs of late: they take less long."""
    newest = {
        name: versions[max(versions, key=version_key)] for name, versions in project().kit.components.items()
    }
    return sorted(cases, key=lambda case: len(newest[case[1]].crds))


@cache
def builds() -> list[tuple[str, str, str]]:
    """Return what is rendered: release, target and component."""
    kit = project().kit
    placements = [
        build_placement(kit, kit.targets[name], kit.releases[kit.targets[name].release]) for name in targets()
    ]
    return sorted(
        (
            (each.release.name, each.target.name, unit.name)
            for each in placements
            for unit in each.overlay_components
        ),
        key=lambda build: build[1:],
    )


@cache
def common_release() -> str:
    """Return the oldest release that all targets ship with all components that they name."""
    kit = project().kit
    named = {name for target in kit.targets.values() for name in target.settings if name}
    whole = [name for name, release in kit.releases.items() if named <= release.components.keys()]
    return min(whole, key=version_key)


@cache
def ships() -> list[tuple[str, str]]:
    """Return every target that exports something with each release that it ships."""
    kit = project().kit
    found = []
    for name in targets():
        for release in list_shipped_releases(kit, kit.targets[name]):
            placement = build_placement(kit, kit.targets[name], release)
            if any(placement.settings_for(each).export for each in placement.overlay_components):
                found.append((name, release.name))
    return found


@cache
def exports() -> list[tuple[str, str]]:
    """Return every target and component that is exported, in the release that the target pins."""
    return [(target, name) for _, target, name in builds() if unit(target, name).context.settings.export]


@cache
def units(target: str) -> dict[str, Unit]:
    opened = project()
    return {unit.context.component.name: unit for unit in opened.plan(opened.target(target)).units}


def unit(target: str, component: str) -> Unit:
    return units(target)[component]


def versions() -> list[Component]:
    """Return every version of every component."""
    return project().kit.every_component


def free_version(known: list[str], above: str) -> str:
    """Return the next patch version above one that is not taken."""
    major, minor, patch, *_ = version_key(above)
    while f"v{major}.{minor}.{patch}" in (*known, above):
        patch += 1
    return f"v{major}.{minor}.{patch}"
