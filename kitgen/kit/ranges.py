"""Validate ranges in specs: of versions, and of Kubernetes minors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kitgen.findings import Finding, Origin, Rule, make_problem
from kitgen.findings.errors import KitgenError
from kitgen.kit.model import Component, Kit, Release
from kitgen.kube.definitions import format_minors, parse_minors, select_minors
from kitgen.text.semver import is_in_range
from kitgen.text.wording import join_words


def read_range(text: str, origin: Origin) -> tuple[tuple[int, ...], list[Finding]]:
    """Read a range; none when there is no text, or a finding when it cannot be read."""
    try:
        return parse_minors(text) if text else (), []
    except (ValueError, KitgenError) as error:
        return (), [make_problem("kit-range", str(error)).to_finding(origin)]


def check_range_syntax(ranges: Iterable[tuple[str, Origin]], rule: Rule, hint: str) -> Iterator[Finding]:
    """Yield a finding for every range of versions that cannot be read."""
    for wanted, origin in ranges:
        try:
            is_in_range("v0.0.0", wanted)
        except ValueError as error:
            yield rule(str(error), hint=hint).to_finding(origin)


def check_ranges(kit: Kit) -> Iterator[Finding]:
    """Yield a finding for every component that says clusters which nothing that builds it is for."""
    for component in kit.every_component if kit.minors else ():
        if not component.clusters:
            continue
        at = component.origin.at("clusters")
        try:
            select_minors((), component.clusters)
        except ValueError as error:
            yield make_problem("kit-range", str(error)).to_finding(at)
            continue
        empty: dict[tuple[int, ...], list[str]] = {}
        releases: list[Release | None] = [*_releases_with(kit, component)]
        for release in releases or [None]:
            if not kit.minors_for(release, [component]):
                names = empty.setdefault(kit.minors_for(release), [])
                names.append(f"release {release.name}" if release else "the kit")
        for wanted, names in empty.items():
            who = join_words(names, last="and")
            yield make_problem(
                "kit-range",
                (
                    f"found {component.clusters!r}, which has none of {format_minors(wanted)}, the minors "
                    f"of {who}"
                ),
                hint="let both have a minor in common",
            ).to_finding(at)


def _releases_with(kit: Kit, component: Component) -> list[Release]:
    """Return the releases with a component in this version, for one target at least."""
    try:
        overrides = [
            each
            for target in kit.targets.values()
            for each in target.overrides.get(component.name, ())
            if each.version == component.version
        ]
        return [
            release
            for release in kit.releases.values()
            if release.components.get(component.name) == component.version
            or any(is_in_range(release.name, each.releases) for each in overrides)
        ]
    except ValueError:
        return []  # a range that cannot be read, which is a finding
